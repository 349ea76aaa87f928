/** Looks at the platform after an answer was lost: what was made all the same is found again, so that nothing is made twice. */
import { wholeSecond } from "../lib/clock";
import { isOpen, outcomeOf } from "../platform/project/outcome";
import type { EndpointChange, EndpointRecord, OperationRecord } from "../platform/records";
import type { Context } from "./context";

/** Operations of one change are created within this many milliseconds. */
const SAME_CHANGE_MS = 5_000;

/** An endpoint that is there, and the branch that it stands on. */
export interface Target {
  projectId: string;
  endpointId: string;
  branchId: string;
}

/** A change of an endpoint whose answer was lost, made since then, where what is seen now shows that it was made. */
export async function findMade(
  context: Context,
  { projectId, endpointId, sinceMs }: Pick<Target, "projectId" | "endpointId"> & { sinceMs: number | undefined },
  isMade: (seen: EndpointChange) => boolean,
): Promise<EndpointChange | undefined> {
  const endpoint = await context.account.api.getEndpoint(projectId, endpointId);
  const seen = await recoverChange(context, endpoint, { sinceMs });
  return isMade(seen) ? seen : undefined;
}

/** A create whose answer was lost, or whose run was interrupted, put together again. */
export function recoverCreate(
  context: Context,
  endpoint: EndpointRecord,
  { signal }: { signal?: AbortSignal } = {},
): Promise<EndpointChange> {
  return recoverChange(context, endpoint, { sinceMs: Date.parse(endpoint.createdAt ?? "") || 0, signal });
}

/** A change put together again: the endpoint as it is now, and its operations of that change. */
async function recoverChange(
  { account }: Context,
  endpoint: EndpointRecord,
  { sinceMs, signal }: { sinceMs: number | undefined; signal?: AbortSignal | undefined },
): Promise<EndpointChange> {
  const { id: endpointId, projectId } = endpoint;
  // Many ask at once where a fleet's run was interrupted: they share a look.
  const target = { endpointId, branchIds: [], sinceMs: sinceMs && wholeSecond(sinceMs) };
  const operations = await account.project(projectId).operations.look(target, signal);
  const own = operations.filter((operation) => operation.endpointId === endpointId);
  const newest = Math.max(...own.map(({ createdAt }) => Date.parse(createdAt)));
  // One that has failed meanwhile must not pass for success; a failure of long ago is not this change's.
  const nowMs = account.clock.now();
  const counts = (operation: OperationRecord) =>
    isOpen(operation, nowMs) ||
    (outcomeOf(operation, nowMs) === "failed" && Date.parse(operation.createdAt) >= newest - SAME_CHANGE_MS);
  return { endpoint, operations: own.filter(counts) };
}
