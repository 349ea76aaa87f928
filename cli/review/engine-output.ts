import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import {
  nameOf,
  type Plan,
  type PlanMessage,
  type PlanState,
  type PlanStep,
  readProperties,
  typeOf,
} from "./plan-model";
import { COLOUR_MARKS } from "./redact";

/** The two forms in which the engine prints a plan: one document at its end, or an event a line as it goes. */

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

const resource = z.object({
  metadata: z.object({
    op: z.string(),
    urn: z.string(),
    type: z.string(),
    old: printedState.nullish(),
    new: printedState.nullish(),
    keys: z.array(z.string()).nullish(),
    diffs: z.array(z.string()).nullish(),
    detailedDiff: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const event = z.object({
  sequence: z.number(),
  timestamp: z.number(),
  preludeEvent: z.object({ config: z.record(z.string(), z.string()).nullish() }).nullish(),
  resourcePreEvent: resource.nullish(),
  resOutputsEvent: resource.nullish(),
  resOpFailedEvent: resource.nullish(),
  diagnosticEvent: diagnostic.nullish(),
  policyEvent: z
    .object({
      message: z.string(),
      policyName: z.string(),
      enforcementLevel: z.string(),
      resourceUrn: z.string().nullish(),
    })
    .nullish(),
  summaryEvent: z.object({ result: z.string().nullish() }).nullish(),
});

/** The plan of the document that `pulumi preview --json` prints at its end; `undefined` where it is none. */
export function readDigest(document: unknown): Plan | undefined {
  const parsed = digest.safeParse(document);
  if (!parsed.success) return undefined;
  const { steps, diagnostics, config, changeSummary, duration } = parsed.data;
  if (!steps && !diagnostics && !changeSummary && duration === undefined) return undefined;
  const errors = (diagnostics ?? []).filter(isError);
  return {
    steps: (steps ?? []).map(
      ({ op, urn, oldState, newState, diffReasons, replaceReasons, detailedDiff }): PlanStep => ({
        op,
        urn,
        type: newState?.type ?? oldState?.type ?? "",
        ...sides(oldState, newState),
        ...changedNames(diffReasons, replaceReasons, detailedDiff),
      }),
    ),
    errors: errors.map(({ message }) => engineMessage(message)),
    messages: (diagnostics ?? []).flatMap(toMessage),
    complete: true,
    ...kindOf((steps ?? []).filter((one) => isStack(one.urn)).map(({ op }) => op)),
    untold: untoldIn(steps ?? [], changeSummary ?? {}),
    config: config ?? {},
  };
}

/** The plan of the engine's events (its streamed form, and that of `pulumi up --json`); `undefined` where they are none. */
export function readEvents(lines: readonly unknown[]): Plan | undefined {
  const parsed = z.array(event).safeParse(lines);
  if (!parsed.success) return undefined;
  // A step has an event before and one after it, which knows more.
  const steps = new Map<string, PlanStep>();
  const plan: Plan = { steps: [], errors: [], messages: [], complete: false, untold: 0, config: {} };
  const begun: string[] = [];
  for (const one of parsed.data) {
    if (one.resourcePreEvent && isStack(one.resourcePreEvent.metadata.urn))
      begun.push(one.resourcePreEvent.metadata.op);
    const { metadata } = one.resourcePreEvent ?? one.resOutputsEvent ?? one.resOpFailedEvent ?? {};
    if (metadata) steps.set(`${metadata.op} ${metadata.urn} ${metadata.old?.id ?? ""}`, toStep(metadata));
    if (one.diagnosticEvent?.severity === "error") plan.errors.push(engineMessage(one.diagnosticEvent.message));
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
  return typeOf(urn) === "pulumi:pulumi:Stack";
}

function toStep({ op, urn, type, old, new: next, diffs, keys, detailedDiff }: z.output<typeof resource>["metadata"]) {
  return { op, urn, type, ...sides(old, next), ...changedNames(diffs, keys, detailedDiff) };
}

/** A violation, of which the engine's summary form says only that the preview failed. */
function policyMessage({
  policyName,
  resourceUrn,
  message,
}: {
  policyName: string;
  resourceUrn?: string | null | undefined;
  message: string;
}) {
  const name = resourceUrn ? ` (${nameOf(resourceUrn)})` : "";
  return `policy ${policyName}${name}: ${engineMessage(message)}`;
}

/** Both sides of a step, as far as they are there. */
function sides(
  before: z.output<typeof printedState> | null | undefined,
  after: z.output<typeof printedState> | null | undefined,
): Pick<PlanStep, "before" | "after"> {
  return { ...(before && { before: toState(before) }), ...(after && { after: toState(after) }) };
}

/** The changed properties as the provider named them: a provider that names none gives no list at all. */
function changedNames(
  diffs: readonly string[] | null | undefined,
  replaces: readonly string[] | null | undefined,
  detailed: Readonly<Record<string, unknown>> | null | undefined,
): Pick<PlanStep, "changed"> {
  if (!diffs && !detailed) return {};
  return { changed: [...new Set([...(diffs ?? []), ...(replaces ?? []), ...Object.keys(detailed ?? {})])] };
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

function toState(printed: z.output<typeof printedState>): PlanState {
  const id = printed.id || printed.importID;
  return {
    ...(id && { id }),
    inputs: readProperties(printed.inputs ?? undefined),
    outputs: readProperties(printed.outputs ?? undefined),
    ...(printed.delete && { delete: true }),
    ...(printed.pendingReplacement && { pendingReplacement: true }),
    ...(printed.retainOnDelete && { retainOnDelete: true }),
    ...(printed.external && { external: true }),
    ...(printed.provider && { provider: printed.provider }),
    ...(printed.propertyDependencies && { sources: sourcesOf(printed.propertyDependencies) }),
  };
}

function sourcesOf(printed: Readonly<Record<string, string[] | null | undefined>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(printed).map(([name, urns]) => [name, urns ?? []]));
}
