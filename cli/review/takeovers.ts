/** Endpoints that change hands within a plan: who takes one over makes no new one, and who has had it lets it go. */
import { TAKES } from "../../provider/endpoint/input-notes";
import type { PlanStep } from "./plan-model";

/** Of a replacement, steps that bring the new one. */
const arriving = new Set(["replace", "create-replacement"]);
const leaving = new Set(["delete", "delete-replaced"]);
const taking = new Set(["take", "take-up"]);

/**
 * The steps with what a single endpoint takes over as such; a fleet's members have been told apart already. Who had it deletes nothing:
 * what another resource has by then, one and the same provider leaves alone. What takes over its own endpoint is not replaced.
 */
export function withTakeovers(steps: readonly PlanStep[]): PlanStep[] {
  const first = new Map<string, PlanStep>();
  for (const step of steps) {
    if ((arriving.has(step.op) || step.op === "delete-replaced") && !first.has(step.urn)) first.set(step.urn, step);
  }
  const deletesFirst = ({ urn }: PlanStep) =>
    first.get(urn)?.op === "delete-replaced" || first.get(urn)?.before?.pendingReplacement === true;
  const told = steps.flatMap((step): PlanStep[] => {
    const taken = takenBy(step);
    if (!taken) return [step];
    if (step.op === "create") return [taken];
    const isOwn = taken.after?.id !== undefined && taken.after.id === step.before?.id;
    const whole = step.op === "replace" ? [taken] : [];
    if (!isOwn) return [step, ...whole];
    return deletesFirst(step) ? [step] : whole;
  });
  const takers = new Map(
    told.flatMap((step) => (taking.has(step.op) && step.after?.id ? [[step.after.id, step] as const] : [])),
  );
  return told.filter(({ op, before }) => {
    const taker = leaving.has(op) ? takers.get(before?.id ?? "") : undefined;
    return !taker || taker.after?.provider !== before?.provider;
  });
}

/** The takeover in a step, without what the resource had before; undefined where it takes over nothing. */
function takenBy({ op, before: _, ...step }: PlanStep): PlanStep | undefined {
  const { after } = step;
  const takes = after?.inputs[TAKES];
  if (typeof takes !== "string" || !(op === "create" || arriving.has(op))) return undefined;
  const { projectId } = after?.inputs ?? {};
  const id = typeof projectId === "string" ? `${projectId}/${takes}` : undefined;
  return { ...step, op: "take-up", after: { inputs: {}, outputs: {}, ...after, ...(id !== undefined && { id }) } };
}
