import { asOwnError, PartialError } from "../../platform/errors";
import { messageFor } from "../kind-advice";
import { readable, type Values } from "../secrets";

/** What the dynamic host's launcher reads of a thrown value. With an `id`, the engine keeps id and properties. */
class HostError extends Error {
  id?: string;
  properties?: Record<string, unknown>;
  reasons?: string[];
}

/**
 * The error to throw to the launcher: one readable message without a stack, and for a change that got as far as an
 * endpoint its id and state. The hidden inputs go with the state, or it could be neither refreshed nor destroyed;
 * `mark` marks what of the state is secret.
 */
export function toHostError(
  error: unknown,
  given: Values,
  hidden: Readonly<Record<string, unknown>> = {},
  mark: (state: Record<string, unknown>) => Record<string, unknown> = (state) => state,
): Error {
  const message = readable(messageFor(asOwnError(error)), given);
  const host = new HostError(message);
  host.name = "pgcompute";
  host.stack = "";
  if (error instanceof PartialError) {
    host.id = error.id;
    host.properties = { ...mark({ ...error.state }), ...hidden };
    host.reasons = error.reasons?.map((reason) => readable(reason, given)) ?? [message];
  }
  return host;
}
