import { z } from "zod";
import type { Plan, PlanState, PlanStep } from "./plan";
import { readProperties } from "./values";

const properties = z.record(z.string(), z.unknown()).nullish();

/** A resource's state as the engine prints it; more is in it than is read. */
export const printedState = z.object({
  id: z.string().nullish(),
  /** Of a resource that is to be imported. */
  importID: z.string().nullish(),
  type: z.string().nullish(),
  inputs: properties,
  outputs: properties,
  delete: z.boolean().nullish(),
  pendingReplacement: z.boolean().nullish(),
  retainOnDelete: z.boolean().nullish(),
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

const digest = z.object({
  config: z.record(z.string(), z.string()).nullish(),
  steps: z.array(step).nullish(),
  diagnostics: z.array(z.object({ message: z.string(), severity: z.string() })).nullish(),
  duration: z.number().nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});

/** The plan of the document that `pulumi preview --json` prints at its end; `undefined` where it is none. */
export function readDigest(document: unknown): Plan | undefined {
  const parsed = digest.safeParse(document);
  if (!parsed.success) return undefined;
  const { steps, diagnostics, config, changeSummary, duration } = parsed.data;
  if (!steps && !diagnostics && !changeSummary && duration === undefined) return undefined;
  const errors = (diagnostics ?? []).filter(({ severity }) => severity === "error");
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
    errors: errors.map(({ message }) => errorText(message)),
    complete: true,
    config: config ?? {},
  };
}

/** Both sides of a step, as far as they are there. */
export function sides(
  before: z.output<typeof printedState> | null | undefined,
  after: z.output<typeof printedState> | null | undefined,
): Pick<PlanStep, "before" | "after"> {
  return { ...(before && { before: toState(before) }), ...(after && { after: toState(after) }) };
}

/** The changed properties as the provider named them: a provider that names none gives no list at all. */
export function changedNames(
  diffs: readonly string[] | null | undefined,
  replaces: readonly string[] | null | undefined,
  detailed: Readonly<Record<string, unknown>> | null | undefined,
): Pick<PlanStep, "changed"> {
  if (!diffs && !detailed) return {};
  return { changed: [...new Set([...(diffs ?? []), ...(replaces ?? []), ...Object.keys(detailed ?? {})])] };
}

/** A message without the engine's colour marks and without the word that the engine puts before it. */
export function errorText(message: string): string {
  return message
    .replace(/<\{%.*?%\}>/g, "")
    .replace(/^error: /, "")
    .trim();
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
  };
}
