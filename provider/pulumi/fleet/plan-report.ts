/** Says what a fleet's plan does: what becomes of its members, what that does to endpoints that are there, and what it leaves alone. */
import type { MemberPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { cutsOff } from "../diff-report";
import type { PulumiFleetContext } from "./context";
import { groupLines, movedMessages, namedMembers, planMessage, takeoverMessages, warnOfOrphans } from "./messages";

/** Says it on the fleet's row, what people are cut off by as a warning; what members have in common once. */
export function reportPlan(context: PulumiFleetContext, plan: PreparedPlan): void {
  const { reporter, urnOf } = context;
  warnOfOrphans(context, plan);
  if (plan.gone.length > 0)
    reporter.warn(
      `${namedMembers(plan.gone)}: the endpoint is no longer there, so that a new one is created or taken up`,
    );
  for (const moved of movedMessages(plan)) reporter.warn(moved);
  const message = planMessage(plan);
  if (message === undefined) return;
  reporter.info(message);
  for (const takeover of takeoverMessages(plan, urnOf)) reporter.warn(takeover);
  const lines = [...plan.members.values()].flatMap(impactLines);
  for (const text of groupLines(lines.filter(({ harms }) => harms))) reporter.warn(text);
  for (const text of groupLines(lines.filter(({ harms }) => !harms))) reporter.info(text);
}

function impactLines({ key, change, diff }: MemberPlan): { key: string; text: string; harms: boolean }[] {
  if (change === "same" || !diff) return [];
  const harms = cutsOff(diff);
  return diff.messages.map((text) => ({ key, text, harms }));
}
