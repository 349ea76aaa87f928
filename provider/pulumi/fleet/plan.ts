/** Plans a fleet from its state and its program, refuses invalid plans, and reports the effect on each member. */
import type { DiffResult } from "../../endpoint/diff";
import { setIn } from "../../endpoint/differences";
import { impactOf } from "../../endpoint/impact/impact";
import { impactMessages } from "../../endpoint/impact/sentences";
import { BOOKKEEPING, type EndpointState } from "../../endpoint/state";
import { memberPath } from "../../fleet/model";
import { endpointInputs, ignoredOf, type ParsedFleet } from "../../fleet/parse-fleet";
import { type FleetPlan, hasChanges, keysOf, type MemberPlan } from "../../fleet/plan";
import { type PreparedPlan, type PrepareRequest, prepare } from "../../fleet/prepare";
import { planRollout } from "../../fleet/rollout";
import { type StoredMembers, shownOf } from "../../fleet/state";
import { type Failure, formatFailures } from "../../lib/failure";
import { isKnown, UNKNOWN, type Values } from "../../lib/unknown";
import { listedFew, plain } from "../../lib/wording";
import { PgComputeError } from "../../platform/errors";
import { ages } from "../../platform/policy";
import { fleetContext, type LifecycleContext, logPlatform, noteMembers, type PulumiFleetContext } from "../call";
import { isPutBack, type RestorePlan, refuseUndone } from "../endpoint/check-live";
import { ignoredSizeMessage } from "../endpoint/held-size";
import { cutsOff, previewOutputs } from "../endpoint/preview";
import { type Departure, noteExpiry, refuseDepartures } from "../endpoint/protection";
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

type PlanOptions = Pick<PrepareRequest, "stored" | "sinceMs">;

/** Plans a fleet's changes from the newest cached list. Undefined while the set of members is unknown. */
export async function planOf(
  context: PulumiFleetContext,
  { inputs, oldInputs, secrets = [], ignoreChanges = [] }: WantedFleet,
  { stored, sinceMs }: PlanOptions,
): Promise<PreparedPlan | undefined> {
  const { members, maxDeletions, rollout, defaults } = inputs;
  if (!members) return undefined;

  const wanted = [...members].map(([key, member]) => {
    const ignored = ignoredOf(member, { ignoreChanges, defaults, oldInputs });
    return [key, Object.assign(member, { ignored, secret: secretNames(secrets, key) })] as const;
  });

  const request: PrepareRequest = {
    ...{ stored, wanted: new Map(wanted), maxDeletions, sinceMs },
    oldInputs: (key) => endpointInputs(oldInputs, key),
  };

  return advised(context, async () => {
    const plan = await prepare(context, request);
    const waves = planRollout(rollout, plan);
    return { ...plan, refusals: [...plan.refusals, ...waves.refusals], rollout: waves.rollout };
  });
}

/** Refuses to move members back from a restored branch unless `undoRestore` names that branch. */
async function refuseUndoneIn(context: PulumiFleetContext, { members }: FleetPlan): Promise<void> {
  const planned = [...members.values()].map(
    async ({ key, change, member, stored, found, diff }): Promise<RestorePlan[]> => {
      const { projectId, endpointId = found?.record.id } = stored?.state ?? found?.record ?? {};
      const wanted = member?.parsed;
      if (typeof projectId !== "string" || wanted?.projectId !== projectId) return [];
      const { cache } = context.account.project(projectId);
      const record = (await cache.snapshot({ signal: context.signal, onWait: context.reporter.status })).find(
        String(endpointId),
      );
      return [{ key, record, wanted: wanted.branchId, isPutBack: isPutBack(change, diff) }];
    },
  );
  await refuseUndone(context, (await Promise.all(planned)).flat());
}

/** The members whose endpoints leave their branches: deleted, replaced or moved. */
export function departuresIn({ account }: PulumiFleetContext, { members }: FleetPlan): Departure[] {
  return [...members.values()].flatMap(({ key, change, isMove, stored, stays }): Departure[] => {
    const how = isMove ? "moved" : change === "delete" ? "deleted" : change === "replace" ? "replaced" : undefined;
    const { projectId, endpointId } = stored?.state ?? {};
    const isDeleted = !isMove && stays === undefined;
    if (!how || !(isMove || isDeleted) || typeof projectId !== "string" || typeof endpointId !== "string") return [];
    const { branchId, type } = account.project(projectId).cache.lastSeen(endpointId) ?? stored?.state ?? {};
    return [{ key, projectId, endpointId, branchId: String(branchId), type, how }];
  });
}

/** The places that endpoints of members come to. */
function arrivalsIn({ members }: FleetPlan) {
  return [...members.values()].flatMap(({ key, change, isMove, to }) =>
    to && (isMove || change === "create" || change === "replace") ? [{ ...to, key }] : [],
  );
}

/** Plans a fleet in a preview and reports the plan or its refusal. No plan while the set of members is unknown. */
export async function planAndReport(
  context: PulumiFleetContext,
  request: WantedFleet,
  stored: StoredMembers,
): Promise<{ plan?: PreparedPlan; failures: Failure[] }> {
  const beganMs = context.account.clock.now();
  const first = await planOf(context, request, { stored });
  // A place may be free by now, so only a fresh list can refuse.
  const isRefused = first !== undefined && first.refusals.length > 0;
  const plan = isRefused ? await planOf(context, request, { stored, sinceMs: beganMs }) : first;
  if (!plan) return { failures: [] };

  await refuseUndoneIn(context, plan);
  await refuseDepartures(context, departuresIn(context, plan));
  const failures = refusedFailures(context, plan);
  noteMembers(context, plan);
  if (failures.length > 0) return { plan, failures };
  noteSteps(context, plan);
  await noteExpiry(context, arrivalsIn(plan));
  reportPlan(context, plan);
  return { plan, failures };
}

/** Records the steps of a plan without a refusal, for replicas of other resources. */
function noteSteps({ run, urn, ownerOf, account }: PulumiFleetContext, plan: FleetPlan): void {
  const { movesToEmpty } = account.settings.profile;
  for (const { key, member, to, isMove } of plan.members.values()) {
    if (member) run.arrivals.declare(ownerOf(key), to, isMove && movesToEmpty);
  }
  if (hasChanges(plan)) run.arrivals.plan(urn);
}

/**
 * The plan to apply; undefined while the set of members is unknown. Plans anew with a fresh list if the first plan is
 * refused or adopts, or if a create of this run lost its answer. Throws `refused`.
 */
export async function planToApply(
  context: PulumiFleetContext,
  request: WantedFleet,
  stored: StoredMembers,
): Promise<PreparedPlan | undefined> {
  const { account } = context;
  const first = await planOf(context, request, { stored });
  if (!first) return undefined;

  const members = [...first.members.values()];
  const hasLost = members.some(({ member }) => {
    const projectId = member?.parsed.projectId;
    return isKnown(projectId) && account.project(projectId).creates.hasLost;
  });

  const isUncertain = hasLost || first.refusals.length > 0;
  const sinceMs = account.clock.now() - (isUncertain ? 0 : ages.freshMs);
  // An adopted endpoint that does not change gets no request that would show its absence.
  const isSettled = !isUncertain && !members.some(({ found }) => found);
  const plan = isSettled ? first : ((await planOf(context, request, { stored, sinceMs })) ?? first);

  await refuseUndoneIn(context, plan);
  await refuseDepartures(context, departuresIn(context, plan));
  refuse(refusedFailures(context, plan));
  return plan;
}

/** The failures of a refused plan, each also logged on its member's row. */
export function refusedFailures(context: PulumiFleetContext, { refusals }: FleetPlan): Failure[] {
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
export function refuse(failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  const others = failures.length - MOST_REASONS;
  const reasons = failures
    .slice(0, MOST_REASONS)
    .map((failure) => formatFailures([failure]))
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
  const plan = await planOf(context, request, { stored: state });
  if (!plan) return { endpoints: UNKNOWN, [BOOKKEEPING]: UNKNOWN };

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
function reportPlan(context: PulumiFleetContext, plan: PreparedPlan): void {
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
