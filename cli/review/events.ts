import { z } from "zod";
import { changedNames, errorText, printedState, sides } from "./digest";
import type { Plan, PlanStep } from "./plan";
import { nameOf } from "./urn";

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
  diagnosticEvent: z.object({ message: z.string(), severity: z.string() }).nullish(),
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

/** The plan of the engine's events (its streamed form, and that of `pulumi up --json`); `undefined` where they are none. */
export function readEvents(lines: readonly unknown[]): Plan | undefined {
  const parsed = z.array(event).safeParse(lines);
  if (!parsed.success) return undefined;
  // A step has an event before and one after it, which knows more.
  const steps = new Map<string, PlanStep>();
  const plan: Plan = { steps: [], errors: [], complete: false, config: {} };
  for (const one of parsed.data) {
    const { metadata } = one.resourcePreEvent ?? one.resOutputsEvent ?? one.resOpFailedEvent ?? {};
    if (metadata) steps.set(`${metadata.op} ${metadata.urn} ${metadata.old?.id ?? ""}`, toStep(metadata));
    if (one.diagnosticEvent?.severity === "error") plan.errors.push(errorText(one.diagnosticEvent.message));
    if (one.policyEvent?.enforcementLevel === "mandatory") plan.errors.push(policyText(one.policyEvent));
    if (one.preludeEvent) plan.config = one.preludeEvent.config ?? {};
    if (one.summaryEvent) {
      plan.complete = true;
      if (one.summaryEvent.result === "failed" && plan.errors.length === 0) plan.errors.push("the preview failed");
    }
  }
  plan.steps = [...steps.values()];
  return plan;
}

function toStep({ op, urn, type, old, new: next, diffs, keys, detailedDiff }: z.output<typeof resource>["metadata"]) {
  return { op, urn, type, ...sides(old, next), ...changedNames(diffs, keys, detailedDiff) };
}

/** A violation, of which the engine's summary form says only that the preview failed. */
function policyText({
  policyName,
  resourceUrn,
  message,
}: {
  policyName: string;
  resourceUrn?: string | null;
  message: string;
}) {
  const name = resourceUrn ? ` (${nameOf(resourceUrn)})` : "";
  return `policy ${policyName}${name}: ${errorText(message)}`;
}
