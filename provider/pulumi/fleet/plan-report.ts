/** Says what a fleet's plan does: what becomes of its members, what that does to endpoints that are there, and what it leaves alone. */
import type { DiffResult } from "../../endpoint/diff";
import { impactMessages, impactOf } from "../../endpoint/impact/impact";
import type { MemberPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { UNKNOWN } from "../../lib/unknown";
import { listedFew } from "../../lib/wording";
import { cutsOff } from "../diff-report";
import type { PulumiFleetContext } from "./context";
import { groupLines, movedMessages, planMessage, takeoverMessages, warnOfOrphans } from "./messages";

type Said = Pick<DiffResult, "impact" | "madeGoodBy" | "messages">;

/** What is said of a member, and whether people are cut off by it. */
interface Line {
  key: string;
  text: string;
  harms: boolean;
}

const UNKNOWN_IMPORT =
  "importId is not known yet: the endpoint that it names is taken over, and whatever differs from the program changes in place";
const ONLY_OPTIONS = "only its options change: nothing of the endpoint does";
const OLD_STAYS = "the old endpoint is not deleted: it stays on the platform, outside the fleet";

/** Says it on the fleet's row, what people are cut off by as a warning; what members have in common once. */
export function reportPlan(context: PulumiFleetContext, plan: PreparedPlan): void {
  const { reporter, ownerOf } = context;
  warnOfOrphans(context, plan);
  if (plan.gone.length > 0)
    reporter.warn(`${listedFew(plan.gone)}: the endpoint is no longer there, so that a new one is created or taken up`);
  for (const moved of movedMessages(plan)) reporter.warn(moved);
  const message = planMessage(plan);
  if (message === undefined) return;
  reporter.info(message);
  for (const takeover of takeoverMessages(plan, ownerOf)) reporter.warn(takeover);
  const lines = [...plan.members.values()].flatMap((member) => impactLines(context, member));
  for (const text of groupLines(lines.filter(({ harms }) => harms))) reporter.warn(text);
  for (const text of groupLines(lines.filter(({ harms }) => !harms))) reporter.info(text);
}

function impactLines(context: PulumiFleetContext, member: MemberPlan): Line[] {
  const { key, change, diff, isKept } = member;
  if (change === "same") return [];
  const said: Said = member.member ? (diff ?? { messages: [] }) : departure(context, member);
  const harms = cutsOff(said);
  const lines = said.messages.map((text) => ({ key, text, harms }));
  const isUnknown = change === "create" && member.member?.options.importId === UNKNOWN;
  return [
    ...lines,
    ...(isUnknown ? [{ key, text: UNKNOWN_IMPORT, harms: false }] : []),
    ...(change === "update" && diff?.changes === false ? [{ key, text: ONLY_OPTIONS, harms: false }] : []),
    ...(change === "replace" && isKept ? [{ key, text: OLD_STAYS, harms: false }] : []),
  ];
}

/** Of what goes: whether it is deleted, or goes on outside. What another resource has by now is no news of this one's. */
function departure({ otherOwnerOf }: PulumiFleetContext, { change, stored }: MemberPlan): Said {
  const { state = {} } = stored ?? {};
  if (change !== "delete" && (change !== "release" || otherOwnerOf(String(state.endpointId)) !== undefined))
    return { messages: [] };
  const impact = impactOf({ kind: change, state });
  return { impact, messages: impactMessages(impact) };
}
