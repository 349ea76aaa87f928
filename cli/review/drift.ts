/** Drift as the changes that would put it back: from the platform's values to those of the last deployment. */
import { CommandError } from "../exit-code";
import { hostOf, isEndpoint } from "../hosts";
import { readChange } from "./change";
import { type Grouped, keyOf, type PlannedEndpoint, unreadIn } from "./group";
import type { Plan, PlanStep } from "./plan-model";

const UNTOLD =
  "this form of the plan does not tell what changed: run `pulumi refresh --preview-only --json` with " +
  "PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true in its environment";
const NO_REFRESH = "this is no refresh: --drift reads what `pulumi refresh --preview-only --json` prints";
const REFRESH =
  "this is what `pulumi refresh --preview-only --json` prints, which plans nothing: give --drift, or pipe " +
  "`pulumi preview --json`";

/** Steps of a refresh; a plan has these and others. */
const refreshing = new Set(["refresh", "same", "update", "delete"]);

/** Throws a `CommandError` for a plan that is no refresh, or one that leaves out what the refresh found. */
export function requireKind({ steps, refreshes, untold }: Plan, drift: boolean): void {
  if (!drift && refreshes) throw new CommandError(REFRESH);
  if (!drift) return;
  if (refreshes === false || steps.some(({ op }) => !refreshing.has(op))) throw new CommandError(NO_REFRESH);
  if (untold > 0) throw new CommandError(UNTOLD);
}

/** Sorts the steps of a refresh: what differs in something that the program sets, and what is gone. */
export function groupDrift(steps: readonly PlanStep[]): Grouped {
  const changing = new Map<string, PlannedEndpoint>();
  const seen = new Set<string>();
  const others = new Set<string>();
  for (const step of steps) {
    // A deployment does not put back what is only read, or what an earlier replacement left to be deleted.
    if (step.unread || step.before?.external || step.before?.delete) continue;
    const mended = mendingOf(step);
    if (mended) changing.set(keyOf(step), mended);
    if (isEndpoint(step.type)) seen.add(keyOf(step));
    else if (step.op === "update" || step.op === "delete") others.add(step.urn);
  }
  const unread = unreadIn(steps).filter(({ before }) => !before?.external);
  return { changing: [...changing.values()], unread, unchanged: seen.size - changing.size, otherChanges: others.size };
}

/** The change that puts an endpoint back; undefined where there is nothing to put back. */
function mendingOf(step: PlanStep): PlannedEndpoint | undefined {
  const host = isEndpoint(step.type) ? hostOf(step.type)?.name : undefined;
  const { before, after } = step;
  if (!host || !before) return undefined;
  const rest = { host, deletesFirst: false, leftover: false };
  if (step.op === "delete") {
    const { before: _, ...again } = { ...step, after: { ...before, outputs: {} } };
    return { action: "recreate", step: again, ...rest };
  }
  if (step.op !== "update" || !after) return undefined;
  const back = { ...step, before: after, after: { ...before, outputs: {} } };
  return readChange(back).properties.length > 0 ? { action: "update", step: back, ...rest } : undefined;
}
