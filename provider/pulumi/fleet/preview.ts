/** What a preview says of a fleet: its outputs as far as they can be known, and what the plan does to which members. */
import type { DiffResult } from "../../endpoint/diff";
import { setIn } from "../../endpoint/differences";
import { impactMessages, impactOf } from "../../endpoint/impact/impact";
import { toState } from "../../endpoint/mapping";
import { BOOKKEEPING, type EndpointState } from "../../endpoint/state";
import { endpointInputs } from "../../fleet/parse-fleet";
import type { FleetPlan, MemberPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { decodeMembers, shownOf } from "../../fleet/state";
import { UNKNOWN } from "../../lib/unknown";
import { listedFew, plain } from "../../lib/wording";
import { type FleetCall, fleetContext, type PulumiFleetContext, sayPlatform } from "../call";
import { groupLines, movedMessages, nameOrphans, planMessage, takeoverMessages } from "../messages/fleet";
import { announceStep, cutsOff, previewCreate, previewUpdate } from "../preview";
import { type ProgramRequest, planOf } from "./plan-or-refuse";

type Values = Readonly<Record<string, unknown>>;

/** Groups of members that one preview tells apart; what is beyond has rows of its own. */
const MOST_GROUPS = 30;

const UNKNOWN_IMPORT =
  "importId is not known yet: the endpoint that it names is taken over, and whatever differs from the program changes in place";

const ONLY_OPTIONS = "only its options change; the endpoint stays as it is";

const OLD_STAYS = "the old endpoint is not deleted: it stays on the platform, outside the fleet";

/** A fleet's outputs after a create, or after an update of what is there; and the plan, where there is one. */
export async function previewFleet(
  call: FleetCall,
  { state = {}, ...request }: ProgramRequest & { state?: Values },
): Promise<{ outputs: Record<string, unknown>; plan?: FleetPlan }> {
  const context = fleetContext(call);
  const plan = await planOf(context, request, { stored: decodeMembers(state) });
  if (!plan) return { outputs: { endpoints: UNKNOWN, [BOOKKEEPING]: UNKNOWN } };
  const shown = await Promise.all(
    [...plan.members.values()].map(async (member) =>
      member.member ? [[member.key, await previewMember(context, member, request.oldInputs)]] : [],
    ),
  );
  await announceStep(context, [...plan.members.keys()].map(context.ownerOf));
  return { outputs: { endpoints: Object.fromEntries(shown.flat()), [BOOKKEEPING]: UNKNOWN }, plan };
}

async function previewMember(
  context: PulumiFleetContext,
  { key, change, member, stored, found }: MemberPlan,
  oldInputs: Values | undefined,
): Promise<EndpointState | typeof UNKNOWN> {
  if (!member || member.isUnknown) return UNKNOWN;
  const set = setIn(member.parsed);
  if (change === "adopt" && found)
    return shownOf(previewUpdate(context.account.settings.profile, toState(found.record), member.inputs), set);
  const isNew = change === "create" || change === "replace" || !stored;
  const outputs = isNew
    ? await previewCreate(context.member(key), member.inputs)
    : previewUpdate(
        context.account.settings.profile,
        stored.state,
        member.inputs,
        endpointInputs(oldInputs, key),
        member.ignored,
      );
  return shownOf(outputs, set);
}

type Said = Pick<DiffResult, "impact" | "madeGoodBy" | "messages">;

/** What is said of a member, and how much people are disturbed by it. */
interface Line {
  key: string;
  text: string;
  disruption: number;
}

/** Says it on the fleet's row, what people are cut off by as a warning: members to which the same happens once, the worst first. */
export function reportPlan(context: PulumiFleetContext, plan: PreparedPlan): void {
  const { reporter, ownerOf } = context;
  nameOrphans(context, plan);
  if (plan.gone.length > 0)
    reporter.warn(`${listedFew(plan.gone)}: the endpoint is gone, so a new one is created or taken up`);
  for (const moved of movedMessages(plan)) reporter.warn(moved);
  const message = planMessage(plan);
  if (message === undefined) return;
  sayPlatform(context);
  reporter.info(message);
  for (const text of activeLimitMessages(context, plan)) reporter.warn(text);
  for (const takeover of takeoverMessages(plan, ownerOf)) reporter.warn(takeover);
  const lines = [...plan.members.values()].flatMap((member) => impactLine(context, member));
  lines.sort((a, b) => b.disruption - a.disruption);
  reportGroups(groupLines(lines.filter(({ disruption }) => disruption > 0)), reporter.warn);
  reportGroups(groupLines(lines.filter(({ disruption }) => disruption === 0)), reporter.info);
}

/** A plan that starts more computes of a project than the platform has active at a time: what it does with the others is not published. */
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

/** One line a member, as a single endpoint has it: what hurts most first. */
function impactLine(context: PulumiFleetContext, member: MemberPlan): Line[] {
  const { key, change, diff, isKept } = member;
  if (change === "same") return [];
  const said: Said = member.member ? (diff ?? { messages: [] }) : departure(context, member);
  const isUnknown = change === "create" && member.member?.options.importId === UNKNOWN;
  const texts = [
    ...said.messages,
    ...(isUnknown ? [UNKNOWN_IMPORT] : []),
    ...(change === "update" && diff?.changes === false ? [ONLY_OPTIONS] : []),
    ...(change === "replace" && isKept ? [OLD_STAYS] : []),
  ];
  return texts.length === 0 ? [] : [{ key, text: texts.join("; "), disruption: disruptionOf(said) }];
}

/** 0 where nobody notices the change; more the longer people are cut off. */
function disruptionOf(said: Said): number {
  const { impact } = said;
  if (!cutsOff(said)) return 0;
  const worst = [impact?.kind === "delete", impact?.hostChanges, impact?.downtime, impact?.restarts];
  return worst.length + 1 - [...worst, true].indexOf(true);
}

/** Of what goes: whether it is deleted, or goes on outside. What another resource has by now is no news of this one's. */
function departure({ world, account }: PulumiFleetContext, { change, stored }: MemberPlan): Said {
  const { state = {} } = stored ?? {};
  if (change !== "delete" && (change !== "release" || world().otherOwnerOf(String(state.endpointId)) !== undefined))
    return { messages: [] };
  const impact = impactOf({ kind: change, state, profile: account.settings.profile });
  return { impact, messages: impactMessages(impact) };
}
