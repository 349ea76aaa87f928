/** Looks at the platform after an answer was lost: what was made all the same is found again, so that nothing is made twice. */
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

/** A change of an endpoint whose answer was lost, where what is seen now shows that it was made. */
export async function findMade(
  context: Context,
  { projectId, endpointId }: Pick<Target, "projectId" | "endpointId">,
  isMade: (seen: EndpointChange) => boolean,
): Promise<EndpointChange | undefined> {
  const seen = await recoverChange(context, await context.account.api.getEndpoint(projectId, endpointId));
  return isMade(seen) ? seen : undefined;
}

/** A create whose answer was lost, or whose run was interrupted, put together again. */
export function recoverCreate(context: Context, endpoint: EndpointRecord): Promise<EndpointChange> {
  return recoverChange(context, endpoint, Date.parse(endpoint.createdAt ?? "") || 0);
}

/** A change put together again: the endpoint as it is now, and its operations of that change. */
async function recoverChange(context: Context, endpoint: EndpointRecord, sinceMs?: number): Promise<EndpointChange> {
  const { account } = context;
  const { id: endpointId, projectId } = endpoint;
  // Many ask at once where a fleet's run was interrupted: they share a look.
  const operations = await account.project(projectId).operations.look({ endpointId, branchIds: [], sinceMs });
  const own = operations.filter((operation) => operation.endpointId === endpointId);
  const newest = Math.max(...own.map(({ createdAt }) => Date.parse(createdAt)));
  // One that has failed meanwhile must not pass for success; a failure of long ago is not this change's.
  const nowMs = account.clock.now();
  const counts = (operation: OperationRecord) =>
    isOpen(operation, nowMs) ||
    (outcomeOf(operation, nowMs) === "failed" && Date.parse(operation.createdAt) >= newest - SAME_CHANGE_MS);
  return { endpoint, operations: own.filter(counts) };
}
