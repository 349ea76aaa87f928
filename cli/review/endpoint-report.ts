/** The report on one endpoint of a plan. */
import { isPlaceUnknown } from "../../provider/endpoint/identity";
import {
  type BeforeAfter,
  type Impact,
  impactOf,
  type PossibleEffects,
  possibleEffects,
  type Range,
  stateWanted,
} from "../../provider/endpoint/impact/impact";
import type { EndpointProperty } from "../../provider/endpoint/properties";
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { sizeNames } from "../../provider/endpoint/rules/size";
import { bookkeepingOf, keptMessages, type MadeGood, madeGoodBy } from "../../provider/endpoint/state";
import { cleanText } from "../../provider/lib/redact";
import { UNKNOWN } from "../../provider/lib/unknown";
import { listed, plain } from "../../provider/lib/wording";
import type { Profile } from "../../provider/platform/profiles/profile";
import { profiles } from "../../provider/platform/profiles/profiles";
import { mayResume, planValue, type ReadChange, readChange, readCreation, readTakeover } from "./change";
import { formatEffect } from "./format";
import type { PlannedEndpoint } from "./group";
import { nameOf, type PlanStep } from "./plan-model";
import {
  type Action,
  type ComputeHours,
  type EndpointReport,
  happens,
  type PropertyChange,
  type Verdict,
} from "./report-model";

/** Hours of a month, as the platforms bill it: 365 days, a twelfth. */
export const HOURS_PER_MONTH = 730;

/** Properties that can disturb if everything that the program sets is sent: in a takeover, or again after a failure. */
const sentDecides = [...sizeNames, "disabled"] as const;

const LEAST_ALWAYS_ACTIVE = Math.min(...Object.values(profiles).flatMap((one) => one.alwaysActiveAboveCu ?? []));

const NONE: ComputeHours = { min: 0, max: 0 };

/**
 * Reports on one endpoint of a plan: what changes, and what the rules say of its impact. Where nobody knows the platform, figures in
 * which platforms differ are left out.
 */
export function reportEndpoint(planned: PlannedEndpoint, profile?: Profile): EndpointReport {
  const { action, step, host } = planned;
  const change = readFor(planned);
  const impact = impactFor(planned, change, profile);
  const possible = possibleOf(planned, change, impact);
  const disabled = disabledOf(planned, change);
  const { hostName, id } = identityOf(planned);
  const madeGood = madeGoodOf(planned, change);
  const notStated = (impact.restartNotStated ?? []).length > 0;
  const verdict = (certain: boolean, could: boolean): Verdict => (certain ? "yes" : could ? "possible" : "no");
  const certainly = verdict(impact.restarts, possible.restarts);
  const restarts = certainly === "no" && notStated ? "not_stated" : certainly;
  const when = planValue(step.after?.inputs.restartWhen).is;
  const isSure = impact.move !== undefined || impact.downtime;
  const isOpen = possible.downtime || change.found.branchId?.after === UNKNOWN;
  const idly = isSure ? "yes" : isOpen && restarts !== "yes" ? "possible" : restarts;
  const mayWait = (when === "secret" || when === "unknown") && happens(idly);
  return {
    urn: cleanText(step.urn),
    name: plain(nameOf(step.urn)),
    ...(id && { id: plain(id) }),
    host,
    action,
    properties: action === "delete" || action === "release" ? [] : change.properties,
    restarts: impact.waitsForIdle ? "no" : restarts,
    restartsIdle: impact.waitsForIdle ? idly : mayWait ? "possible" : "no",
    dropsConnections: connectionsVerdict(
      verdict(impact.dropsConnections, possible.dropsConnections),
      notStated && !impact.waitsForIdle,
    ),
    hostChanges: verdict(impact.hostChanges, possible.hostChanges),
    downtime: verdict(impact.downtime, possible.downtime),
    replaced: verdict(action === "replace", possible.replaces),
    accessOpens: accessOf(planned, change),
    ...(hostName && { hostName: plain(hostName) }),
    ...(impact.move && { move: { from: plain(impact.move.from), to: plain(impact.move.to) } }),
    disabled,
    ...(madeGood && { madeGoodBy: madeGood }),
    ...figures(impact),
    computeHours: hoursOf(action, impact, disabled, profile),
    notes: [...noteMessages(planned, change), ...impact.notes].map((note) => cleanText(note)),
  };
}

/** Whether it moves; a branch that nobody can tell yet may be another. */
export function movesOf({ move, action, properties }: EndpointReport): Verdict {
  if (move !== undefined) return "yes";
  const isOpen = ({ name, to }: PropertyChange) => name === "branchId" && (to.is === "unknown" || to.is === "secret");
  return action === "update" && properties.some(isOpen) ? "possible" : "no";
}

function readFor({ action, step }: PlannedEndpoint): ReadChange {
  if (action === "adopt") return step.before ? readTakeover(step) : readCreation(step);
  return action === "create" || action === "recreate" || action === "import" ? readCreation(step) : readChange(step);
}

function impactFor(
  { action, step, deletesFirst }: PlannedEndpoint,
  change: ReadChange,
  profile: Profile | undefined,
): Impact {
  const { state, inputs, found } = change;
  switch (action) {
    case "create":
      return impactOf({ kind: "create", inputs, profile });
    case "recreate":
      return { ...impactOf({ kind: "create", inputs, profile }), hostChanges: true };
    case "adopt":
      return step.before
        ? impactOf({ kind: "update", state, inputs, found, profile })
        : impactOfUnseen(inputs, profile);
    case "import": {
      // It runs already, and comes into the stack as it is.
      return impactOf({ kind: "update", state: { ...stateWanted(inputs), ...step.after?.outputs }, profile });
    }
    case "update":
    case "replace":
      return impactOf({ kind: action, state, inputs, found, deleteBeforeReplace: deletesFirst, profile });
    case "delete":
    case "release":
      return impactOf({ kind: action, state, profile });
  }
}

/**
 * A takeover of an endpoint that the plan does not show: figures as for a new one, but its changes wait for an idle moment if the program
 * says so.
 */
function impactOfUnseen({ restartWhen, ...inputs }: ReadChange["inputs"], profile: Profile | undefined): Impact {
  return { ...impactOf({ kind: "create", inputs, profile }), ...(restartWhen === "idle" && { waitsForIdle: true }) };
}

/** The worst that the change does, with that of a replacement if a member may be replaced. */
function possibleOf(planned: PlannedEndpoint, change: ReadChange, impact: Impact): PossibleEffects {
  const possible = possibleEffects(impact, undecidedOf(planned, change, impact));
  const resumes = planned.action === "update" && mayResume(planned.step.before);
  if (resumes || madeGoodOf(planned, change) === "restarted")
    Object.assign(possible, { restarts: true, dropsConnections: true });
  if (!planned.step.mayBeReplaced) return possible;
  const { state, inputs, found } = change;
  const replaced = possibleEffects(impactOf({ kind: "replace", state, inputs, found, deleteBeforeReplace: true }));
  const names = ["restarts", "dropsConnections", "hostChanges", "downtime", "replaces"] as const;
  for (const name of names) possible[name] ||= replaced[name];
  return possible;
}

/**
 * The undecided properties of the impact. An endpoint that is taken over unseen may differ in whatever the program sets; and
 * where an operation of an earlier run failed, or has failed by the time of the update, all of it is sent again.
 */
function undecidedOf(
  { action, step }: PlannedEndpoint,
  { inputs }: ReadChange,
  impact: Impact,
): readonly EndpointProperty[] {
  const unseen = action === "adopt" && !step.before;
  const kept = action === "update" ? (bookkeepingOf(step.before?.outputs).operations ?? []) : [];
  if (!unseen && kept.length === 0) return impact.undecided ?? [];
  const sent = sentDecides.filter((name) => inputs[name] !== undefined && inputs[name] !== false);
  return [...new Set([...(impact.undecided ?? []), ...sent])];
}

/** A new endpoint that allows it opens as much as one that comes to allow it. */
function accessOf({ action, step }: PlannedEndpoint, { found, inputs }: ReadChange): Verdict {
  const isOwn = action !== "delete" && action !== "release" && action !== "import";
  if (!isOwn || !("passwordlessAccess" in found)) return "no";
  if (inputs.passwordlessAccess === true) return action === "adopt" && !step.before ? "possible" : "yes";
  return found.passwordlessAccess?.after === UNKNOWN ? "possible" : "no";
}

function connectionsVerdict(verdict: Verdict, notStated: boolean): Verdict {
  return verdict === "no" && notStated ? "not_stated" : verdict;
}

function disabledOf({ action, step }: PlannedEndpoint, { state, inputs, found }: ReadChange): BeforeAfter<boolean> {
  const before = state.disabled === true;
  if (action === "delete" || action === "release") return { before };
  const kept = action === "update" && !("disabled" in found) ? before : false;
  const after = typeof inputs.disabled === "boolean" ? inputs.disabled : kept;
  const isNew = action === "create" || action === "recreate" || (action === "adopt" && !step.before);
  return isNew ? { after } : { before, after };
}

/** As it is now: what a new one will be called, only the platform knows. */
function identityOf({ step: { before, after } }: PlannedEndpoint): { id?: string; hostName?: string } {
  const id = before?.id ?? after?.id;
  const host = before?.outputs.host;
  return { ...(id && { id }), ...(typeof host === "string" && { hostName: host }) };
}

function figures({ sizeCu, maxConnections, memoryGb, suspendTimeoutSeconds }: Impact) {
  return {
    ...(sizeCu && { sizeCu }),
    ...(maxConnections && { maxConnections }),
    ...(memoryGb && { memoryGb }),
    ...(suspendTimeoutSeconds && { suspendTimeoutSeconds }),
  };
}

function noteMessages(planned: PlannedEndpoint, change: ReadChange): string[] {
  const { action, step, leftover } = planned;
  const { hidden } = change;
  const notes: string[] = [];
  if (hidden.length > 0) notes.push(`secret, so the plan does not show the value: ${listed(hidden)}`);
  if (leftover)
    notes.push(`an earlier run replaced it; it is still to ${action === "release" ? "leave the stack" : "be deleted"}`);
  if (action === "adopt") notes.push(takeoverNote(step));
  if (action === "import")
    notes.push("comes into the stack as it is; it changes in the run after, if the program says otherwise");
  if (action === "delete") notes.push("deletion is permanent");
  if (step.mayBeReplaced)
    notes.push("if its branch has another endpoint by then, it is deleted and created again; the plan does not say");
  const opens = accessOf(planned, change);
  if (opens === "yes" || opens === "possible") notes.push(formatEffect("accessOpens", opens));
  if (action === "replace" && step.before?.retainOnDelete)
    notes.push("retainOnDelete keeps the old endpoint, outside the stack");
  if (action === "recreate")
    notes.push("somebody deleted it: the next deployment creates a new one, under another host name");
  return [...notes, ...resumed(planned, change)];
}

function takeoverNote({ op, after }: PlanStep): string {
  if (op === "create" || after?.inputs.adoptExisting === true)
    return "takes over the endpoint that the branch has; whatever differs from it changes in place, and destroy releases it";
  if (op === "take-up" && isPlaceUnknown(after?.inputs ?? {}))
    return "may take up an endpoint that an earlier run created for it, since its branch is not known yet; whatever differs from it changes in place";
  return op === "take-up"
    ? "takes up the endpoint that an earlier run created for it; whatever differs from it changes in place"
    : "takes over the endpoint that importId names; whatever differs from it changes in place, and it becomes the fleet's own";
}

function madeGoodOf({ action }: PlannedEndpoint, { state, inputs }: ReadChange): MadeGood | undefined {
  return action === "update" ? madeGoodBy(state, inputs) : undefined;
}

/** What an update does about operations of an earlier run, as the preview says it. */
function resumed({ action }: PlannedEndpoint, { state, inputs }: ReadChange): string[] {
  return action === "update" ? keptMessages(state, inputs) : [];
}

/**
 * The bounds before and after: none before a creation and after a deletion; what is released keeps running. A side is
 * absent where it is not known, as before a takeover.
 */
function hoursOf(
  action: Action,
  impact: Impact,
  disabled: BeforeAfter<boolean>,
  profile: Profile | undefined,
): BeforeAfter<ComputeHours> {
  const { sizeCu, suspendTimeoutSeconds: suspend } = impact;
  const present = computeHours(sizeCu?.before, suspend?.before, disabled.before, profile);
  const planned = computeHours(sizeCu?.after, suspend?.after, disabled.after, profile);
  const before = action === "create" || action === "recreate" ? NONE : present;
  const after = action === "delete" ? NONE : action === "release" ? present : planned;
  return { ...(before && { before }), ...(after && { after }) };
}

/**
 * The bounds of an endpoint's month: nothing where it can suspend by itself (specification, section 3.4), else its
 * minimum size throughout; at most its maximum size throughout. A disabled one runs never. `undefined` where the size
 * is not known, or whether the platform lets such a size suspend.
 */
function computeHours(
  sizeCu: Range | undefined,
  suspendTimeoutSeconds: number | undefined,
  disabled: boolean | undefined,
  profile: Profile | undefined,
): ComputeHours | undefined {
  if (disabled) return NONE;
  if (sizeCu === undefined) return undefined;
  // Some platform keeps such a size active.
  if (profile === undefined && sizeCu.max > LEAST_ALWAYS_ACTIVE) return undefined;
  const suspends = effectiveSuspendSeconds(suspendTimeoutSeconds) !== "never";
  return { min: suspends ? 0 : sizeCu.min * HOURS_PER_MONTH, max: sizeCu.max * HOURS_PER_MONTH };
}
