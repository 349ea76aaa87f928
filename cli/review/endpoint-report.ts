/** The report on one endpoint of a plan. */
import { type BeforeAfter, type Range, stateWanted } from "../../provider/endpoint/impact/figures";
import { type Impact, impactOf } from "../../provider/endpoint/impact/impact";
import { unknownNotes } from "../../provider/endpoint/impact/sentences";
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { keptMessages } from "../../provider/endpoint/state";
import { nameOfUrn } from "../../provider/lib/owner";
import { cleanText } from "../../provider/lib/redact";
import { UNKNOWN } from "../../provider/lib/unknown";
import { listed, plain } from "../../provider/lib/wording";
import type { Profile } from "../../provider/platform/profiles/profile";
import { profiles } from "../../provider/platform/profiles/profiles";
import { hostOf } from "../hosts";
import { planValue, type ReadChange, readChange, readCreation, readTakeover } from "./change";
import { type Disruption, disruptionOf, formatEffect, happens } from "./disruption";
import { type Action, harmless, type PlannedEndpoint } from "./fate";
import type { PlanStep } from "./plan-model";
import type { EndpointReport } from "./report-model";

/** Hours of a billed month: a twelfth of 365 days. */
export const HOURS_PER_MONTH = 730;

const LEAST_ALWAYS_ACTIVE = Math.min(...Object.values(profiles).flatMap((one) => one.alwaysActiveAboveCu ?? []));

/** The note on every delete. */
export const PERMANENT = "deletion is permanent";

const NONE: Range = { min: 0, max: 0 };

/** Reports on one endpoint of a plan: its changes and their impact. Without a platform, some figures are missing. */
export function reportEndpoint(planned: PlannedEndpoint, profile?: Profile): EndpointReport {
  const { action, urn, type, before, after } = planned;
  const change = readFor(planned);
  const impact = impactFor(planned, change, profile);
  const disruption = disruptionOf(planned, change, impact);
  const disabled = disabledOf(planned, change);
  const id = before?.id ?? after?.id;
  // The current name; only the platform knows a new one.
  const hostName = before?.outputs.host;

  return {
    urn: cleanText(urn),
    name: plain(nameOfUrn(urn)),
    ...(id && { id: plain(id) }),
    host: hostOf(type)?.name ?? "plugin",
    ...disruption,
    properties: action === "delete" || action === "release" ? [] : change.properties,
    ...(typeof hostName === "string" && hostName !== "" && { hostName: plain(hostName) }),
    ...(impact.move && { move: { from: plain(impact.move.from), to: plain(impact.move.to) } }),
    disabled,
    ...(isRefused(planned) && { refused: true }),
    ...(impact.sizeCu && { sizeCu: impact.sizeCu }),
    ...(impact.maxConnections && { maxConnections: impact.maxConnections }),
    ...(impact.memoryGb && { memoryGb: impact.memoryGb }),
    ...(impact.suspendTimeoutSeconds && { suspendTimeoutSeconds: impact.suspendTimeoutSeconds }),
    computeHours: hoursOf(action, impact, disabled, profile),
    notes: [...noteMessages(planned, change, disruption), ...impactNotes(impact, change)].map((note) =>
      cleanText(note),
    ),
  };
}

function readFor(planned: PlannedEndpoint): ReadChange {
  const { action, before } = planned;
  if (action === "adopt" && before) return readTakeover(planned);
  return ["create", "adopt", "recreate", "import"].includes(action) ? readCreation(planned) : readChange(planned);
}

function impactFor(
  { action, before, after, deletesFirst = false }: PlannedEndpoint,
  change: ReadChange,
  profile: Profile | undefined,
): Impact {
  const { state, inputs, found } = change;
  switch (action) {
    case "create":
      return impactOf({ kind: "create", inputs, profile });
    case "recreate":
      return { ...impactOf({ kind: "create", inputs, profile }), hostChanges: true };
    case "adopt": {
      if (before) return impactOf({ kind: "update", state, inputs, found, profile });
      // A hidden change gets a new endpoint's figures, and waits for an idle moment if the program asks for it.
      const { restartWhen, ...rest } = inputs;
      const waits = restartWhen === "idle" && { waitsForIdle: true as const };
      return { ...impactOf({ kind: "create", inputs: rest, profile }), ...waits };
    }
    case "import": {
      // An imported endpoint is running and stays as it is.
      return impactOf({ kind: "update", state: { ...stateWanted(inputs), ...after?.outputs }, profile });
    }
    case "update":
    case "replace":
      return impactOf({ kind: action, state, inputs, found, deletesFirst, profile });
    case "delete":
    case "release":
      return impactOf({ kind: action, state, profile });
  }
}

function disabledOf(planned: PlannedEndpoint, { state, inputs, found }: ReadChange): BeforeAfter<boolean> {
  const { action } = planned;
  const old = planValue(planned.before?.outputs.disabled).is;
  const isTold = old !== "secret" && old !== "unknown";
  const before = state.disabled === true;
  const told = { ...(isTold && { before }) };
  if (action === "delete" || action === "release") return told;

  const kept = action === "update" && !("disabled" in found) ? before : false;
  const after = typeof inputs.disabled === "boolean" ? inputs.disabled : kept;
  const isNew = action === "create" || action === "recreate" || (action === "adopt" && !planned.before);
  return isNew ? { after } : { ...told, after };
}

/** True if `protect` refuses the change: a delete, release or replacement, even of an endpoint that would be kept. */
function isRefused({ action, before, op, goesWith }: PlannedEndpoint): boolean {
  // The engine does nothing to it: another resource takes it along.
  if (goesWith !== undefined && (harmless.has(op) || op === "update")) return false;
  return before?.protect === true && (action === "delete" || action === "release" || action === "replace");
}

/** The impact's other notes, and the unknown values that it depends on. Secrets have a note of their own. */
function impactNotes({ notes, unknown = [] }: Impact, { secret }: ReadChange): string[] {
  return [...notes, ...unknownNotes(unknown.filter((name) => !secret.includes(name)))];
}

function noteMessages(planned: PlannedEndpoint, change: ReadChange, { accessOpens }: Disruption): string[] {
  const { action, before, leftover, goesWith } = planned;
  const { secret } = change;
  const notes: string[] = [];
  if (secret.length > 0) notes.push(`secret, so the plan does not show the change: ${listed(secret)}`);
  if (leftover)
    notes.push(`an earlier run replaced it; it is still to ${action === "release" ? "leave the stack" : "be deleted"}`);
  if (action === "adopt") notes.push(takeoverNote(planned));
  if (action === "import")
    notes.push("comes into the stack as it is; it changes in the run after, if the program says otherwise");
  if (goesWith !== undefined)
    notes.push(
      `goes with ${plain(nameOfUrn(goesWith))} (deletedWith), which this plan deletes, whatever else keeps it`,
    );
  if (action === "delete") notes.push(PERMANENT);
  if (isRefused(planned)) notes.push("protected: `up` refuses it");
  if (planned.mayBeReplaced) notes.push("may be deleted and created again, with another host: the plan does not say");
  if (happens(accessOpens)) notes.push(formatEffect("accessOpens", accessOpens));
  if (action === "replace" && before?.retainOnDelete && goesWith === undefined)
    notes.push("retainOnDelete keeps the old endpoint, outside the stack");
  if (action === "recreate")
    notes.push("somebody deleted it: the next deployment creates a new one, under another host name");

  // The preview's message on open operations of an earlier run.
  return action === "update" ? [...notes, ...keptMessages(change.state, change.inputs)] : notes;
}

function takeoverNote({ op, after }: PlanStep): string {
  if (op === "create" || after?.inputs.adoptExisting === true)
    return "takes over the endpoint that the branch has; whatever differs from it changes in place, and destroy releases it";
  const { importId } = after?.inputs ?? {};
  if (importId === UNKNOWN || (importId !== undefined && importId === after?.id))
    return "takes over the endpoint that importId names; whatever differs from it changes in place, and it becomes the fleet's own";
  if (importId !== undefined)
    return "may take over the endpoint that importId names; whatever differs from it changes in place";
  const took = after?.id === undefined ? "may take up an endpoint" : "takes up the endpoint";
  return `${took} that an earlier run created for it; whatever differs from it changes in place`;
}

/** Monthly compute-hours before and after; an unknown side is absent. */
function hoursOf(
  action: Action,
  impact: Impact,
  disabled: BeforeAfter<boolean>,
  profile: Profile | undefined,
): BeforeAfter<Range> {
  const { sizeCu, suspendTimeoutSeconds: suspend } = impact;
  const present = computeHours(sizeCu?.before, suspend?.before, disabled.before, profile);
  const planned = computeHours(sizeCu?.after, suspend?.after, disabled.after, profile);
  const before = action === "create" || action === "recreate" ? NONE : present;
  const after = action === "delete" ? NONE : action === "release" ? present : planned;
  return { ...(before && { before }), ...(after && { after }) };
}

/**
 * The range of an endpoint's monthly compute-hours, from 0 if it can suspend (specification, section 3.4). Undefined if
 * unknown.
 */
function computeHours(
  sizeCu: Range | undefined,
  suspendTimeoutSeconds: number | undefined,
  disabled: boolean | undefined,
  profile: Profile | undefined,
): Range | undefined {
  if (disabled) return NONE;
  if (sizeCu === undefined) return undefined;
  // On some platform a size above this never suspends.
  if (profile === undefined && sizeCu.max > LEAST_ALWAYS_ACTIVE) return undefined;
  const suspends = effectiveSuspendSeconds(suspendTimeoutSeconds) !== "never";
  return { min: suspends ? 0 : sizeCu.min * HOURS_PER_MONTH, max: sizeCu.max * HOURS_PER_MONTH };
}
