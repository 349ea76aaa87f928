/**
 * Looks at the platform after an answer was lost: what was made all the same is found again, so that nothing is made twice. An endpoint
 * whose create lost its answer is found by its name; where the platform keeps none, a primary by its place (docs/decisions/0021-lost-creates-without-names.md).
 */
import { boundSignal, onAbort, wholeSecond } from "../lib/clock";
import { asOwnError, CancelledError, isKind, isTransient, PgComputeError } from "../platform/errors";
import { ages, lost as policy } from "../platform/policy";
import type { Create } from "../platform/project/creates";
import { hasSucceeded, outcomeOf } from "../platform/project/outcome";
import type { EndpointChange, EndpointRecord, OperationRecord } from "../platform/records";
import { type Again, noticed, type Outcome, until } from "../platform/until";
import { type Context, requestOptions } from "./context";
import type { EndpointIdentity } from "./identity";
import { ownerNameIn } from "./ownership-name";
import { isSole } from "./types";

/** The name of the awaited list on the resource's row. */
const OPERATIONS = "the list of the project's operations";

/** An endpoint that is there, and the branch that it stands on. */
export type Target = EndpointIdentity & { branchId: string };

/** A create whose answer was lost. */
export interface LostCreate {
  projectId: string;
  create: Create;
  /** True for an endpoint that shows all that was sent. */
  isShownBy(record: EndpointRecord): boolean;
  /** True for an endpoint that a resource of this run has. */
  isTaken(endpointId: string): boolean;
}

/**
 * The result of a search after a lost create: its endpoint, by name or place, or several candidates. With candidates
 * nothing is sent again.
 */
export type FoundCreate =
  | { kind: "named" | "placed"; record: EndpointRecord }
  | { kind: "unclear"; candidates: readonly EndpointRecord[] };

/**
 * Looks at the platform, which alone tells what became of a change: that may outlast an interruption and the deadline, by 5 seconds.
 * `look` is given the context for it. Throws `cancelled` or `timeout` when these are over, whatever the look still waits for.
 */
export async function lookInTime<T>(context: Context, look: (late: Context) => Promise<T>): Promise<T> {
  const { account, signal, deadlineMs } = context;
  const late = boundSignal(account.clock, context, policy.graceMs);
  // Half of the time, so that a request that has no turn can still say why.
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

/** A change of an endpoint whose answer was lost, made since then, where what is seen now shows that it was made. */
export async function findMade(
  context: Context,
  { projectId, endpointId, sinceMs }: EndpointIdentity & { sinceMs: number | undefined },
  isMade: (seen: EndpointChange) => boolean,
): Promise<EndpointChange | undefined> {
  const look = async (late: Context) => {
    const endpoint = await late.account.api.getEndpoint(projectId, endpointId, requestOptions(late));
    return { endpoint, operations: await begunSince(late, { projectId, endpointId }, sinceMs) };
  };
  // What is pending has an operation.
  const isBehind = (seen: EndpointChange) =>
    seen.operations.length === 0 && seen.endpoint.pendingState !== undefined && isMade(seen);
  const seen = await lookPatiently(context, look, isBehind);
  return isMade(seen) ? seen : undefined;
}

/**
 * The operations of an endpoint that a change may have begun since then: those still open, or failed. Without `sinceMs` those of the newest
 * change, whoever made it; with `isChange` the platform's own suspends are none.
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
  // A failure from before is not this change's; each one since may be.
  return unsettled(context, own, fromMs ?? ofNewestChange(own));
}

/** A create whose answer was lost, or whose run was interrupted, put together again. */
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

/**
 * Looks for the endpoint of a create on the branch, in the project, and by the recent operations, so that one list that is behind does
 * not decide. `patient` looks again before it says that there is none, or names several. Throws where the platform cannot be looked at.
 */
export function findCreated(
  context: Context,
  lost: LostCreate,
  { patient }: { patient: boolean },
): Promise<FoundCreate | undefined> {
  // A list that lags does not show the create's own endpoint yet, whatever else it shows.
  const isBehind = (found: FoundCreate | undefined) => patient && (!found || found.kind === "unclear");
  return lookPatiently(context, (late) => lookForCreated(late, lost), isBehind);
}

/** Finds duplicates with the same name that a repeated create made. Empty if the list cannot be read. */
export async function findDuplicates(
  context: Context,
  { projectId, create }: LostCreate,
  made: EndpointRecord,
): Promise<EndpointRecord[]> {
  const { account } = context;
  const { cache } = account.project(projectId);
  const { branchId, ownName } = create;
  if (ownName === undefined) return [];

  const look = ({ signal, reporter }: Context) =>
    cache.snapshot({ sinceMs: account.clock.now(), signal, onWait: reporter.status });
  try {
    const snapshot = await lookPatiently(context, look, () => false);
    return snapshot.onBranch(branchId).filter(({ id, name }) => id !== made.id && name === ownName);
  } catch {
    // The create itself went well; a later plan names what is left.
    return [];
  }
}

async function lookForCreated(context: Context, lost: LostCreate): Promise<FoundCreate | undefined> {
  const { projectId, create } = lost;
  const { creates } = context.account.project(projectId);
  const seen = new Map<string, EndpointRecord>();
  for await (const records of listed(context, lost)) {
    const named = records.find(({ name }) => create.ownName !== undefined && name === create.ownName);
    if (named) return { kind: "named", record: named };
    for (const record of records) seen.set(record.id, record);
  }

  const showsNames = [...seen.values()].some((record) => ownerNameIn(record) !== undefined);
  if (create.ownName !== undefined && (creates.keepsNames ?? showsNames)) return undefined;

  // What the lists show may be the answer that another create of this run is waiting for.
  const beside = creates.answersBeside(create);
  await noticed(context.account.clock, beside, "answers to other creates on this branch", context.reporter.status);
  const candidates = [...seen.values()].filter((record) => isNewBeside(context, lost, record));
  if (!isSole(create)) return { kind: "unclear", candidates };

  const [only] = candidates;
  if (only === undefined) return undefined;
  if (!isMade(context, lost, only)) return { kind: "unclear", candidates };
  // From here on nobody else is given it.
  creates.take(only);
  return { kind: "placed", record: only };
}

/** Yields the visible candidates of each list, the newest and nearest first. */
async function* listed(
  context: Context,
  { projectId, create: { branchId } }: LostCreate,
): AsyncGenerator<EndpointRecord[]> {
  const { signal } = context;
  const { api, clock } = context.account;
  const { cache, operations } = context.account.project(projectId);
  const options = requestOptions(context);
  yield await api.listBranchEndpoints(projectId, branchId, options).catch((error: unknown) => {
    // A platform without this call still has the list of the project.
    if (isKind(error, "not_found", "invalid_request")) return [];
    throw error;
  });
  const snapshot = await cache.snapshot({ sinceMs: clock.now(), signal, onWait: context.reporter.status });
  yield snapshot.all();
  const unlisted = new Set<string>();
  const recent = operations.look({ branchIds: [branchId] }, signal);
  for (const operation of await noticed(clock, recent, OPERATIONS, context.reporter.status)) {
    if (operation.branchId !== branchId || operation.endpointId === undefined) continue;
    if (!snapshot.get(operation.endpointId)) unlisted.add(operation.endpointId);
  }
  for (const endpointId of [...unlisted].slice(0, policy.mostAsked)) {
    const record = await cache.confirm(endpointId, options);
    if (record) yield [record];
  }
}

/** True for an endpoint on the branch that is newer than the request, as far as known, and that no resource of this run has. */
function isNewBeside(
  { account }: Context,
  { projectId, create: { branchId, type, ownName, before }, isTaken }: LostCreate,
  { id, createdAt = "", ...record }: EndpointRecord,
): boolean {
  const { cache, creates } = account.project(projectId);
  if (!before || record.branchId !== branchId || record.type !== type) return false;
  if (creates.isTaken(id) || isTaken(id)) return false;
  // One that the program names bears nobody's mark.
  if (ownName === undefined && ownerNameIn(record) !== undefined) return false;
  if (before.mark !== undefined && cache.wasSeenBefore(before.mark, id)) return false;
  // NaN if the platform returns no time. Every comparison with NaN is false.
  return !(Date.parse(createdAt) < earliestMs(before.timeMs));
}

/** True for the branch's new primary that is certainly the create's: a list from before the request lacks it, and it shows all that was sent. */
function isMade(
  { account }: Context,
  { projectId, create: { ownName, before }, isShownBy }: LostCreate,
  record: EndpointRecord,
): boolean {
  if (before?.mark === undefined || !(Date.parse(record.createdAt ?? "") >= earliestMs(before.timeMs))) return false;
  // Unless the platform is known to keep no names, another name may be one that somebody else gave. The program's is among what was sent.
  const keepsNames = account.project(projectId).creates.keepsNames !== false;
  const isOthers = ownName !== undefined && keepsNames && (record.name ?? "") !== "";
  return !isOthers && isShownBy(record);
}

function earliestMs(timeMs = Number.NaN): number {
  return wholeSecond(timeMs) - ages.clockMs;
}

/** Repeats a lookup for a few seconds while the list may lag, and for about a minute while requests fail. */
function lookPatiently<T>(
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

/** All operations of an endpoint as far down as the second of `sinceMs`, newest first. */
async function operationsOf(
  { account, signal, reporter }: Context,
  { id: endpointId, projectId }: Pick<EndpointRecord, "id" | "projectId">,
  sinceMs: number | undefined,
): Promise<OperationRecord[]> {
  // Many ask at once where a fleet's run was interrupted: they share a look.
  const look = account.project(projectId).operations.look({ endpointId, branchIds: [], sinceMs }, signal);
  const operations = await noticed(account.clock, look, OPERATIONS, reporter.status);
  return operations.filter((operation) => operation.endpointId === endpointId);
}

/** Those that are still open, or were made at `fromMs` or later and have failed: neither may pass for success. */
function unsettled({ account }: Context, own: readonly OperationRecord[], fromMs: number): OperationRecord[] {
  const nowMs = account.api.platformNow();
  return own.filter((operation) => {
    const outcome = outcomeOf(operation, nowMs);
    return outcome === "open" || (outcome === "failed" && Date.parse(operation.createdAt) >= fromMs);
  });
}

/** The earliest moment at which an operation of the newest change was made; the platform's own checks are none. */
function ofNewestChange(own: readonly OperationRecord[]): number {
  const begun = own.filter(({ action }) => action !== "check_availability");
  return (
    Math.max(...(begun.length > 0 ? begun : own).map(({ createdAt }) => Date.parse(createdAt))) - ages.sameChangeMs
  );
}

/** A suspend that belongs to no change, and has not ended well; one that has repairs what failed before it. */
function isAutosuspend(one: OperationRecord, all: readonly OperationRecord[]): boolean {
  if (one.action !== "suspend_compute" || hasSucceeded(one)) return false;
  const isBeside = ({ createdAt }: OperationRecord) =>
    Math.abs(Date.parse(createdAt) - Date.parse(one.createdAt)) <= ages.sameChangeMs;
  return !all.some((other) => other.action === "apply_config" && isBeside(other));
}
