/** Looks at the platform after an answer was lost: what was made all the same is found again, so that nothing is made twice. */
import { pause, wholeSecond } from "../lib/clock";
import { boundSignal, onAbort } from "../lib/signals";
import { CancelledError, PgComputeError } from "../platform/errors";
import { hasSucceeded, outcomeOf, platformNow } from "../platform/project/outcome";
import type { EndpointChange, EndpointRecord, OperationRecord } from "../platform/records";
import { type Context, requestOptions } from "./context";

/** A look may end so many milliseconds after the run was interrupted, or after the deadline: short enough for whoever ends processes that do not. */
const GRACE_MS = 5_000;
/** Operations of one change are created within this many milliseconds. */
const SAME_CHANGE_MS = 5_000;
/** Pauses before further looks where the list shows nothing of an operation that must be there, in milliseconds. */
const BEHIND_PAUSES_MS = [1_000, 4_000];

/** An endpoint that is there, and the branch that it stands on. */
export interface Target {
  projectId: string;
  endpointId: string;
  branchId: string;
}

/**
 * Looks at the platform, which alone tells what became of a change: that may outlast an interruption and the deadline, by 5 seconds.
 * `look` is given the context for it. Throws `cancelled` or `timeout` when these are over, whatever the look still waits for.
 */
export async function lookInTime<T>(context: Context, look: (late: Context) => Promise<T>): Promise<T> {
  const { account, signal, deadlineMs } = context;
  const late = boundSignal(account.clock, context, GRACE_MS);
  // Half of the time, so that a request that has no turn can still say why.
  const turnMs = deadlineMs && Math.max(deadlineMs, account.clock.now() + GRACE_MS / 2);
  const isOver = new Promise<never>((_, reject) => {
    const summary = "the platform did not tell in time what became of the change";
    onAbort(late.signal, () => reject(signal.aborted ? new CancelledError() : new PgComputeError("timeout", summary)));
  });
  try {
    return await Promise.race([look({ ...context, signal: late.signal, deadlineMs: turnMs }), isOver]);
  } finally {
    late.release();
  }
}

/**
 * Pauses before the next look or attempt; false at once where there is none, the run is interrupted, or there is no time for it. An
 * interrupted pause ends in that look.
 */
export async function pauseInTime(
  { account: { clock }, signal, deadlineMs = Number.POSITIVE_INFINITY, reporter }: Context,
  ms: number | undefined,
  reason: string,
): Promise<boolean> {
  if (ms === undefined || signal.aborted || clock.now() + ms > deadlineMs) return false;
  return pause(clock, { ms, reason, signal, onWait: reporter.status }).catch(() => true);
}

/** A change of an endpoint whose answer was lost, made since then, where what is seen now shows that it was made. */
export async function findMade(
  context: Context,
  { projectId, endpointId, sinceMs }: Pick<Target, "projectId" | "endpointId"> & { sinceMs: number | undefined },
  isMade: (seen: EndpointChange) => boolean,
): Promise<EndpointChange | undefined> {
  const look = async (late: Context) => {
    const endpoint = await late.account.api.getEndpoint(projectId, endpointId, requestOptions(late));
    return { endpoint, operations: await begunSince(late, { projectId, endpointId }, sinceMs) };
  };
  // What is pending has an operation.
  const isBehind = (seen: EndpointChange) =>
    seen.operations.length === 0 && seen.endpoint.pendingState !== undefined && isMade(seen);
  const seen = await lookUntilShown(context, look, isBehind);
  return isMade(seen) ? seen : undefined;
}

/** The operations of an endpoint that a change whose answer was lost may have begun: those still open, or failed since then. */
export async function begunSince(
  context: Context,
  { projectId, endpointId }: Pick<Target, "projectId" | "endpointId">,
  sinceMs: number | undefined,
): Promise<OperationRecord[]> {
  const fromMs = sinceMs && wholeSecond(sinceMs);
  const own = await operationsOf(context, { projectId, id: endpointId }, fromMs);
  // A failure from before is not this change's; each one since may be.
  return stillToTell(context, own, fromMs ?? ofNewestChange(own));
}

/** What is open, or has failed, of the newest change of an endpoint, whoever made it; the platform's own suspends are none. */
export async function begunLast(
  context: Context,
  { projectId, endpointId }: Pick<Target, "projectId" | "endpointId">,
): Promise<OperationRecord[]> {
  const all = await operationsOf(context, { projectId, id: endpointId }, undefined);
  const own = all.filter((one) => !isAutosuspend(one, all));
  return stillToTell(context, own, ofNewestChange(own));
}

/** A create whose answer was lost, or whose run was interrupted, put together again. */
export async function recoverCreate(context: Context, endpoint: EndpointRecord): Promise<EndpointChange> {
  const sinceMs = wholeSecond(Date.parse(endpoint.createdAt ?? "") || 0);
  // Every create begins an operation.
  const own = await lookUntilShown(
    context,
    (late) => operationsOf(late, endpoint, sinceMs),
    (seen) => seen.length === 0,
  );
  // What somebody has made good since then counts no more.
  return { endpoint, operations: stillToTell(context, own, ofNewestChange(own)) };
}

/** Looks again, for a few seconds, while the list of operations is seen to be behind: what it hides may yet fail. */
async function lookUntilShown<T>(
  context: Context,
  look: (late: Context) => Promise<T>,
  isBehind: (seen: T) => boolean,
): Promise<T> {
  let seen = await lookInTime(context, look);
  for (const pauseMs of BEHIND_PAUSES_MS) {
    if (!isBehind(seen) || !(await pauseInTime(context, pauseMs, "the list of operations is behind"))) break;
    seen = await lookInTime(context, look);
  }
  return seen;
}

/** All operations of an endpoint as far down as the second of `sinceMs`, newest first. */
async function operationsOf(
  { account, signal }: Context,
  { id: endpointId, projectId }: Pick<EndpointRecord, "id" | "projectId">,
  sinceMs: number | undefined,
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

/** The earliest moment at which an operation of the newest change was made; the platform's own checks are none. */
function ofNewestChange(own: readonly OperationRecord[]): number {
  const begun = own.filter(({ action }) => action !== "check_availability");
  return Math.max(...(begun.length > 0 ? begun : own).map(({ createdAt }) => Date.parse(createdAt))) - SAME_CHANGE_MS;
}

/** A suspend that belongs to no change, and has not ended well; one that has makes good what failed before it. */
function isAutosuspend(one: OperationRecord, all: readonly OperationRecord[]): boolean {
  if (one.action !== "suspend_compute" || hasSucceeded(one)) return false;
  const isBeside = ({ createdAt }: OperationRecord) =>
    Math.abs(Date.parse(createdAt) - Date.parse(one.createdAt)) <= SAME_CHANGE_MS;
  return !all.some((other) => other.action === "apply_config" && isBeside(other));
}
