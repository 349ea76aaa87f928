/** Plans a fleet from its state and its program, refuses invalid plans, and reports the effect on each member. */
import { requestOptions } from "../../endpoint/context";
import type { DiffResult } from "../../endpoint/diff";
import { setIn } from "../../endpoint/differences";
import { impactOf } from "../../endpoint/impact/impact";
import { impactMessages } from "../../endpoint/impact/sentences";
import { BOOKKEEPING, type EndpointState } from "../../endpoint/state";
import { memberPath } from "../../fleet/model";
import type { RolloutInputs } from "../../fleet/parse-fleet";
import { endpointInputs, ignoredOf, type ParsedFleet } from "../../fleet/parse-fleet";
import { type FleetPlan, hasChanges, keysOf, type MemberPlan } from "../../fleet/plan";
import { type PreparedPlan, type PrepareRequest, prepare } from "../../fleet/prepare";
import { planRollout } from "../../fleet/rollout";
import { type StoredMembers, shownOf } from "../../fleet/state";
import { type Failure, formatFailures } from "../../lib/failure";
import { UNKNOWN, type Values } from "../../lib/unknown";
import { listedFew, plain } from "../../lib/wording";
import type { Refusal } from "../../places/refusal";
import { endpointsMadeFor } from "../../places/take-over";
import { PgComputeError } from "../../platform/errors";
import { ages } from "../../platform/policy";
import { fleetContext, type LifecycleContext, logPlatform, noteMembers, type PulumiFleetContext } from "../call";
import { isPutBack, type RestorePlan, undoneRestores } from "../endpoint/check-live";
import { ignoredSizeMessage } from "../endpoint/held-size";
import { cutsOff, previewOutputs } from "../endpoint/preview";
import { type Departure, noteExpiry, refusedDepartures } from "../endpoint/protection";
import {
  anotherKeyMessage,
  groupLines,
  movedMessages,
  nameOrphans,
  planMessage,
  refusalFailures,
  rolloutMessage,
  sameOnce,
  takeoverMessages,
} from "../messages/fleet";
import { advised } from "../messages/remedies";
import { secretNames } from "../secrets";
import type { Wanted } from "../wanted";

/** The most refusals in one error. */
const MOST_REASONS = 10;

/** The most groups of members in a preview's summary. Of further groups it gives the number. */
const MOST_GROUPS = 30;

const UNKNOWN_IMPORT =
  "importId is not known yet: the endpoint that it names is taken over, and whatever differs from the program changes in place";

const ONLY_OPTIONS = "only its options change; the endpoint stays as it is";

const OLD_STAYS = "the old endpoint is not deleted: it stays on the platform, outside the fleet";

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

/** The endpoints of a plan that a restore may have moved: each with the branch that the program names. */
async function restoresIn(context: PulumiFleetContext, { members }: FleetPlan): Promise<RestorePlan[]> {
  const planned = [...members.values()].map(
    async ({ key, change, member, stored, found, diff }): Promise<RestorePlan[]> => {
      const { projectId: wantedProject, branchId: wanted } = member?.parsed ?? {};
      const { projectId = wantedProject, endpointId = found?.record.id } = stored?.state ?? found?.record ?? {};
      if (typeof projectId !== "string" || wantedProject !== projectId) return [];

      const { cache } = context.account.project(projectId);
      const snapshot = await cache.snapshot({ signal: context.signal, onWait: context.reporter.status });
      if (endpointId !== undefined) {
        return [{ key, record: snapshot.find(String(endpointId)), wanted, isPutBack: isPutBack(change, diff) }];
      }
      // Without a state, as of one that is replaced by force, its name tells which one it was.
      const record = endpointsMadeFor(context.ownerOf(key), snapshot).find((one) => one.branchId !== wanted);
      return [{ key, record, wanted, isPutBack: true }];
    },
  );
  return (await Promise.all(planned)).flat();
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
    return [{ ...(key !== "" && { key }), projectId, endpointId: id, ...there, how }];
  });
}

/** The places that endpoints of members come to. */
function arrivalsIn({ replaces }: PulumiFleetContext, { members }: FleetPlan) {
  return [...members.values()].flatMap((one) => {
    const { key, change, isMove, to } = one;
    const comes = isMove || change === "create" || change === "replace";
    return to && comes && !comesLater(one, replaces) ? [{ ...to, key }] : [];
  });
}

/** True for the Diff of one that the engine replaces: a second Check plans the new one. */
function comesLater({ stored, change }: MemberPlan, replaces: PulumiFleetContext["replaces"]): boolean {
  return replaces === "engine" && stored !== undefined && change === "replace";
}

/** Plans a set in a preview and reports the plan or its refusal. */
export async function planAndReport(
  context: PulumiFleetContext,
  set: WantedSet,
  stored: StoredMembers,
): Promise<{ plan: PreparedPlan; failures: Failure[] }> {
  const beganMs = context.account.clock.now();
  const first = await planOf(context, set, { stored });
  // A place may be free by now, so only a fresh list can refuse.
  const plan = first.refusals.length > 0 ? await planOf(context, set, { stored, sinceMs: beganMs }) : first;
  noteMembers(context, plan);

  const failures = await failuresIn(context, plan);
  if (failures.length > 0) return { plan, failures };
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
  const plan = isSettled ? first : await planOf(context, set, { stored, sinceMs });

  // What it warns of, Check or Diff has said.
  const silent = { ...context, reporter: { ...context.reporter, warn: () => {} } };
  refuse(context, await failuresIn(silent, plan));
  return withoutLost(context, plan);
}

/** The plan without takeovers of what is not there any more, asked for by id: a list may be old. */
async function withoutLost(context: PulumiFleetContext, plan: PreparedPlan): Promise<PreparedPlan> {
  const members = [...plan.members.values()].map(async (one): Promise<[string, MemberPlan]> => {
    const { key, change, found, to } = one;
    if (change !== "adopt" || !found || found.as === "imported") return [key, one];
    const { cache } = context.account.project(found.record.projectId);
    const record = await cache.readById(found.record.id, requestOptions(context));
    const isThere = record !== undefined && record.branchId === to?.branchId;
    if (isThere && context.ground().otherOwnerOf(record.id) === undefined) return [key, one];
    return [key, { ...one, change: "create", found: undefined, diff: undefined }];
  });
  return { ...plan, members: new Map(await Promise.all(members)) };
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
  const others = failures.length - MOST_REASONS;
  const isOfAll = ({ property }: Failure) => property === "" || replaces === "engine";
  const reasons = failures
    .slice(0, MOST_REASONS)
    .map((failure) => (isOfAll(failure) ? failure.reason : formatFailures([failure])))
    .join("\n");

  throw new PgComputeError(
    "refused",
    others > 0 ? `${reasons}\nand ${others} more, on the members' own rows` : reasons,
  );
}

/** The outputs of a create's or update's preview. They are unknown while the set of members is. */
export async function previewFleet(
  call: LifecycleContext,
  { state = new Map(), ...request }: WantedFleet & { state?: StoredMembers },
): Promise<Values> {
  const context = fleetContext(call);
  const set = wantedMembers(request);
  if (!set) return { endpoints: UNKNOWN, [BOOKKEEPING]: UNKNOWN };
  const plan = await planOf(context, set, { stored: state });

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

type Said = Pick<DiffResult, "impact" | "repair" | "messages">;

/** A message about a member, and the severity of its disruption. */
interface Line {
  key: string;
  text: string;
  disruption: number;
}

/** Logs the plan on the fleet's row, worst first, equal effects once. Effects that cut connections are warnings. */
export function reportPlan(context: PulumiFleetContext, plan: PreparedPlan): void {
  const { reporter, ownerOf } = context;
  nameOrphans(context, plan);
  if (plan.gone.length > 0)
    reporter.warn(`${listedFew(plan.gone)}: the endpoint is gone, so a new one is created or taken up`);
  for (const moved of movedMessages(plan)) reporter.warn(moved);
  for (const line of groupLines([...plan.members.values()].flatMap(heldSizeLine))) reporter.warn(line);
  const anotherKey = anotherKeyMessage(plan);
  if (anotherKey !== undefined) reporter.warn(anotherKey);

  const message = planMessage(plan);
  if (message === undefined) return;
  logPlatform(context);
  reporter.info(message);
  const waves = rolloutMessage(plan);
  if (waves !== undefined) reporter.info(waves);
  for (const text of activeLimitMessages(context, plan)) reporter.warn(text);
  for (const takeover of takeoverMessages(plan, ownerOf)) reporter.warn(takeover);

  const lines = [...plan.members.values()].flatMap((member) => impactLine(context, member));
  lines.sort((a, b) => b.disruption - a.disruption);
  reportGroups(groupLines(lines.filter(({ disruption }) => disruption > 0)), reporter.warn);
  reportGroups(groupLines(lines.filter(({ disruption }) => disruption === 0)), reporter.info);
}

/** The line for a member whose kept part of a size contradicts the rest. */
function heldSizeLine({ key, member, stored }: MemberPlan): { key: string; text: string }[] {
  if (!member || !stored) return [];
  const { parsed, ignored, secret } = member;
  const text = ignoredSizeMessage(parsed, { state: stored.state, ignored, secret });
  return text === undefined ? [] : [{ key, text }];
}

/** Warns of a plan that starts more computes than a project can have active. */
function activeLimitMessages({ account }: PulumiFleetContext, { members }: PreparedPlan): string[] {
  const { activeComputes, platform } = account.settings.profile;
  if (activeComputes === undefined) return [];
  const starts = [...members.values()].flatMap(({ change, member, diff }) => {
    const isStarted = change === "create" || change === "replace" || diff?.impact?.restarts === true;
    const { projectId, disabled } = member?.parsed ?? {};
    return isStarted && typeof projectId === "string" && disabled !== true ? [projectId] : [];
  });

  return [...new Set(starts)].flatMap((projectId) => {
    const count = starts.filter((one) => one === projectId).length;
    if (count <= activeComputes) return [];
    return [
      `starts ${count} computes of project ${plain(projectId)}, of which ${platform} has at most ${activeComputes} active at a time, besides that ` +
        "of the default branch: others may fail to start, or start at their first connection",
    ];
  });
}

function reportGroups(groups: readonly string[], report: (text: string) => void): void {
  for (const text of groups.slice(0, MOST_GROUPS)) report(text);
  if (groups.length > MOST_GROUPS) report(`${groups.length - MOST_GROUPS} other changes are not listed here`);
}

/** A member's line about its impact, as for a single endpoint: the worst first. */
function impactLine(context: PulumiFleetContext, member: MemberPlan): Line[] {
  const { key, change, diff, stays } = member;
  if (change === "same") return [];

  const said: Said = member.member ? (diff ?? { messages: [] }) : departure(context, member);
  const isUnknown = change === "create" && member.member?.options.importId === UNKNOWN;

  const texts = [
    ...said.messages,
    ...(isUnknown ? [UNKNOWN_IMPORT] : []),
    ...(change === "update" && diff?.changes === false ? [ONLY_OPTIONS] : []),
    ...(change === "replace" && stays ? [OLD_STAYS] : []),
  ];
  return texts.length === 0 ? [] : [{ key, text: texts.join("; "), disruption: disruptionOf(said) }];
}

/** The severity of a change: 0 without an interruption, more for longer ones. */
function disruptionOf(said: Said): number {
  const { impact } = said;
  if (!cutsOff(said)) return 0;
  const worst = [impact?.kind === "delete", impact?.hostChanges, impact?.downtime, impact?.restarts];
  return worst.length + 1 - [...worst, true].indexOf(true);
}

/** The impact of a delete or a release. Empty if another resource has the endpoint. */
function departure({ ground, account }: PulumiFleetContext, { change, stored }: MemberPlan): Said {
  const { state = {} } = stored ?? {};
  if (change !== "delete" && (change !== "release" || ground().otherOwnerOf(String(state.endpointId)) !== undefined))
    return { messages: [] };
  const impact = impactOf({ kind: change, state, profile: account.settings.profile });
  return { impact, messages: impactMessages(impact) };
}
