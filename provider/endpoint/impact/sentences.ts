/** The impact of a change in short sentences, for the preview and the review. */
import { formatSize, plain } from "../../lib/wording";
import { DEFAULT_SUSPEND_SECONDS } from "../../platform/profiles/profile";
import { effectiveSuspendSeconds, USE_DEFAULT_SUSPEND } from "../rules/autosuspend";
import type { BeforeAfter, Range } from "./figures";
import type { Impact } from "./impact";

/** The start of the note on undoing a restore, which the review parses. */
const UNDOES = "brings back the data of before the restore that made branch ";

/** The impact in short sentences: the effects, worst first, then the figures and the notes. */
export function impactMessages(impact: Impact): string[] {
  return [...effectLines(impact), ...figureLines(impact), ...impact.notes, ...unknownNotes(impact.unknown ?? [])];
}

/** The preview's message on an update that undoes a restore; `restoreUndoneIn` parses it. */
export function undoesRestoreMessage(branchId: string): string {
  return `${UNDOES}${branchId}`;
}

/** The branch in a message of `undoesRestoreMessage`; undefined for other text. */
export function restoreUndoneIn(message: string): string | undefined {
  const at = message.indexOf(UNDOES);
  return at < 0 ? undefined : message.slice(at + UNDOES.length).match(/^[a-z0-9-]+/)?.[0];
}

function effectLines(impact: Impact): string[] {
  switch (impact.kind) {
    case "create":
      return [];
    case "update":
      return updateLines(impact);
    case "replace":
      return replaceLines(impact);
    case "delete":
      return [`deletes the endpoint permanently${impact.dropsConnections ? ": open connections are dropped" : ""}`];
    case "release":
      return ["releases the endpoint: it keeps running, outside this stack; connections stay"];
  }
}

function updateLines(impact: Impact): string[] {
  const lines: string[] = [];
  if (impact.waitsForIdle) {
    lines.push(`waits for an idle moment${impact.restarts ? ", then restarts the endpoint" : ""}`);
  } else if (impact.restarts) lines.push("restarts the endpoint: open connections are dropped");
  if (impact.downtime) lines.push("disables the endpoint: it is suspended, and no connection can wake it");
  if (impact.move) lines.push(`moves from ${plain(impact.move.from)} to ${plain(impact.move.to)}`);
  const onlyMoves = impact.move !== undefined && !impact.restarts && !impact.downtime;
  if (onlyMoves && impact.dropsConnections) lines.push("suspends the endpoint: open connections are dropped");

  // Every doubt is in these, so without them the effect is certain.
  const isCertain = impact.notes.length === 0 && impact.unknown === undefined;
  if (lines.length === 0 && isCertain) lines.push("no restart; connections stay");
  return lines;
}

function replaceLines(impact: Impact): string[] {
  const drops = impact.dropsConnections ? ": open connections are dropped" : "";
  const lines = [`replaces the endpoint${drops}`, "host name changes"];
  if (impact.staysDown) lines.push("downtime: the new endpoint is disabled, so nobody can connect until it is enabled");
  else if (impact.downtime) lines.push("downtime: nobody can connect between the old endpoint and the new one");
  return lines;
}

function figureLines(impact: Impact): string[] {
  // A deleted or released endpoint has no figures to compare.
  if (impact.kind === "delete" || impact.kind === "release") return [];
  const { sizeCu, maxConnections, connectionsSetBy, memoryGb, suspendTimeoutSeconds } = impact;
  return [
    ...figureLine("size", sizeCu, ({ min, max }) => formatSize(min, max)),
    ...figureLine("max_connections", maxConnections, String, ` (set by ${connectionsSetBy})`),
    ...figureLine("memory", memoryGb, formatMemory),
    ...figureLine("autosuspend", suspendTimeoutSeconds, formatSuspend, "", sameSuspend),
  ];
}

function figureLine<T>(
  label: string,
  sides: BeforeAfter<T> | undefined,
  show: (side: T) => string,
  suffix = "",
  same: (a: T, b: T) => boolean = (a, b) => show(a) === show(b),
): string[] {
  if (sides?.after === undefined) return [];
  if (sides.before === undefined) return [`${label} ${show(sides.after)}${suffix}`];
  if (same(sides.before, sides.after)) return [];
  return [`${label} ${show(sides.before)} -> ${show(sides.after)}${suffix}`];
}

/** Formats a range of memory. */
export function formatMemory({ min, max }: Range): string {
  return min === max ? `${min} GB` : `${min} to ${max} GB`;
}

/** Formats an autosuspend delay. */
export function formatSuspend(seconds: number): string {
  if (seconds === USE_DEFAULT_SUSPEND) return `after ${DEFAULT_SUSPEND_SECONDS} s (default)`;
  const delay = effectiveSuspendSeconds(seconds);
  return delay === "never" ? delay : `after ${delay} s`;
}

// 0 and 300 are the same delay, so a change between them is not shown.
function sameSuspend(a: number, b: number): boolean {
  return effectiveSuspendSeconds(a) === effectiveSuspendSeconds(b);
}

/** A note that the impact depends on these unknown values; empty without any. */
export function unknownNotes(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`depends on values not known yet: ${names.join(", ")}`];
}
