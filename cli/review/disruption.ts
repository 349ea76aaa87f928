/** An endpoint's disruption by a change: its effects, the classes of the summary, and the conditions of `--fail-on`. */
import { type Impact, impactOf, type PossibleEffects, possibleEffects } from "../../provider/endpoint/impact/impact";
import { restoreUndoneIn } from "../../provider/endpoint/impact/sentences";
import type { EndpointProperty } from "../../provider/endpoint/properties";
import { sizeNames } from "../../provider/endpoint/rules/size";
import { BOOKKEEPING, bookkeepingOf, type Repair, repairOf } from "../../provider/endpoint/state";
import { UNKNOWN } from "../../provider/lib/unknown";
import { formatCount } from "../terminal/output";
import { planValue, type ReadChange } from "./change";
import type { Action, PlannedEndpoint } from "./fate";
import { holdsSecret, isCut, type Plan, type PlanMessage, type PlanStep } from "./plan-model";

/**
 * Whether an effect occurs. `possible`: depends on an unknown value. `not_stated`: the specification leaves it open.
 */
export type Verdict = "yes" | "no" | "possible" | "not_stated";

/** The effects by their names in a seal, with the words for certain and possible ones. */
const effects = {
  restarts: ["restarts", "may restart"],
  /**
   * A restart, move or suspend at an idle moment (`restartWhen`), without open connections; `restarts` is then `no`.
   */
  restartsIdle: ["restarts when idle", "may restart when idle"],
  dropsConnections: ["connections drop", "connections may drop"],
  /** An unknown branch may differ from the current one. */
  moved: ["moves", "may move"],
  hostChanges: ["host changes", "host may change"],
  replaced: ["is replaced", "may be replaced"],
  deleted: ["is deleted", "may be deleted"],
  downtime: ["has downtime", "may have downtime"],
  /** Connections without a password become possible. */
  accessOpens: ["allows connections without a password", "may allow connections without a password"],
} as const;

/** An effect's name in a seal. */
export type Effect = keyof typeof effects;

/** The effects of a change that users notice. A delete is in `action` only. */
export interface Disruption extends Record<Exclude<Effect, "deleted">, Verdict> {
  action: Action;
  /** The change moves the endpoint back from a restored branch to the data before the restore. */
  undoesRestore?: true;
  /** The repair after an earlier run's failure; absent without a failure. */
  madeGoodBy?: Repair;
}

/** The names of all effects, in table order. */
export const effectNames = Object.keys(effects) as Effect[];

/** The effect for each condition of `--fail-on`, except `restore-undo` and `config` (about providers). */
const conditions = {
  restart: "restarts",
  "restart-idle": "restartsIdle",
  replace: "replaced",
  move: "moved",
  delete: "deleted",
  downtime: "downtime",
  access: "accessOpens",
} as const satisfies Record<string, Effect>;

/** A condition of `--fail-on`. */
export type GateCondition = keyof typeof conditions | "restore-undo" | "config";

/** All conditions of `--fail-on`. */
export const gateConditions = [...Object.keys(conditions), "restore-undo", "config"] as GateCondition[];

const is = (action: Action) => (one: Disruption) => one.action === action;

/** The summary's classes, worst first, with their texts. An endpoint belongs to its first fitting class. */
export const disruptionClasses: readonly {
  fits: (one: Disruption) => boolean;
  say: (all: readonly Disruption[]) => string;
}[] = [
  {
    fits: ({ restarts }) => restarts === "yes",
    say: (all) => `${formatCount(all.length, "restart")}${inBrackets([...worstOf(all), ...dropsOf(all)])}`,
  },
  { fits: is("replace"), say: (all) => `${all.length} replaced${inBrackets(worstOf(all))}` },
  { fits: is("recreate"), say: (all) => `${all.length} created again${inBrackets(worstOf(all))}` },
  { fits: is("delete"), say: (all) => `${all.length} deleted${inBrackets(worstOf(all))}` },
  {
    fits: ({ downtime }) => downtime === "yes",
    say: (all) => `${all.length} disabled${inBrackets([...worstOf(all), ...dropsOf(all)])}`,
  },
  {
    fits: ({ dropsConnections }) => dropsConnections === "yes",
    say: (all) => `${formatCount(all.length, "move")}${inBrackets([...worstOf(all), ...dropsOf(all)])}`,
  },
  {
    fits: ({ madeGoodBy: way }) => way !== undefined,
    say: (all) =>
      `${all.length} repaired after an earlier run${inBrackets([...worstOf(all), `${waysOf(all)} where that failed`])}`,
  },
  {
    fits: (one) => is("adopt")(one) && one.dropsConnections === "possible",
    say: (all) => `${all.length} taken over (may restart)`,
  },
  {
    fits: ({ dropsConnections }) => dropsConnections === "possible",
    say: (all) => `${all.length} may drop connections${inBrackets([...worstOf(all), "values not known"])}`,
  },
  {
    fits: ({ restartsIdle }) => happens(restartsIdle),
    say: (all) => `${formatCount(all.length, "restart")} when idle${inBrackets(worstOf(all))}`,
  },
  {
    fits: ({ restarts, restartsIdle }) => restarts === "not_stated" || restartsIdle === "not_stated",
    say: (all) => `${all.length} reconfigured (restart not stated)`,
  },
  { fits: is("create"), say: (all) => `${all.length} created` },
  { fits: is("adopt"), say: (all) => `${all.length} taken over` },
  { fits: is("import"), say: (all) => `${all.length} imported` },
  { fits: is("release"), say: (all) => `${all.length} released (still running)` },
  { fits: () => true, say: (all) => `${all.length} unaffected` },
];

/** Properties that may disturb when the whole program is sent: in a takeover, or again after a failure. */
const sentDecides = [...sizeNames, "disabled"] as const;

/** Effects worse than a short break, worst first, with their wording for all, some and possible endpoints. */
const worst: readonly { of: (one: Disruption) => Verdict; all: string; may: string; some: string }[] = [
  {
    of: ({ undoesRestore: undoes }) => (undoes ? "yes" : "no"),
    ...{ all: "undoes a restore", may: "may undo a restore", some: "undoing a restore" },
  },
  {
    of: ({ action }) => (action === "delete" ? "yes" : "no"),
    ...{ all: "host gone", may: "host may go", some: "whose host goes" },
  },
  { of: ({ hostChanges }) => hostChanges, all: "host changes", may: "host may change", some: "with another host" },
  { of: ({ downtime }) => downtime, all: "downtime", may: "downtime possible", some: "with downtime" },
];

/** The index of an endpoint's class; 0 is the worst. */
export function rankOf(one: Disruption): number {
  return disruptionClasses.findIndex(({ fits }) => fits(one));
}

/**
 * True if an endpoint meets a condition of `--fail-on`. An unknown value counts as the worst case, a `not_stated`
 * restart does not.
 */
export function meets(condition: Exclude<GateCondition, "config">, one: Disruption): boolean {
  if (condition === "restore-undo") return one.undoesRestore === true;
  return happens(verdictOn(conditions[condition], one));
}

/** An endpoint's certain and possible effects. */
export function effectsOf(one: Disruption): [Effect, "yes" | "possible"][] {
  return effectNames.flatMap((effect) => {
    const verdict = verdictOn(effect, one);
    return happens(verdict) ? [[effect, verdict]] : [];
  });
}

/** An effect in words, such as `restarts` or `may restart`. */
export function formatEffect(effect: Effect, how: "yes" | "possible"): string {
  return effects[effect][how === "yes" ? 0 : 1];
}

function verdictOn(effect: Effect, { action, ...verdicts }: Disruption): Verdict {
  return effect === "deleted" ? (action === "delete" ? "yes" : "no") : verdicts[effect];
}

/** True for a certain or possible effect. */
export function happens(verdict: Verdict): verdict is "yes" | "possible" {
  return verdict === "yes" || verdict === "possible";
}

/** Classifies a planned change by its impact and the plan's hidden values. */
export function disruptionOf(planned: PlannedEndpoint, change: ReadChange, impact: Impact): Disruption {
  const { action } = planned;
  const { state, inputs, found } = change;
  const repair = action === "update" ? repairOf(state, inputs) : undefined;
  const possible = possibleOf(planned, change, impact, repair);
  const isNotStated = (impact.restartNotStated ?? []).length > 0;
  const orNotStated = (verdict: Verdict) => (verdict === "no" && isNotStated ? "not_stated" : verdict);

  const restarts = orNotStated(verdictOf(impact.restarts, possible.restarts));
  const drops = verdictOf(impact.dropsConnections, possible.dropsConnections);
  const idle = interruptionWhenIdle({ impact, possible, found, restarts });
  const mayWait = mayWaitForIdle(planned) && happens(idle);

  return {
    action,
    restarts: impact.waitsForIdle ? "no" : restarts,
    restartsIdle: impact.waitsForIdle ? idle : mayWait ? "possible" : "no",
    dropsConnections: impact.waitsForIdle ? drops : orNotStated(drops),
    moved: verdictOf(impact.move !== undefined, action === "update" && found.branchId?.after === UNKNOWN),
    hostChanges: verdictOf(impact.hostChanges, possible.hostChanges),
    downtime: verdictOf(impact.downtime, possible.downtime),
    replaced: verdictOf(action === "replace", possible.replaces),
    accessOpens: accessOf(planned, change),
    ...(repair && { madeGoodBy: repair }),
  };
}

/** The verdict on a restart, move or suspend, for a change that waits for an idle moment. */
function interruptionWhenIdle({
  impact,
  possible,
  found,
  restarts,
}: {
  impact: Impact;
  possible: PossibleEffects;
  found: ReadChange["found"];
  restarts: Verdict;
}): Verdict {
  if (impact.move !== undefined || impact.downtime) return "yes";
  const mayMoveOrSuspend = possible.downtime || found.branchId?.after === UNKNOWN;
  return mayMoveOrSuspend && restarts !== "yes" ? "possible" : restarts;
}

/** True if the plan hides whether the change waits for an idle moment. */
function mayWaitForIdle({ after }: PlannedEndpoint): boolean {
  const { is } = planValue(after?.inputs.restartWhen);
  return is === "secret" || is === "unknown";
}

/** True if a plan moves an endpoint back from a restored branch, which the provider's settings or the preview name. */
export function undoesRestore({ moved, replaced }: Disruption, { urn, before }: PlanStep, plan: Plan): boolean {
  if (!happens(moved) && !happens(replaced)) return false;
  const undone = (of: readonly PlanMessage[]) => of.flatMap(({ message }) => restoreUndoneIn(message) ?? []);
  // Without a refresh the state has the old branch. Only a message about this endpoint shows the restore.
  if (undone(plan.messages.filter((one) => one.urn === urn)).length > 0) return true;
  const setting = plan.config["pgcompute:undoRestore"] ?? "";
  const restored = [...(setting === "" ? [] : [setting]), ...undone(plan.messages)];
  if (!before || restored.length === 0) return false;
  const branch = planValue(before.outputs.branchId);

  // An unreadable branch may be the restored one.
  return branch.is !== "value" || isCut(setting) || restored.includes(branch.value as string);
}

function verdictOf(certain: boolean, could: boolean): Verdict {
  return certain ? "yes" : could ? "possible" : "no";
}

/** The worst case of a change; includes a replacement if the member may be replaced. */
function possibleOf(
  planned: PlannedEndpoint,
  change: ReadChange,
  impact: Impact,
  repair: Repair | undefined,
): PossibleEffects {
  const possible = possibleEffects(impact, undecidedOf(planned, change, impact));
  // Secret bookkeeping may contain an open operation of an earlier run.
  const resumes = planned.action === "update" && holdsSecret(planned.before?.outputs[BOOKKEEPING]);
  if (resumes || repair === "restarted") Object.assign(possible, { restarts: true, dropsConnections: true });

  const mayStayDown = planned.action === "replace" && change.inputs.disabled === UNKNOWN;
  if (mayStayDown && impact.dropsConnections) possible.downtime = true;
  if (!planned.mayBeReplaced) return possible;
  const { state, inputs, found } = change;
  const replaced = possibleEffects(impactOf({ kind: "replace", state, inputs, found, deletesFirst: true }));
  const names = ["restarts", "dropsConnections", "hostChanges", "downtime", "replaces"] as const;
  for (const name of names) possible[name] ||= replaced[name];
  return possible;
}

/**
 * The properties on which the impact still depends. After a failed operation, and in an adoption unseen, all that the
 * program sets.
 */
function undecidedOf(
  { action, before }: PlannedEndpoint,
  { inputs }: ReadChange,
  impact: Impact,
): readonly EndpointProperty[] {
  const unseen = action === "adopt" && !before;
  const kept = action === "update" ? (bookkeepingOf(before?.outputs).operations ?? []) : [];
  if (!unseen && kept.length === 0) return impact.undecided ?? [];
  const sent = sentDecides.filter((name) => inputs[name] !== undefined && inputs[name] !== false);
  return [...new Set([...(impact.undecided ?? []), ...sent])];
}

/** Whether the change newly allows connections without a password; a new endpoint with that setting counts. */
function accessOf({ action, before }: PlannedEndpoint, { found, inputs }: ReadChange): Verdict {
  const isOwn = action !== "delete" && action !== "release" && action !== "import";
  if (!isOwn || !("passwordlessAccess" in found)) return "no";
  if (inputs.passwordlessAccess === true) return action === "adopt" && !before ? "possible" : "yes";
  return found.passwordlessAccess?.after === UNKNOWN ? "possible" : "no";
}

function waysOf(all: readonly Disruption[]): string {
  return [...new Set(all.flatMap(({ madeGoodBy: way }) => way ?? []))].sort().join(" or ");
}

function worstOf(endpoints: readonly Disruption[]): string[] {
  return worst.flatMap(({ of, all, may, some }) => {
    const certain = endpoints.filter((one) => of(one) === "yes").length;
    if (certain === endpoints.length) return [all];
    if (certain > 0) return [`${certain} ${some}`];
    return endpoints.some((one) => of(one) === "possible") ? [may] : [];
  });
}

function dropsOf(endpoints: readonly Disruption[]): string[] {
  return endpoints.some(({ dropsConnections }) => dropsConnections === "yes") ? ["connections drop"] : [];
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
