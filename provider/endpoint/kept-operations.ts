/** Operations that an earlier run kept, since they had not ended well: what they mean for the next update, and a look at them. */
import { findOperations } from "../platform/project/find-operations";
import { isOpen } from "../platform/project/outcome";
import type { OperationRecord } from "../platform/records";
import { type Context, requestOptions } from "./context";
import type { CheckedInputs } from "./parse-inputs";
import { bookkeepingOf, type EndpointState, type KeptOperation } from "./state";

/** A kept operation, and what the platform says of it now. */
export interface SeenAgain {
  kept: KeptOperation;
  now: OperationRecord | "vanished";
}

/** What makes good at most what an earlier run left: an update starts, restarts or suspends the endpoint. */
export type MadeGood = "started" | "restarted" | "suspended";

/** These leave no compute running: after a failure, starting it is enough. */
const startIsEnough: ReadonlySet<string> = new Set(["start_compute", "check_availability"]);

/**
 * True where the failure of an operation may have left a compute running with the size, the settings or the branch of before
 * the change: a repeat of the change begins nothing, and only a restart brings it into force.
 */
export function mayRunAsBefore({ action }: Pick<KeptOperation, "action">): boolean {
  return !startIsEnough.has(action);
}

/** Looks at operations that an earlier run kept (specification, sections 4.1 and 4.2), without waiting for them. */
export async function lookAgain(
  context: Context,
  projectId: string,
  kept: readonly KeptOperation[],
): Promise<SeenAgain[]> {
  const found = await findOperations(context.account.api, projectId, kept, requestOptions(context));
  return kept.map((one) => ({ kept: one, now: found.get(one.id) ?? "vanished" }));
}

/** What the next update does to the endpoint where operations that a state keeps have failed; undefined where it keeps none. */
export function madeGoodBy(state: EndpointState, inputs: Partial<CheckedInputs>): MadeGood | undefined {
  const { operations = [] } = bookkeepingOf(state);
  if (operations.length === 0) return undefined;
  if ((inputs.disabled ?? state.disabled) === true) return "suspended";
  return operations.some(mayRunAsBefore) ? "restarted" : "started";
}

/** What the next update does about the operations that a state keeps, a sentence for each. */
export function keptMessages(state: EndpointState, inputs: Partial<CheckedInputs>): string[] {
  const isDisabled = (inputs.disabled ?? state.disabled) === true;
  return (bookkeepingOf(state).operations ?? []).map(({ id, action, status }) => {
    const then = mayRunAsBefore({ action })
      ? `${isDisabled ? "suspended" : "restarted"}, which drops connections, unless that does it`
      : `${isDisabled ? "suspended" : "started"} if that starts no operation`;
    const seen = `operation ${id} (${action}) was ${isOpen({ status }, 0) ? "still " : ""}"${status}" at the end of the last run`;
    return (
      `${seen}: it is checked again, and waited for if it still runs; if it failed, what the program sets is sent again, ` +
      `and the endpoint is ${then}`
    );
  });
}
