import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { nameOfUrn, typeOfUrn } from "../../provider/lib/owner";
import { cleanText } from "../../provider/lib/redact";
import { CommandError, unreadable } from "../exit-code";
import { decodeText, parseJson } from "../input";
import { type Plan, type PlanMessage, type PlanState, type PlanStep, readProperties } from "./plan-model";

/** Parses the engine's output in any of its formats. */

// Characters to remove. The visible rest of a terminal sequence stays.
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Maximum depth of a document. Real values need a few levels; more is an attack. */
const MAX_DEPTH = 500;

/** A shorter PGCOMPUTE_API_KEY is no key, and hiding it would remove ordinary words. */
const SHORTEST_KEY = 8;

/** The colour marks in the engine's messages, as in `<{%fg 1%}>`. */
const COLOUR_MARKS = /<\{%[^%<]{0,40}%\}>/g;

/** Fields that identify a step, and must not be redacted. */
const structural = new Set(["op", "type"]);

const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]|<\{%/u;

/** Maximum size of a plan, in bytes; ten thousand endpoints take about 100 MB. */
const MAX_BYTES = 256 * 1024 * 1024;

const properties = z.record(z.string(), z.unknown()).nullish();
const names = z.array(z.string()).nullish();
/** A resource's state as the engine prints it: the fields that are read. */
const state = z
  .object({
    id: z.string().nullish(),
    /** The id of a resource to import. */
    importID: z.string().nullish(),
    type: z.string().nullish(),
    inputs: properties,
    outputs: properties,
    propertyDependencies: z.record(z.string(), names).nullish(),
    delete: z.boolean().nullish(),
    pendingReplacement: z.boolean().nullish(),
    retainOnDelete: z.boolean().nullish(),
    protect: z.boolean().nullish(),
    external: z.boolean().nullish(),
    provider: z.string().nullish(),
    deletedWith: z.string().nullish(),
  })
  .transform(({ id, importID, inputs, outputs, propertyDependencies, ...rest }): PlanState => {
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
  })
  .nullish();
/** How a property differs; the forms name it differently. */
const detail = z.object({ kind: z.string().nullish(), diffKind: z.string().nullish() });
/** A step in either form; the forms name its parts differently. A provider's list of changes may be null. */
const step = z
  .object({
    op: z.string(),
    urn: z.string(),
    type: z.string().nullish(),
    ...{ old: state, oldState: state, new: state, newState: state },
    ...{ diffs: names, diffReasons: names, keys: names, replaceReasons: names },
    detailedDiff: z.record(z.string(), detail).nullish(),
  })
  .transform(({ op, urn, detailedDiff, ...printed }): PlanStep => {
    const [before, after] = [printed.old ?? printed.oldState, printed.new ?? printed.newState];
    const [diffs, keys] = [printed.diffs ?? printed.diffReasons, printed.keys ?? printed.replaceReasons];
    const details = Object.entries(detailedDiff ?? {});
    const changed = new Set([...(diffs ?? []), ...(keys ?? []), ...details.map(([path]) => path)]);
    const added = details.flatMap(([path, { kind, diffKind }]) => ((kind ?? diffKind) === "add" ? [path] : []));

    return {
      // The URN tells the type in every form, and decides it for the engine.
      ...{ op, urn, type: typeOfUrn(urn) ?? printed.type ?? after?.type ?? before?.type ?? "" },
      ...(before && { before }),
      ...(after && { after }),
      ...((diffs || detailedDiff) && { changed: [...changed] }),
      ...(added.length > 0 && { added }),
    };
  });
const diagnostic = z.object({
  message: z.string(),
  severity: z.string(),
  urn: z.string().nullish(),
  /** True for a line that a later one replaces. */
  ephemeral: z.boolean().nullish(),
});
const digest = z.object({
  config: z.record(z.string(), z.string()).nullish(),
  steps: z.array(step).nullish(),
  diagnostics: z.array(diagnostic).nullish(),
  duration: z.number().nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});
const resource = z.object({ metadata: step }).nullish();
const event = z.object({
  sequence: z.number(),
  timestamp: z.number(),
  preludeEvent: z.object({ config: z.record(z.string(), z.string()).nullish() }).nullish(),
  resourcePreEvent: resource,
  resOutputsEvent: resource,
  resOpFailedEvent: resource,
  diagnosticEvent: diagnostic.nullish(),
  policyEvent: z
    .object({
      message: z.string(),
      policyName: z.string(),
      enforcementLevel: z.string(),
      /** The pack's exceptions that match it: it then fails no deployment. */
      exceptions: z.array(z.unknown()).nullish(),
      resourceUrn: z.string().nullish(),
    })
    .nullish(),
  summaryEvent: z.object({ result: z.string().nullish() }).nullish(),
});

/**
 * Parses the output of `pulumi preview --json`, a document or events. Hides anything like a key. Throws `CommandError`
 * for other input.
 */
export function readPlan(bytes: Uint8Array, apiKey?: string): Plan {
  if (bytes.byteLength > MAX_BYTES) throw unreadable("plan", `it has more than ${MAX_BYTES} bytes`);
  const text = decodeText(bytes).trim();
  if (text === "") {
    throw new CommandError(
      "there is no plan to read: the input is empty (did `pulumi preview --json` fail before it?)",
    );
  }

  const redact = createRedactor(apiKey);
  const lines = text.split("\n");
  const whole = parse(documentIn(lines), redact);
  if (whole !== undefined) {
    const plan = readDigest(whole) ?? readEvents([whole]);
    if (plan) return plan;
  }

  const events = lines.filter(isOfPlan).map((line) => parse(line, redact));
  const plan = events.length === 0 || events.includes(undefined) ? undefined : readEvents(events);
  if (plan) return plan;
  throw new CommandError(
    "this is not what `pulumi preview --json` prints: give its standard output, in which a plan begins with { on a line of its own",
  );
}

/**
 * The lines from the first that begins as a plan does to the last that ends one: the engine may print others around. As
 * the engine indents a plan, its outer braces have lines of their own.
 */
function documentIn(lines: readonly string[]): string {
  const isAlone = (brace: string) => (line: string) => line.trimEnd() === brace;
  const [first, last] = [lines.findIndex(isAlone("{")), lines.findLastIndex(isAlone("}"))];
  const from = first < 0 ? lines.findIndex(isOfPlan) : first;
  const to = last < 0 ? lines.findLastIndex((line) => line.trimEnd().endsWith("}")) : last;
  return from < 0 ? "" : lines.slice(from, to + 1).join("\n");
}

/** True for the first line of a document, and for each event. */
function isOfPlan(line: string): boolean {
  return line.startsWith("{");
}

function parse(text: string, redact: (document: unknown) => unknown): unknown {
  const document = parseJson(text);
  return document === undefined ? undefined : redact(document);
}

/** The plan in the final document of `pulumi preview --json`; undefined for other data. */
function readDigest(document: unknown): Plan | undefined {
  const parsed = digest.safeParse(document);
  if (!parsed.success) return undefined;
  const { steps, diagnostics, config, changeSummary, duration } = parsed.data;
  if (!steps && !diagnostics && !changeSummary && duration === undefined) return undefined;

  return {
    steps: steps ?? [],
    ...saidIn(diagnostics ?? []),
    complete: true,
    ...kindOf(steps ?? []),
    untold: untoldIn(steps ?? [], changeSummary ?? {}),
    hidesLeftDeletes: !(steps ?? []).some(({ op }) => op === "create-replacement" || op === "delete-replaced"),
    config: config ?? {},
  };
}

/** The plan in the engine's events (the streamed form, and that of `pulumi up --json`); undefined for other data. */
function readEvents(lines: readonly unknown[]): Plan | undefined {
  const parsed = z.array(event).safeParse(lines);
  if (!parsed.success) return undefined;
  const events = parsed.data;
  const told = events.flatMap((one) => one.resourcePreEvent ?? one.resOutputsEvent ?? one.resOpFailedEvent ?? []);

  // The second event of a step, after it ran, has more data.
  const steps = new Map(told.map(({ metadata: one }) => [`${one.op} ${one.urn} ${one.before?.id ?? ""}`, one]));
  const said = saidIn(events.flatMap(({ diagnosticEvent }) => diagnosticEvent ?? []));
  const violations = events.flatMap(({ policyEvent }) => policyEvent ?? []);

  const errors = [
    ...said.errors,
    ...violations
      .filter(({ enforcementLevel, exceptions }) => enforcementLevel === "mandatory" && !exceptions?.length)
      // The engine's summary form reduces these to "the preview failed".
      .map(({ policyName, resourceUrn, message }) => {
        const name = resourceUrn ? ` (${nameOfUrn(resourceUrn)})` : "";
        return `policy ${policyName}${name}: ${engineMessage(message)}`;
      }),
  ];

  const end = events.findLast(({ summaryEvent }) => summaryEvent)?.summaryEvent;
  return {
    ...said,
    errors: errors.length === 0 && end?.result === "failed" ? ["the preview failed"] : errors,
    steps: [...steps.values()],
    complete: end !== undefined,
    ...kindOf(events.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? [])),
    untold: 0,
    hidesLeftDeletes: false,
    config: events.findLast(({ preludeEvent }) => preludeEvent)?.preludeEvent?.config ?? {},
  };
}

/** Distinguishes a refresh, with read steps only, from a preview with `--refresh`, which has more. */
function kindOf(steps: readonly PlanStep[]): Pick<Plan, "refreshes"> {
  const ops = steps.filter(({ type }) => type === "pulumi:pulumi:Stack").map(({ op }) => op);
  return ops.length === 0 ? {} : { refreshes: ops.every((op) => op === "refresh") };
}

/** The number of changes missing from a refresh's summary form, which shows only those with a detailed diff. */
function untoldIn(steps: readonly PlanStep[], summary: Readonly<Record<string, number>>): number {
  if (!steps.some(({ op }) => op === "refresh")) return 0;
  return Math.max(0, (summary.update ?? 0) - steps.filter(({ op }) => op === "update").length);
}

/**
 * The errors and messages among the engine's diagnostics. YAML's host reports program errors as information without a
 * resource.
 */
function saidIn(diagnostics: readonly z.output<typeof diagnostic>[]): Pick<Plan, "errors" | "failed" | "messages"> {
  const all = diagnostics.map((one) => ({ ...one, message: engineMessage(one.message) }));
  const errors = all.filter(
    ({ severity, urn, message }) =>
      severity === "error" ||
      (severity.startsWith("info") && !urn && /^Error: /.test(stripVTControlCharacters(message))),
  );

  const messages = all.flatMap(({ urn, severity, message, ephemeral }): PlanMessage[] =>
    urn && !ephemeral && (severity === "warning" || severity === "info") ? [{ urn, severity, message }] : [],
  );
  return { errors: errors.map(({ message }) => message), failed: errors.flatMap(({ urn }) => urn ?? []), messages };
}

/** A message without the engine's colour marks and leading severity. */
function engineMessage(message: string): string {
  return message
    .replace(COLOUR_MARKS, "")
    .replace(/^(?:error|warning|info): /, "")
    .trim();
}

/**
 * Returns a function that copies a document with its keys hidden, equal ones equally. Throws `CommandError` beyond 500
 * levels.
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
    if (depth > MAX_DEPTH)
      throw unreadable("plan", `it has more than ${MAX_DEPTH} levels, which no program's values have`);
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

/** The text as readers see it if a key is in it; else the text unchanged. */
function shownForm(text: string, pattern: RegExp): string {
  if (!hidden.test(text)) return text;
  const bare = text.replace(COLOUR_MARKS, "");
  const forms = [cleanText(bare, Number.POSITIVE_INFINITY), bare.replace(CONTROLS, "")];
  return forms.find((form) => form.search(pattern) >= 0) ?? text;
}

/** Matches keys, and texts like our mask: a program's own `[API key]` must not pass for a hidden key. */
function keyPattern(apiKey: string | undefined): RegExp {
  const known = apiKey !== undefined && apiKey.length >= SHORTEST_KEY ? `${escapeRegExp(apiKey)}|` : "";
  return new RegExp(`${known}napi_[A-Za-z0-9_-]{${SHORTEST_KEY},}|\\[API key[^\\]]{0,20}\\]`, "g");
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
