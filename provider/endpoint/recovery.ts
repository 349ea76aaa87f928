/** Finds a change after its answer was lost, so that nothing is made twice, and the operations that a change began. */
import { boundSignal, onAbort, wholeSecond } from "../lib/clock";
import { asOwnError, CancelledError, isTransient, PgComputeError } from "../platform/errors";
import { ages, lost as policy } from "../platform/policy";
import { hasSucceeded, outcomeOf } from "../platform/project/outcome";
import type { EndpointChange, EndpointRecord, OperationRecord } from "../platform/records";
import { type Again, noticed, type Outcome, until } from "../platform/until";
import { type Context, requestOptions } from "./context";
import type { EndpointIdentity } from "./identity";

/** The name of the list on a resource's row while it waits. */
export const OPERATIONS = "the list of the project's operations";

/** An existing endpoint and its branch. */
export type Target = EndpointIdentity & { branchId: string };

/**
 * Reads the platform to learn a change's outcome, up to 5 seconds beyond a cancel or the deadline, then throws
 * `cancelled` or `timeout`.
 */
export async function lookInTime<T>(context: Context, look: (late: Context) => Promise<T>): Promise<T> {
  const { account, signal, deadlineMs } = context;
  const late = boundSignal(account.clock, context, policy.graceMs);
  // Half of the time, so that a request without a turn can still report the reason.
  const turnDeadlineMs = deadlineMs && Math.max(deadlineMs, account.clock.now() + policy.graceMs / 2);
  const isOver = new Promise<never>((_, reject) => {
    const summary = "the platform did not tell in time what became of the change";
    onAbort(late.signal, () => reject(signal.aborted ? new CancelledError() : new PgComputeError("timeout", summary)));
  });

  try {
    return await Promise.race([look({ ...context, signal: late.signal, deadlineMs: turnDeadlineMs }), isOver]);
  } finally {
    late.release();
  }
}

/** Finds a change with a lost answer: made after `sinceMs`, and visible on the endpoint now. */
export async function findMade(
  context: Context,
  { projectId, endpointId, sinceMs }: EndpointIdentity & { sinceMs: number | undefined },
  isMade: (seen: EndpointChange) => boolean,
): Promise<EndpointChange | undefined> {
  const look = async (late: Context) => {
    const endpoint = await late.account.api.getEndpoint(projectId, endpointId, requestOptions(late));
    return { endpoint, operations: await begunSince(late, { projectId, endpointId }, sinceMs) };
  };

  // A pending state belongs to an operation.
  const isBehind = (seen: EndpointChange) =>
    seen.operations.length === 0 && seen.endpoint.pendingState !== undefined && isMade(seen);
  const seen = await lookPatiently(context, look, isBehind);
  return isMade(seen) ? seen : undefined;
}

/**
 * An endpoint's open or failed operations since `sinceMs`; without it, the newest change's. `isChange`: without the
 * platform's own suspends.
 */
export async function begunSince(
  context: Context,
  { projectId, endpointId }: EndpointIdentity,
  sinceMs: number | undefined,
  { isChange = false } = {},
): Promise<OperationRecord[]> {
  const fromMs = sinceMs && wholeSecond(sinceMs);
  const all = await operationsOf(context, { projectId, id: endpointId }, fromMs);
  const own = isChange ? all.filter((one) => !isAutosuspend(one, all)) : all;
  // An earlier failure is not this change's; any later one may be.
  return unsettled(context, own, fromMs ?? ofNewestChange(own));
}

/** Rebuilds the result of a create whose answer was lost, or whose run was interrupted. */
export async function recoverCreate(context: Context, endpoint: EndpointRecord): Promise<EndpointChange> {
  const sinceMs = wholeSecond(Date.parse(endpoint.createdAt ?? "") || 0);
  // Every create begins an operation.
  const own = await lookPatiently(
    context,
    (late) => operationsOf(late, endpoint, sinceMs),
    (seen) => seen.length === 0,
  );
  // Failures that a later change repaired do not count.
  return { endpoint, operations: unsettled(context, own, ofNewestChange(own)) };
}

/** Repeats a lookup for a few seconds while the list may lag, and for about a minute while requests fail. */
export function lookPatiently<T>(
  context: Context,
  look: (late: Context) => Promise<T>,
  isBehind: (seen: T) => boolean,
): Promise<T> {
  const { signal, deadlineMs, reporter } = context;
  const behindMs = [...policy.behindPausesMs];
  const failedMs = [...policy.failedPausesMs];
  const again = (seen: Outcome<T>): Again | undefined => {
    const ms = seen.ok ? isBehind(seen.value) && behindMs.shift() : isTransient(seen.error) && failedMs.shift();
    const reason = seen.ok ? "an answer was lost, and a list may be behind" : asOwnError(seen.error).summary;
    return ms ? { ms, reason } : undefined;
  };

  const bounds = { clock: context.account.clock, signal, deadlineMs, onWait: reporter.status };
  return until(bounds, () => lookInTime(context, look), again);
}

/** An endpoint's operations since `sinceMs`, newest first. */
async function operationsOf(
  { account, signal, reporter }: Context,
  { id: endpointId, projectId }: Pick<EndpointRecord, "id" | "projectId">,
  sinceMs: number | undefined,
): Promise<OperationRecord[]> {
  // After an interrupted fleet run many ask at once, and share a lookup.
  const look = account.project(projectId).operations.look({ endpointId, branchIds: [], sinceMs }, signal);
  const operations = await noticed(account.clock, look, OPERATIONS, reporter.status);
  return operations.filter((operation) => operation.endpointId === endpointId);
}

/** The operations that are open, or failed and not older than `fromMs`: neither may pass for success. */
function unsettled({ account }: Context, own: readonly OperationRecord[], fromMs: number): OperationRecord[] {
  const nowMs = account.api.platformNow();
  return own.filter((operation) => {
    const outcome = outcomeOf(operation, nowMs);
    return outcome === "open" || (outcome === "failed" && Date.parse(operation.createdAt) >= fromMs);
  });
}

/** The creation time of the newest change's first operation; the platform's own checks do not count. */
function ofNewestChange(own: readonly OperationRecord[]): number {
  const begun = own.filter(({ action }) => action !== "check_availability");
  return (
    Math.max(...(begun.length > 0 ? begun : own).map(({ createdAt }) => Date.parse(createdAt))) - ages.sameChangeMs
  );
}

/** True for an open or failed suspend that belongs to no change. One that succeeded repairs what failed before it. */
function isAutosuspend(one: OperationRecord, all: readonly OperationRecord[]): boolean {
  if (one.action !== "suspend_compute" || hasSucceeded(one)) return false;
  const isBeside = ({ createdAt }: OperationRecord) =>
    Math.abs(Date.parse(createdAt) - Date.parse(one.createdAt)) <= ages.sameChangeMs;
  return !all.some((other) => other.action === "apply_config" && isBeside(other));
}
