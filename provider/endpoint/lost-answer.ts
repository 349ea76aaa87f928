/** Looks at the platform after an answer was lost: what was made all the same is found again, so that nothing is made twice. */
import { wholeSecond } from "../lib/clock";
import { outcomeOf, platformNow } from "../platform/project/outcome";
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
  const operations = await begunSince(context, { projectId, endpointId }, sinceMs);
  return isMade({ endpoint, operations }) ? { endpoint, operations } : undefined;
}

/** The operations of an endpoint that a change whose answer was lost may have begun: those still open, or failed since then. */
export async function begunSince(
  context: Context,
  { projectId, endpointId }: Pick<Target, "projectId" | "endpointId">,
  sinceMs: number | undefined,
): Promise<OperationRecord[]> {
  const fromMs = sinceMs && wholeSecond(sinceMs);
  const own = await operationsOf(context, { projectId, id: endpointId }, { sinceMs: fromMs });
  // A failure from before is not this change's; each one since may be.
  return stillToTell(context, own, fromMs ?? ofNewestChange(own));
}

/** A create whose answer was lost, or whose run was interrupted, put together again. */
export async function recoverCreate(
  context: Context,
  endpoint: EndpointRecord,
  { signal }: { signal?: AbortSignal } = {},
): Promise<EndpointChange> {
  const sinceMs = wholeSecond(Date.parse(endpoint.createdAt ?? "") || 0);
  const own = await operationsOf(context, endpoint, { sinceMs, signal });
  // What somebody has made good since then counts no more.
  return { endpoint, operations: stillToTell(context, own, ofNewestChange(own)) };
}

/** All operations of an endpoint as far down as the second of `sinceMs`, newest first. */
async function operationsOf(
  { account }: Context,
  { id: endpointId, projectId }: Pick<EndpointRecord, "id" | "projectId">,
  { sinceMs, signal }: { sinceMs: number | undefined; signal?: AbortSignal | undefined },
): Promise<OperationRecord[]> {
  // Many ask at once where a fleet's run was interrupted: they share a look.
  const operations = await account.project(projectId).operations.look({ endpointId, branchIds: [], sinceMs }, signal);
  return operations.filter((operation) => operation.endpointId === endpointId);
}

/** Those that are open, and those that have failed and were made at `fromMs` or later: they must not pass for success. */
function stillToTell({ account }: Context, own: readonly OperationRecord[], fromMs: number): OperationRecord[] {
  const nowMs = platformNow(account.api, account.clock);
  return own.filter((operation) => {
    const outcome = outcomeOf(operation, nowMs);
    return outcome === "open" || (outcome === "failed" && Date.parse(operation.createdAt) >= fromMs);
  });
}

/** The earliest moment at which an operation of the newest change was made. */
function ofNewestChange(own: readonly OperationRecord[]): number {
  return Math.max(...own.map(({ createdAt }) => Date.parse(createdAt))) - SAME_CHANGE_MS;
}
