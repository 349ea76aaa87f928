import { asOwnError, PartialError } from "../../platform/errors";
import { messageFor } from "../messages/errors";
import { redactText, type Values } from "../secrets";

/** What an error gives as its text: the launcher writes that to stderr, beside the error that the engine shows. */
const REPEATED = "[shown by the engine] ";

/** What the dynamic host's launcher reads of a thrown value. With an `id`, the engine keeps id and properties. */
class HostError extends Error {
  id?: string;
  properties?: Record<string, unknown>;
  reasons?: string[];

  override toString(): string {
    return REPEATED;
  }
}

/**
 * Leaves out of the launcher's stderr what it writes of an error of this provider: the engine shows the same text on the
 * resource's own row.
 */
export function sayErrorsOnce(stderr: Pick<Console, "error">): void {
  const write = stderr.error.bind(stderr);
  stderr.error = (...values: unknown[]) => {
    const [first] = values;
    if (typeof first !== "string" || !first.startsWith(REPEATED)) write(...values);
  };
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
  const message = redactText(messageFor(asOwnError(error)), given);
  const host = new HostError(message);
  host.name = "pgcompute";
  host.stack = "";
  if (error instanceof PartialError) {
    host.id = error.id;
    host.properties = { ...mark({ ...error.state }), ...hidden };
    host.reasons = error.reasons?.map((reason) => redactText(reason, given)) ?? [message];
  }
  return host;
}
