/** Plans a set of endpoints, a fleet's members or a single one, from its state and its program, and refuses invalid plans. */
import { requestOptions } from "../../endpoint/context";
import { setIn } from "../../endpoint/differences";
import { idOf } from "../../endpoint/identity";
import { BOOKKEEPING, type EndpointState } from "../../endpoint/state";
import { memberPath } from "../../fleet/model";
import type { RolloutInputs } from "../../fleet/parse-fleet";
import { endpointInputs, ignoredOf, type ParsedFleet } from "../../fleet/parse-fleet";
import { type FleetPlan, hasChanges, keysOf, type MemberPlan } from "../../fleet/plan";
import { compareSet, type PreparedPlan, type PrepareRequest, prepare } from "../../fleet/prepare";
import { planRollout } from "../../fleet/rollout";
import { type StoredMembers, shownOf } from "../../fleet/state";
import { type Failure, formatFailures } from "../../lib/failure";
import { UNKNOWN, type Values } from "../../lib/unknown";
import type { ImportProblem, Refusal, Refused } from "../../places/refusal";
import { endpointsMadeFor } from "../../places/take-over";
import { PgComputeError } from "../../platform/errors";
import { ages } from "../../platform/policy";
import { fleetContext, type LifecycleContext, noteMembers, type PulumiFleetContext } from "../call";
import { isPutBack, type RestorePlan, undoneRestores } from "../endpoint/check-live";
import { previewOutputs } from "../endpoint/preview";
import { type Departure, noteExpiry, refusedDepartures } from "../endpoint/protection";
import { refusalFailures, sameOnce } from "../messages/fleet";
import { advised } from "../messages/remedies";
import { secretNames } from "../secrets";
import type { Wanted } from "../wanted";

/** The most refusals in one error. */
const MOST_REASONS = 10;

/** The most characters of refusals in one error: a host cuts it at 4,000, in the middle of a command. */
const MOST_TEXT = 3_500;

/** The program's current inputs of a fleet. */
export type WantedFleet = Wanted<ParsedFleet>;

/** The endpoints that a program wants of a resource, a fleet's or a single one. */
export interface WantedSet
  extends Pick<PrepareRequest, "wanted" | "maxDeletions" | "oldInputs" | "replaced" | "replaceOnChanges"> {
  rollout?: RolloutInputs | undefined;
}

type PlanOptions = Pick<PrepareRequest, "stored" | "sinceMs">;

/** A fleet's members; undefined while the set of members is unknown. */
export function wantedMembers({
  inputs,
  oldInputs,
  secrets = [],
  ignoreChanges = [],
}: WantedFleet): WantedSet | undefined {
  const { members, maxDeletions, rollout, defaults } = inputs;
  if (!members) return undefined;

  const wanted = [...members].map(([key, member]) => {
    const ignored = ignoredOf(member, { ignoreChanges, defaults, oldInputs });
    return [key, Object.assign(member, { ignored, secret: secretNames(secrets, key) })] as const;
  });
  return { wanted: new Map(wanted), maxDeletions, rollout, oldInputs: (key) => endpointInputs(oldInputs, key) };
}

/** Plans a set's changes from the newest cached list. */
export async function planOf(
  context: PulumiFleetContext,
  { rollout, ...set }: WantedSet,
  { stored, sinceMs }: PlanOptions,
): Promise<PreparedPlan> {
  return advised(context, async () => {
    const plan = await prepare(context, { ...set, stored, sinceMs, replaces: context.replaces });
    const waves = planRollout(rollout, plan);
    return { ...plan, refusals: [...plan.refusals, ...waves.refusals], rollout: waves.rollout };
  });
}

/** Compares a set with the program, without a request: for the Diff of a refresh, or one before any Check. */
export function compareOnly(context: PulumiFleetContext, set: WantedSet, stored: StoredMembers): FleetPlan {
  return compareSet(context, { ...set, stored, replaces: context.replaces });
}

/** The endpoints of a plan that a restore may have moved: each with the branch that the program names. */
async function restoresIn(context: PulumiFleetContext, { members }: FleetPlan): Promise<RestorePlan[]> {
  const planned = [...members.values()].map(
    async ({ key, change, member, stored, found, diff }): Promise<RestorePlan[]> => {
      const { projectId: wantedProject, branchId: wanted } = member?.parsed ?? {};
      const { projectId = wantedProject, endpointId = found?.record.id } = stored?.state ?? found?.record ?? {};
      if (typeof projectId !== "string" || wantedProject !== projectId) return [];

      const named = nameOf(key);
      const { cache } = context.account.project(projectId);
      const snapshot = await cache.snapshot({ signal: context.signal, onWait: context.reporter.status });
      if (endpointId !== undefined) {
        return [{ ...named, record: snapshot.find(String(endpointId)), wanted, isPutBack: isPutBack(change, diff) }];
      }
      // Without a state, as of one that is replaced by force, its name tells which one it was.
      const record = endpointsMadeFor(context.ownerOf(key), snapshot).find((one) => one.branchId !== wanted);
      return [{ ...named, record, wanted, isPutBack: true }];
    },
  );
  return (await Promise.all(planned)).flat();
}

/** The key by which messages name a member; none for a single endpoint. */
function nameOf(key: string): { key?: string } {
  return key === "" ? {} : { key };
}

/** The members whose endpoints leave their branches: deleted, replaced or moved. */
export function departuresIn({ account, run, ownerOf }: PulumiFleetContext, { members }: FleetPlan): Departure[] {
  return [...members.values()].flatMap(({ key, change, isMove, stored, stays }): Departure[] => {
    const how = isMove ? "moved" : change === "delete" ? "deleted" : change === "replace" ? "replaced" : undefined;
    if (!how || (stays !== undefined && !isMove)) return [];

    // Of one that is replaced by force the run knows what its Check was shown.
    const { endpointId: metId, from } = run.record(ownerOf(key));
    const { projectId, branchId, type, endpointId } = stored?.state ?? { ...from, endpointId: metId };
    if (typeof projectId !== "string") return [];
    const id = typeof endpointId === "string" ? endpointId : undefined;
    const shown = id === undefined ? undefined : account.project(projectId).cache.lastSeen(id);
    const there = { branchId: String(shown?.branchId ?? branchId), type: shown?.type ?? type };
    return [{ ...nameOf(key), projectId, endpointId: id, ...there, how }];
  });
}

/** The places that endpoints of members come to. */
function arrivalsIn({ replaces }: PulumiFleetContext, { members }: FleetPlan) {
  return [...members.values()].flatMap((one) => {
    const { key, change, isMove, to } = one;
    const comes = isMove || change === "create" || change === "replace";
    return to && comes && !comesLater(one, replaces) ? [{ ...to, ...nameOf(key) }] : [];
  });
}

/** True for the Diff of one that the engine replaces: a second Check plans the new one. */
function comesLater({ stored, change }: MemberPlan, replaces: PulumiFleetContext["replaces"]): boolean {
  return replaces === "engine" && stored !== undefined && change === "replace";
}

/**
 * Plans a set before its turn, in Check or Diff, and records the plan in the run. `isSound`: false if the program has
 * other mistakes, so that no step follows.
 */
export async function planAhead(
  context: PulumiFleetContext,
  set: WantedSet,
  stored: StoredMembers,
  isSound = true,
): Promise<{ plan: PreparedPlan; failures: Failure[] }> {
  const beganMs = context.account.clock.now();
  const first = await planOf(context, set, { stored });
  // A place may be free by now, so only a fresh list can refuse.
  const plan = first.refusals.length > 0 ? await planOf(context, set, { stored, sinceMs: beganMs }) : first;
  noteMembers(context, plan);

  const failures = await failuresIn(context, plan);
  if (!isSound || failures.length > 0) return { plan, failures };
  noteSteps(context, plan);
  await noteExpiry(context, arrivalsIn(context, plan));
  return { plan, failures };
}

/** What is against a plan. */
async function failuresIn(context: PulumiFleetContext, plan: FleetPlan): Promise<Failure[]> {
  const undone = await undoneRestores(context, await restoresIn(context, plan));
  const property = context.replaces === "engine" ? "branchId" : "";
  if (undone.length > 0) return undone.map((reason) => ({ property, reason }));

  const kept = await refusedDepartures(context, departuresIn(context, plan));
  if (kept.length > 0) return kept.map((reason) => ({ property: "", reason }));
  return refusedFailures(context, plan);
}

/** Records the steps of a plan without a refusal, for replicas of other resources. */
function noteSteps({ run, urn, ownerOf, account, replaces }: PulumiFleetContext, plan: FleetPlan): void {
  const { movesToEmpty } = account.settings.profile;
  for (const one of plan.members.values()) {
    const { key, member, to, isMove } = one;
    if (member && !comesLater(one, replaces)) run.arrivals.declare(ownerOf(key), to, isMove && movesToEmpty);
  }
  if (hasChanges(plan)) run.arrivals.plan(urn);
}

/**
 * The plan to apply. Plans anew with a fresh list if the first plan is refused or adopts, and for a repeat. Throws
 * `refused`.
 */
export async function planToApply(
  context: PulumiFleetContext,
  set: WantedSet,
  stored: StoredMembers,
): Promise<PreparedPlan> {
  const { account, run, urn } = context;
  const first = await planOf(context, set, { stored });
  // A repeat also looks for what a lost create has made.
  const isUncertain = first.refusals.length > 0 || run.record(urn).isRepeated;
  const sinceMs = account.clock.now() - (isUncertain ? 0 : ages.freshMs);
  // An adopted endpoint that does not change gets no request that would show its absence.
  const isSettled = !isUncertain && ![...first.members.values()].some(({ found }) => found);
  const plan = isSettled ? first : await withoutLost(context, await planOf(context, set, { stored, sinceMs }));

  // What it warns of, Check or Diff has said.
  const silent = { ...context, reporter: { ...context.reporter, warn: () => {} } };
  refuse(context, await failuresIn(silent, plan));
  return plan;
}

/**
 * The plan without takeovers of what is not there any more, asked for by id: a list may be old. What `importId` names
 * has to be there.
 */
async function withoutLost(context: PulumiFleetContext, plan: PreparedPlan): Promise<PreparedPlan> {
  const refusals: Refused[] = [];
  const members = [...plan.members.values()].map(async (one): Promise<[string, MemberPlan]> => {
    const { key, change, found, to } = one;
    if (change !== "adopt" || !found) return [key, one];

    const { cache } = context.account.project(found.record.projectId);
    const record = await cache.readById(found.record.id, requestOptions(context));
    const isThere = record !== undefined && record.branchId === to?.branchId;
    const isFree = context.ground().otherOwnerOf(found.record.id) === undefined;
    if (isThere && (isFree || found.as === "imported")) return [key, one];
    if (found.as !== "imported") return [key, { ...one, change: "create", found: undefined, diff: undefined }];

    const reason: ImportProblem = record
      ? { kind: "elsewhere", place: record }
      : { kind: "unknown", importId: idOf(found.record) };
    refusals.push({ about: [context.ownerOf(key)], refusal: { kind: "import", reason } });
    return [key, one];
  });
  return { ...plan, members: new Map(await Promise.all(members)), refusals: [...plan.refusals, ...refusals] };
}

/** What a new list shows to be against a change that the platform has refused. Undefined if it cannot be read. */
export async function objectionNow(
  context: PulumiFleetContext,
  set: WantedSet,
  stored: StoredMembers,
): Promise<Refusal | undefined> {
  try {
    const plan = await planOf(context, set, { stored, sinceMs: context.account.clock.now() });
    return plan.refusals[0]?.refusal;
  } catch (error) {
    if (error instanceof PgComputeError) return undefined;
    throw error;
  }
}

/** The failures of a refused plan, each also logged on its member's row. */
export function refusedFailures(context: PulumiFleetContext, { refusals }: FleetPlan): Failure[] {
  // The engine shows a single one's failures on its row.
  if (context.replaces === "engine")
    return refusals.flatMap((refused) => refusalFailures(refused, context)).slice(0, 1);

  const about = refusals.flatMap((refused) =>
    refusalFailures(refused, context).map((failure, at) => {
      const key = keysOf(refused)[at] ?? "";
      return { key, about: failure.property.slice(memberPath(key).length), text: failure.reason, own: [key], failure };
    }),
  );
  return sameOnce(about).map(({ key, text, failure }) => {
    // The engine shows the fleet's own failures on the fleet's row.
    if (failure.property.startsWith(memberPath(key))) context.reportError(context.ownerOf(key), text);
    return { ...failure, reason: text };
  });
}

/** Throws `refused` with the plan's failures, if there are any. */
export function refuse({ replaces }: PulumiFleetContext, failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  const isOfAll = ({ property }: Failure) => property === "" || replaces === "engine";
  const all = failures.map((failure) => (isOfAll(failure) ? failure.reason : formatFailures([failure])));
  let text = 0;
  const shown = all.filter((reason, at) => {
    text += reason.length;
    return at === 0 || (at < MOST_REASONS && text <= MOST_TEXT);
  });

  const others = all.length - shown.length;
  if (others > 0) shown.push(`and ${others} more, on the members' own rows`);
  throw new PgComputeError("refused", shown.join("\n"));
}

/** The outputs of a create's or update's preview. They are unknown while the set of members is. */
export async function previewFleet(
  call: LifecycleContext,
  { members = new Map(), ...request }: WantedFleet & { members?: StoredMembers },
): Promise<Values> {
  const context = fleetContext(call);
  const set = wantedMembers(request);
  if (!set) return { endpoints: UNKNOWN, [BOOKKEEPING]: UNKNOWN };
  const plan = await planOf(context, set, { stored: members });

  const shown = await Promise.all(
    [...plan.members.values()].map(async (member) =>
      member.member ? [[member.key, await previewMember(context, member, request.oldInputs)]] : [],
    ),
  );
  return { endpoints: Object.fromEntries(shown.flat()), [BOOKKEEPING]: UNKNOWN };
}

async function previewMember(
  context: PulumiFleetContext,
  { key, change, member, stored }: MemberPlan,
  oldInputs: Values | undefined,
): Promise<EndpointState | typeof UNKNOWN> {
  if (!member || member.isUnknown) return UNKNOWN;
  const outputs = await previewOutputs(context.member(key), {
    ...(change === "same" || change === "update" ? { state: stored?.state } : {}),
    ...{ inputs: member.parsed, oldInputs: endpointInputs(oldInputs, key), ignored: member.ignored },
  });
  return shownOf(outputs, setIn(member.parsed));
}
