import { type BeforeAfter, type Impact, impactOf } from "../../provider/endpoint/impact/impact";
import { plannedImpact, sideOf, wantedState } from "../../provider/endpoint/impact/planned";
import { possibleEffects } from "../../provider/endpoint/impact/possible";
import { bookkeepingOf } from "../../provider/endpoint/state";
import { cleanText } from "../../provider/lib/text";
import { listed, plain } from "../../provider/lib/wording";
import { type ReadChange, readChange, readCreation } from "./change";
import type { PlannedEndpoint } from "./group";
import { hoursOf } from "./hours";
import type { EndpointReport, Verdict } from "./report-model";
import { nameOf } from "./urn";

/** What taking over an endpoint can change of it: whatever of these the program sets. */
const adoptionDecides = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu", "disabled"] as const;

/** Reports on one endpoint of a plan: what changes, and what the rules say of its impact. */
export function reportEndpoint(planned: PlannedEndpoint): EndpointReport {
  const { action, step, host } = planned;
  const change = isNew(planned) ? readCreation(step) : readChange(step);
  const impact = impactFor(planned, change);
  const undecided = undecidedOf(planned, change, impact);
  const possible = possibleEffects(impact, undecided);
  const disabled = disabledOf(planned, change);
  const { hostName, id } = identityOf(planned);
  const notStated = (impact.restartNotStated ?? []).length > 0;
  const verdict = (certain: boolean, could: boolean): Verdict => (certain ? "yes" : could ? "possible" : "no");
  const restarts = verdict(impact.restarts, possible.restarts);
  return {
    urn: cleanText(step.urn),
    name: plain(nameOf(step.urn)),
    ...(id && { id: plain(id) }),
    host,
    action,
    properties: action === "delete" || action === "release" ? [] : change.properties,
    restarts: restarts === "no" && notStated ? "not_stated" : restarts,
    dropsConnections: connectionsVerdict(verdict(impact.dropsConnections, possible.dropsConnections), notStated),
    hostChanges: verdict(impact.hostChanges, possible.hostChanges),
    downtime: verdict(impact.downtime, possible.downtime),
    replaced: verdict(action === "replace", possible.replaces),
    ...(hostName && { hostName: plain(hostName) }),
    ...(impact.move && { move: { from: plain(impact.move.from), to: plain(impact.move.to) } }),
    disabled,
    ...figures(impact),
    computeHours: hoursOf(action, impact, disabled),
    notes: [...notesOf(planned, change), ...impact.notes].map((note) => cleanText(note)),
  };
}

function impactFor({ action, step, deletesFirst }: PlannedEndpoint, change: ReadChange): Impact {
  const { state, inputs, found } = change;
  switch (action) {
    case "create":
    case "adopt":
      return impactOf({ kind: "create", after: sideOf(wantedState(inputs)), unknown: unknownOf(change) });
    case "import": {
      // It runs already, and comes into the stack as it is.
      const side = sideOf({ ...wantedState(inputs), ...step.after?.outputs });
      return impactOf({ kind: "update", before: side, after: side });
    }
    case "update":
    case "replace":
      return plannedImpact({ kind: action, state, inputs, found, deleteBeforeReplace: deletesFirst });
    case "delete":
    case "release":
      return impactOf({ kind: action, before: sideOf(state) });
  }
}

/** The undecided properties of the impact; for a takeover, what the program sets may differ from what is there. */
function undecidedOf({ action }: PlannedEndpoint, { inputs }: ReadChange, impact: Impact): readonly string[] {
  if (action !== "adopt") return impact.undecided ?? [];
  return adoptionDecides.filter((name) => inputs[name] !== undefined && inputs[name] !== false);
}

function unknownOf({ inputs, found }: ReadChange): string[] {
  return Object.keys(found).filter((name) => typeof inputs[name as keyof typeof inputs] === "symbol");
}

function connectionsVerdict(verdict: Verdict, notStated: boolean): Verdict {
  return verdict === "no" && notStated ? "not_stated" : verdict;
}

function disabledOf({ action }: PlannedEndpoint, { state, inputs, found }: ReadChange): BeforeAfter<boolean> {
  const before = state.disabled === true;
  if (action === "delete" || action === "release") return { before };
  const kept = action === "update" && !("disabled" in found) ? before : false;
  const after = typeof inputs.disabled === "boolean" ? inputs.disabled : kept;
  return action === "create" || action === "adopt" ? { after } : { before, after };
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

function notesOf({ action, step, leftover }: PlannedEndpoint, { hidden }: ReadChange): string[] {
  const notes: string[] = [];
  if (hidden.length > 0) notes.push(`secret, so the plan does not show the value: ${listed(hidden)}`);
  if (leftover) notes.push("an earlier run replaced it; its end is still to come");
  if (action === "adopt") {
    notes.push(
      "takes over the endpoint that the branch has; whatever differs from it changes in place, and destroy releases it",
    );
  }
  if (action === "import")
    notes.push("comes into the stack as it is; it changes in the run after, if the program says otherwise");
  if (action === "delete") notes.push("deletion is permanent");
  if (action === "replace" && step.before?.retainOnDelete)
    notes.push("retainOnDelete keeps the old endpoint, outside the stack");
  const open = action === "update" ? (bookkeepingOf(step.before?.outputs).operations ?? []) : [];
  if (open.length > 0) notes.push("operations of an earlier run had not ended: they are looked at again");
  return notes;
}

function isNew({ action }: PlannedEndpoint): boolean {
  return action === "create" || action === "adopt" || action === "import";
}
