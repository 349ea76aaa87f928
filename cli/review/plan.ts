import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { nameOfUrn, typeOfUrn } from "../../provider/lib/owner";
import { cleanText } from "../../provider/lib/redact";
import { CommandError, unreadable } from "../exit-code";
import { decodeText, parseJson } from "../input";
import { type Plan, type PlanMessage, type PlanState, type PlanStep, readProperties } from "./plan-model";

/** Reads what the engine printed, whatever form it has: bytes to a plan. */

type PrintedState = z.output<typeof printedState>;
type PrintedStep = z.output<typeof printedStep>;
type PrintedViolation = z.output<typeof violation>;

// What a reader without terminal sequences takes out, leaving the rest of a sequence where it stood.
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The most levels of a document. Programs' values have a few; more are an attack. */
const MAX_DEPTH = 500;
const TOO_DEEP = `it has more than ${MAX_DEPTH} levels, which no program's values have`;

/** A shorter value of PGCOMPUTE_API_KEY is no key, and hiding it would take ordinary words out of the report. */
const SHORTEST_KEY = 8;

/** What marks colours in the engine's messages, as in `<{%fg 1%}>`. */
const COLOUR_MARKS = /<\{%[^%<]{0,40}%\}>/g;

/** Fields that say what a step is; a report without them would leave the step out. */
const structural = new Set(["op", "type"]);

const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]|<\{%/u;

/** The largest plan that is read, in bytes; one of ten thousand endpoints has some 100 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
const TOO_LARGE = `it has more than ${MAX_BYTES} bytes`;

const properties = z.record(z.string(), z.unknown()).nullish();
/** A resource's state as the engine prints it; more is in it than is read. */
const printedState = z.object({
  id: z.string().nullish(),
  /** Of a resource that is to be imported. */
  importID: z.string().nullish(),
  type: z.string().nullish(),
  inputs: properties,
  outputs: properties,
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
  delete: z.boolean().nullish(),
  pendingReplacement: z.boolean().nullish(),
  retainOnDelete: z.boolean().nullish(),
  external: z.boolean().nullish(),
  provider: z.string().nullish(),
});
const step = z.object({
  op: z.string(),
  urn: z.string(),
  oldState: printedState.nullish(),
  newState: printedState.nullish(),
  diffReasons: z.array(z.string()).nullish(),
  replaceReasons: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});
const diagnostic = z.object({
  message: z.string(),
  severity: z.string(),
  urn: z.string().nullish(),
  /** Of a line that was written over. */
  ephemeral: z.boolean().nullish(),
});
const digest = z.object({
  config: z.record(z.string(), z.string()).nullish(),
  steps: z.array(step).nullish(),
  diagnostics: z.array(diagnostic).nullish(),
  duration: z.number().nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});
const printedStep = z.object({
  op: z.string(),
  urn: z.string(),
  type: z.string(),
  old: printedState.nullish(),
  new: printedState.nullish(),
  keys: z.array(z.string()).nullish(),
  diffs: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});
const resource = z.object({ metadata: printedStep });
const violation = z.object({
  message: z.string(),
  policyName: z.string(),
  enforcementLevel: z.string(),
  resourceUrn: z.string().nullish(),
});
const event = z.object({
  sequence: z.number(),
  timestamp: z.number(),
  preludeEvent: z.object({ config: z.record(z.string(), z.string()).nullish() }).nullish(),
  resourcePreEvent: resource.nullish(),
  resOutputsEvent: resource.nullish(),
  resOpFailedEvent: resource.nullish(),
  diagnosticEvent: diagnostic.nullish(),
  policyEvent: violation.nullish(),
  summaryEvent: z.object({ result: z.string().nullish() }).nullish(),
});

/**
 * Reads what `pulumi preview --json` prints: one document, or one event a line where the engine streams. Keys of the
 * platform are hidden in it: `apiKey`, and whatever else looks like one. Throws `CommandError` for anything else.
 */
export function readPlan(bytes: Uint8Array, apiKey?: string): Plan {
  if (bytes.byteLength > MAX_BYTES) {
    throw unreadable("plan", TOO_LARGE);
  }
  const text = decodeText(bytes).trim();
  if (text === "") {
    throw new CommandError(
      "there is no plan to read: the input is empty (did `pulumi preview --json` fail before it?)",
    );
  }
  const redact = createRedactor(apiKey);
  const whole = parse(text, redact);
  if (whole !== undefined) {
    const plan = readDigest(whole) ?? readEvents([whole]);
    if (plan) return plan;
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const events = lines.map((line) => parse(line, redact));
  const plan = events.includes(undefined) ? undefined : readEvents(events);
  if (plan) return plan;
  throw new CommandError(
    "this is not what `pulumi preview --json` prints: give its standard output alone, without other text in it",
  );
}

function parse(text: string, redact: (document: unknown) => unknown): unknown {
  const document = parseJson(text);
  return document === undefined ? undefined : redact(document);
}

/** The plan of the document that `pulumi preview --json` prints at its end; `undefined` where it is none. */
function readDigest(document: unknown): Plan | undefined {
  const parsed = digest.safeParse(document);
  if (!parsed.success) return undefined;
  const { steps, diagnostics, config, changeSummary, duration } = parsed.data;
  if (!steps && !diagnostics && !changeSummary && duration === undefined) return undefined;
  const errors = (diagnostics ?? []).filter(isError);
  return {
    steps: (steps ?? []).map(({ oldState: old, newState: next, diffReasons: diffs, replaceReasons: keys, ...one }) =>
      toStep({ ...one, type: next?.type ?? old?.type ?? "", old, new: next, diffs, keys }),
    ),
    errors: errors.map(({ message }) => engineMessage(message)),
    failed: errors.flatMap(({ urn }) => urn ?? []),
    messages: (diagnostics ?? []).flatMap(toMessage),
    complete: true,
    ...kindOf((steps ?? []).filter((one) => isStack(one.urn)).map(({ op }) => op)),
    untold: untoldIn(steps ?? [], changeSummary ?? {}),
    config: config ?? {},
  };
}

/** The plan of the engine's events (its streamed form, and that of `pulumi up --json`); `undefined` where they are none. */
function readEvents(lines: readonly unknown[]): Plan | undefined {
  const parsed = z.array(event).safeParse(lines);
  if (!parsed.success) return undefined;
  // A step has an event before and one after it, which knows more.
  const steps = new Map<string, PlanStep>();
  const plan: Plan = { steps: [], errors: [], failed: [], messages: [], complete: false, untold: 0, config: {} };
  const begun: string[] = [];
  for (const one of parsed.data) {
    if (one.resourcePreEvent && isStack(one.resourcePreEvent.metadata.urn))
      begun.push(one.resourcePreEvent.metadata.op);
    const { metadata } = one.resourcePreEvent ?? one.resOutputsEvent ?? one.resOpFailedEvent ?? {};
    if (metadata) steps.set(`${metadata.op} ${metadata.urn} ${metadata.old?.id ?? ""}`, toStep(metadata));
    if (one.diagnosticEvent?.severity === "error") {
      plan.errors.push(engineMessage(one.diagnosticEvent.message));
      plan.failed.push(...[one.diagnosticEvent.urn ?? []].flat());
    }
    if (one.diagnosticEvent) plan.messages.push(...toMessage(one.diagnosticEvent));
    if (one.policyEvent?.enforcementLevel === "mandatory") plan.errors.push(policyMessage(one.policyEvent));
    if (one.preludeEvent) plan.config = one.preludeEvent.config ?? {};
    if (one.summaryEvent) {
      plan.complete = true;
      if (one.summaryEvent.result === "failed" && plan.errors.length === 0) plan.errors.push("the preview failed");
    }
  }
  plan.steps = [...steps.values()];
  return { ...plan, ...kindOf(begun) };
}

/** What a refresh does to the stack is nothing else; a preview with `--refresh` refreshes it and then goes on. */
function kindOf(stackOps: readonly string[]): Pick<Plan, "refreshes"> {
  return stackOps.length === 0 ? {} : { refreshes: stackOps.every((op) => op === "refresh") };
}

/** The summary form of a refresh shows a change only where the provider tells a detailed difference. */
function untoldIn(steps: readonly { op: string }[], summary: Readonly<Record<string, number>>): number {
  if (!steps.some(({ op }) => op === "refresh")) return 0;
  return Math.max(0, (summary.update ?? 0) - steps.filter(({ op }) => op === "update").length);
}

function isStack(urn: string): boolean {
  return typeOfUrn(urn) === "pulumi:pulumi:Stack";
}

/** A step with the changed properties as the provider named them: a provider that names none gives no list at all. */
function toStep({ op, urn, type, old, new: next, diffs, keys, detailedDiff }: PrintedStep): PlanStep {
  const names = [...(diffs ?? []), ...(keys ?? []), ...Object.keys(detailedDiff ?? {})];
  return {
    ...{ op, urn, type },
    ...(old && { before: toState(old) }),
    ...(next && { after: toState(next) }),
    ...((diffs || detailedDiff) && { changed: [...new Set(names)] }),
  };
}

/** A violation, of which the engine's summary form says only that the preview failed. */
function policyMessage({ policyName, resourceUrn, message }: PrintedViolation): string {
  const name = resourceUrn ? ` (${nameOfUrn(resourceUrn)})` : "";
  return `policy ${policyName}${name}: ${engineMessage(message)}`;
}

/** A message without the engine's colour marks and without the word that the engine puts before it. */
function engineMessage(message: string): string {
  return message
    .replace(COLOUR_MARKS, "")
    .replace(/^(?:error|warning|info): /, "")
    .trim();
}

/** True for an error; YAML's host says those of a program as information of no resource. */
function isError({ severity, urn, message }: z.output<typeof diagnostic>): boolean {
  if (severity === "error") return true;
  return severity.startsWith("info") && !urn && /^Error: /.test(stripVTControlCharacters(engineMessage(message)));
}

function toMessage({ urn, severity, message, ephemeral }: z.output<typeof diagnostic>): PlanMessage[] {
  if (!urn || ephemeral || (severity !== "warning" && severity !== "info")) return [];
  return [{ urn, severity, message: engineMessage(message) }];
}

function toState({ id, importID, type: _, inputs, outputs, propertyDependencies, ...rest }: PrintedState): PlanState {
  const own = id || importID;
  const flags = Object.fromEntries(Object.entries(rest).filter(([, value]) => value));
  const sources = Object.entries(propertyDependencies ?? {}).map(([name, urns]) => [name, urns ?? []]);
  return {
    ...(own && { id: own }),
    inputs: readProperties(inputs ?? undefined),
    outputs: readProperties(outputs ?? undefined),
    ...flags,
    ...(propertyDependencies && { sources: Object.fromEntries(sources) }),
  };
}

/**
 * Keys of the platform are no part of a report, and the engine itself prints one where a program or a configuration has it in the wrong place.
 * Returns a function that copies a parsed document without them: whatever begins with `napi_`, and `apiKey`. Equal keys become
 * the same text and different ones different texts, so that no difference of the plan is lost. Throws `CommandError` for
 * a document of more than 500 levels.
 */
function createRedactor(apiKey?: string): (document: unknown) => unknown {
  const pattern = keyPattern(apiKey);
  const masks = new Map<string, string>();
  const maskOf = (key: string) => {
    const mask = masks.get(key) ?? (masks.size === 0 ? "[API key]" : `[API key ${masks.size + 1}]`);
    masks.set(key, mask);
    return mask;
  };
  const redact = (text: string) => {
    const shown = shownForm(text, pattern);
    return shown.replace(pattern, (key) => maskOf(shown === text ? key : `${key} ${text}`));
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return redact(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) throw unreadable("plan", TOO_DEEP);
    if (Array.isArray(value)) return value.map((one) => copy(one, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        redact(name),
        structural.has(name) && typeof one === "string" ? one : copy(one, depth + 1),
      ]),
    );
  };
  return (document) => copy(document, 1);
}

/** The text as a reader will see it, where that has a key in it; else the text itself. */
function shownForm(text: string, pattern: RegExp): string {
  if (!hidden.test(text)) return text;
  const bare = text.replace(COLOUR_MARKS, "");
  const forms = [cleanText(bare, Number.POSITIVE_INFINITY), bare.replace(CONTROLS, "")];
  return forms.find((form) => form.search(pattern) >= 0) ?? text;
}

/** Keys, and texts that look like our mask: a program's own `[API key]` must not pass for a hidden key. */
function keyPattern(apiKey: string | undefined): RegExp {
  const known = apiKey !== undefined && apiKey.length >= SHORTEST_KEY ? `${escapeRegExp(apiKey)}|` : "";
  return new RegExp(`${known}napi_[A-Za-z0-9_-]{${SHORTEST_KEY},}|\\[API key[^\\]]{0,20}\\]`, "g");
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
