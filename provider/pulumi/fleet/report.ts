/** Logs a fleet's plan on its row: what becomes of the members, and the effect on each. */
import type { DiffResult } from "../../endpoint/diff";
import { impactOf } from "../../endpoint/impact/impact";
import { impactMessages } from "../../endpoint/impact/sentences";
import type { MemberPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { UNKNOWN } from "../../lib/unknown";
import { listedFew, plain } from "../../lib/wording";
import { logPlatform, type PulumiFleetContext } from "../call";
import { ignoredSizeMessage } from "../endpoint/held-size";
import { cutsOff } from "../endpoint/preview";
import {
  anotherKeyMessage,
  groupLines,
  movedMessages,
  nameOrphans,
  planMessage,
  rolloutMessage,
  takeoverMessages,
} from "../messages/fleet";

/** The most groups of members in a preview's summary. Of further groups it gives the number. */
const MOST_GROUPS = 30;

const UNKNOWN_IMPORT =
  "importId is not known yet: the endpoint that it names is taken over, and whatever differs from the program changes in place";

const ONLY_OPTIONS = "only its options change; the endpoint stays as it is";

const OLD_STAYS = "the old endpoint is not deleted: it stays on the platform, outside the fleet";

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
