/** The rules that need the platform or the rest of the program, a branch that was restored among them. */
import { type DiffResult, diffTakeover, neverIdle } from "../endpoint/diff";
import { type BranchPlace, idOf, placeOf } from "../endpoint/identity";
import { undoesRestoreMessage } from "../endpoint/impact/impact";
import type { CheckedInputs } from "../endpoint/parse-inputs";
import { type Failure, formatFailures } from "../lib/failure";
import { isKnown, type Maybe, UNKNOWN, type Values } from "../lib/unknown";
import { listedFew, nearestName, plain, quoted } from "../lib/wording";
import { endpointsMadeFor, orphansAmong, takeUpAt } from "../plan/adopt";
import { type EndpointPlan, planEndpoint } from "../plan/endpoint";
import type { Change } from "../plan/ledger";
import type { Refusal } from "../plan/refusal";
import type { World } from "../plan/world";
import { withAddressChecked } from "../platform/account";
import { HttpError, isKind, PgComputeError } from "../platform/errors";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { BranchRecord, EndpointRecord } from "../platform/records";
import { type LifecycleContext, worldOf } from "./call";
import { messageFor } from "./messages/errors";
import { lostProjectAdvice, neverIdleMessage, orphanMessage, refusalMessage } from "./messages/refusals";
import { reportDiff } from "./preview";

/** What the live rules look at. */
export interface LiveRequest {
  olds: CheckedInputs;
  /** True where the engine shows nothing old: the resource is new, or replaced. */
  isNew: boolean;
  inputs: CheckedInputs;
  bad: ReadonlySet<string | undefined>;
  /** Properties whose values the messages must not show. */
  secret?: ReadonlySet<string> | undefined;
}

/** Why a resource cannot be planned, and what becomes of its place where it can. */
interface LiveResult {
  failures: Failure[];
  plan?: EndpointPlan | undefined;
  /** True where it may be planned once the rest of the program was met. */
  isOpen?: boolean | undefined;
}

/**
 * Checks that a project can be read, and that an endpoint can stand on its branch (specification, section 1), as a fresh list shows it. What is
 * left open is planned anew by the planned step, with the place that it had in the order of the run.
 */
export async function checkLive(context: LifecycleContext, request: LiveRequest): Promise<Failure[]> {
  const beganMs = context.account.clock.now();
  const planned = await checkAgainst(context, request, undefined);
  // Somebody may have made room since the list was asked for.
  const { failures, plan, isOpen } =
    planned.failures.length === 0 ? planned : await checkAgainst(context, request, beganMs);
  const { run, urn } = context;
  if (!plan) return failures;
  run.put(plan.claim);
  const refuseLate = async () => {
    const { plannedAt } = plan.claim;
    const late = await checkAgainst({ ...context, plannedAt }, request, context.account.clock.now());
    if (late.failures.length > 0) throw new PgComputeError("refused", formatFailures(late.failures));
  };
  run.record(urn).refuseLate = isOpen ? refuseLate : undefined;
  return isOpen ? [] : failures;
}

/** True where the endpoint in the way may be of a resource not met yet: no names tell, `b` comes to the branch that `a` leaves, and is met first. */
export async function mayBeUnmet(
  { host, run, account, signal }: LifecycleContext,
  refusals: readonly Refusal[],
): Promise<boolean> {
  if (host !== "plugin" || refusals.length === 0) return false;
  for (const refusal of refusals) {
    if (refusal.kind !== "occupied" || refusal.other || run.hasOwner(refusal.occupant.id)) return false;
    // Its own endpoint has gone elsewhere, perhaps to this very branch: only a refresh tells.
    if (refusal.leftBranchId !== undefined) return false;
    const snapshot = await account.project(refusal.occupant.projectId).cache.snapshot({ signal });
    if (snapshot.all().some(({ name }) => name !== undefined)) return false;
  }
  return true;
}

async function checkAgainst(
  context: LifecycleContext,
  request: LiveRequest,
  sinceMs: number | undefined,
): Promise<LiveResult> {
  const { projectId, branchId } = request.inputs;
  if (!isKnown(projectId)) return { failures: [] };
  const hasOne = request.olds.projectId === projectId;
  const { snapshot, failure } = await readProject(context, { projectId, sinceMs, hasOne });
  if (!snapshot) return { failures: [failure] };
  const missing = await checkPlace(context, { ...request, isBad: (property) => request.bad.has(property) }, snapshot);
  if (missing.length > 0) return { failures: missing };
  if (request.isNew && isKnown(branchId) && !request.bad.has("branchId")) {
    // Diff looks for this too, but a replacement by force has none.
    const record = endpointsMadeFor(context.urn, snapshot).find((one) => one.branchId !== branchId);
    const undone = await undoneRestores(context, [{ record, wanted: branchId, isPutBack: true }]);
    if (undone.length > 0) return { failures: undone.map((reason) => ({ property: "branchId", reason })) };
  }
  const world = worldOf(context, new Map([[projectId, snapshot]]));
  const { hadOne, isReplaced } = context.run.record(context.urn);
  const { adoptExisting } = request.inputs;
  const plan = planEndpoint(world, {
    owner: context.urn,
    from: placeOf(request.olds),
    to: ["branchId", "projectId", "type"].some((name) => request.bad.has(name)) ? undefined : placeOf(request.inputs),
    // Only a new resource may take over what is there.
    adopts: request.isNew && !hadOne && (adoptExisting === true || adoptExisting === UNKNOWN),
  });
  const { refusal } = plan;
  if (refusal) {
    // The second Check of a replacement: its old endpoint may go before its step, so that nothing is left open.
    const isDecided = isReplaced || request.bad.size > 0;
    const failures = [{ property: "branchId", reason: refusalMessage(refusal, context) }];
    return { failures, plan, isOpen: !isDecided && (await mayBeUnmet(context, [refusal])) };
  }
  if (request.isNew) warnOfOrphans(context, world, plan);
  return { failures: plan.occupant ? reportTakeover(context, request, plan.occupant) : [], plan };
}

/** A project's endpoints, or why they cannot be read. `hasOne`: the state has something in it. Throws what the API throws where the platform cannot be asked. */
export async function readProject(
  context: LifecycleContext,
  { projectId, sinceMs, hasOne }: { projectId: string; sinceMs?: number | undefined; hasOne: boolean },
): Promise<{ snapshot: EndpointSnapshot; failure?: undefined } | { snapshot?: undefined; failure: Failure }> {
  const { account, signal } = context;
  const list = () => account.project(projectId).cache.snapshot({ sinceMs, signal, onWait: context.reporter.status });
  try {
    return { snapshot: await withAddressChecked(account.api, list, signal) };
  } catch (error) {
    if (!isKind(error, "not_found", "forbidden")) throw error;
    // No property is to blame for a key, or for the address.
    if (error.kind === "forbidden" || error.remedy) return { failure: { property: "", reason: messageFor(error) } };
    const reason = `project ${projectId} does not exist, or this API key may not see it (${answerOf(error)})`;
    const property = "projectId";
    if (hasOne) return { failure: { property, reason: `${reason}. ${lostProjectAdvice({ projectId })}` } };
    return { failure: { property, reason, advice: { kind: "find_project" } } };
  }
}

/** What an endpoint needs and the project does not have: its branch, and libraries to load. */
export async function checkPlace(
  context: LifecycleContext,
  { inputs, olds, isBad }: { inputs: CheckedInputs; olds: Values; isBad(property: string): boolean },
  snapshot: EndpointSnapshot,
): Promise<Failure[]> {
  const { projectId, branchId } = inputs;
  const isPlaced = isKnown(projectId) && isKnown(branchId) && !isBad("branchId");
  const missing = isPlaced && (await missingBranch(context, { projectId, branchId }, snapshot));
  const libraries = isBad("preloadLibraries") ? [] : await missingLibraries(context, inputs, olds);
  return [...(missing ? [missing] : []), ...libraries];
}

async function missingBranch(
  { account, signal }: LifecycleContext,
  { projectId, branchId }: BranchPlace,
  snapshot: EndpointSnapshot,
): Promise<Failure | undefined> {
  const { cache } = account.project(projectId);
  if (snapshot.onBranch(branchId).length > 0 || (await cache.hasBranch(branchId, { signal }))) return undefined;
  const successor = (await cache.successors(branchId, { signal })).at(-1);
  if (successor) {
    const what = `was replaced by ${formatBranch(successor)}, when a snapshot was restored`;
    return { property: "branchId", reason: `branch ${plain(branchId)} ${what}; ${keepAdvice(successor)}` };
  }
  const reason = `branch ${branchId} does not exist in project ${projectId}`;
  return { property: "branchId", reason, advice: { kind: "find_branch", projectId } };
}

/** Libraries that the project does not have. What was there before is not asked for: an import may have found what is in no list. */
async function missingLibraries(
  { account, signal }: LifecycleContext,
  { projectId, preloadLibraries: names }: CheckedInputs,
  { preloadLibraries: before = [] }: Values,
): Promise<Failure[]> {
  if (!isKnown(projectId) || !isKnown(names) || names.length === 0) return [];
  const known = await account.project(projectId).cache.preloadLibraries({ signal });
  return names
    .filter((name) => known && !known.includes(name) && !(Array.isArray(before) && before.includes(name)))
    .map((name) => {
      const near = nearestName(name, known ?? []);
      const hint = near ? `did you mean "${near}"?` : `there are ${(known ?? []).join(", ") || "none"}`;
      return {
        property: "preloadLibraries",
        reason: `project ${projectId} has no library ${quoted(name)} to load: ${hint}`,
      };
    });
}

function answerOf(error: PgComputeError): string {
  if (!(error instanceof HttpError)) return error.summary;
  return [error.status, error.requestId && `request ${error.requestId}`].filter(Boolean).join(", ");
}

/** A takeover changes an endpoint that runs already: what that does to it, before and after. Gives what stands against it. */
function reportTakeover(context: LifecycleContext, { inputs, secret }: LiveRequest, record: EndpointRecord): Failure[] {
  const found = diffTakeover({ record, inputs, secret, profile: context.account.settings.profile });
  const never = neverIdle(found, record, context.account.settings.profile);
  if (never) return [{ property: "restartWhen", reason: neverIdleMessage(idOf(record), never) }];
  reportDiff(context.reporter, { ...found, messages: [`takes over endpoint ${idOf(record)}`, ...found.messages] });
  return [];
}

/** Warns of endpoints that earlier runs left, with the command that removes them. */
function warnOfOrphans({ run, urn, reporter }: LifecycleContext, world: World, { to, occupant }: EndpointPlan): void {
  if (!to) return;
  for (const orphan of takeUpAt(world, to).left) reporter.warn(orphanMessage(orphan, true));
  const own = world.find(to.projectId, run.record(urn).endpointId ?? "") ?? [];
  for (const orphan of orphansAmong(world, urn, endpointsMadeFor(urn, ...world.lists.values()).concat(own))) {
    const isElsewhere = orphan.branchId !== to.branchId && orphan.type === to.type && orphan.id !== occupant?.id;
    if (isElsewhere) reporter.warn(orphanMessage(orphan));
  }
}

/** An endpoint, and what a plan does to it. */
export interface RestorePlan {
  record: EndpointRecord | undefined;
  /** The branch that the program names, in the project of the endpoint. */
  wanted: Maybe<string>;
  /** True where the plan puts it, or another in its place, on that branch. */
  isPutBack: boolean;
  key?: string | undefined;
}

/** The same of an endpoint that stands on a restored branch. */
type Restored = Pick<RestorePlan, "key"> & { record: EndpointRecord; wanted: string };

/** True for a change that puts an endpoint, or another in its place, on the branch that the program names. */
export function isPutBack(change: Change, diff: Pick<DiffResult, "properties"> | undefined): boolean {
  return change === "replace" || diff?.properties.branchId !== undefined;
}

/** Refuses to move endpoints back to a branch in whose place a snapshot was restored: that would bring back old data. */
export async function refuseUndone(context: LifecycleContext, plans: readonly RestorePlan[]): Promise<void> {
  const refusals = await undoneRestores(context, plans);
  if (refusals.length > 0) throw new PgComputeError("refused", refusals.join("\n"));
}

/**
 * Why plans cannot be: they would put endpoints back from a branch that was restored in place of the program's, and `undoRestore` does not name
 * it. Warns of a plan that leaves an endpoint there.
 */
async function undoneRestores(
  { account, signal, reporter }: LifecycleContext,
  plans: readonly RestorePlan[],
): Promise<string[]> {
  const refused = new Map<BranchRecord, Restored[]>();
  for (const { record, wanted, isPutBack, key } of plans) {
    if (!record || !isKnown(wanted) || record.branchId === wanted) continue;
    const successors = await account.project(record.projectId).cache.successors(wanted, { signal });
    const branch = successors.find(({ id }) => id === record.branchId);
    if (!branch) continue;
    const restored = { record, wanted, key };
    if (account.settings.undoRestore === branch.id) {
      if (isPutBack) reporter.warn(`${key === undefined ? "" : `${key}: `}${undoesRestoreMessage(branch.id)}`);
    } else if (isPutBack) refused.set(branch, [...(refused.get(branch) ?? []), restored]);
    else reporter.warn(restoredMessage(branch, [restored]));
  }
  return [...refused].map(([branch, all]) => restoredMessage(branch, all));
}

function restoredMessage(branch: BranchRecord, all: readonly Restored[]): string {
  const keys = all.flatMap(({ key }) => key ?? []);
  const isOne = all.length === 1;
  const ids = listedFew(all.map(({ record }) => idOf(record)));
  const who = `${keys.length > 0 ? `${listedFew(keys)}: ` : ""}${isOne ? "endpoint" : "endpoints"} ${ids}`;
  return (
    `${who} ${isOne ? "stands" : "stand"} on ${formatBranch(branch)}, which replaced ${plain(all[0]?.wanted ?? "")} when a snapshot was ` +
    `restored. ${keepAdvice(branch)}; to go back to the data of before the restore, run: PGCOMPUTE_UNDO_RESTORE=${branch.id} pulumi up`
  );
}

function keepAdvice({ id }: BranchRecord): string {
  return `To keep the restored data write branchId: ${quoted(id)}, or use getBranch by the branch's name`;
}

function formatBranch({ id, name }: BranchRecord): string {
  return name === undefined || name === id ? id : `${id} (now named ${quoted(name)})`;
}
