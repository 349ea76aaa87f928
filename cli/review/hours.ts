import type { BeforeAfter, Impact, Range } from "../../provider/endpoint/impact/impact";
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import type { Action } from "./report-model";

/** Hours of a month, as the platforms bill it: 365 days, a twelfth. */
export const HOURS_PER_MONTH = 730;

/** Compute-hours of a month, in CU-hours: what an endpoint uses at least and at most. */
export type ComputeHours = Range;

/**
 * The bounds of an endpoint's month: nothing where it can suspend by itself (specification, section 3.4), else its
 * minimum size throughout; at most its maximum size throughout. A disabled one runs never. `undefined` where the size
 * is not known.
 */
export function computeHours(
  sizeCu: Range | undefined,
  suspendTimeoutSeconds: number | undefined,
  disabled: boolean,
): ComputeHours | undefined {
  if (disabled) return { min: 0, max: 0 };
  if (sizeCu === undefined) return undefined;
  const suspends = effectiveSuspendSeconds(suspendTimeoutSeconds) !== "never";
  return { min: suspends ? 0 : sizeCu.min * HOURS_PER_MONTH, max: sizeCu.max * HOURS_PER_MONTH };
}

const NONE: ComputeHours = { min: 0, max: 0 };

/**
 * The bounds before and after: none before a creation and after a deletion; what is released keeps running. A side is
 * absent where it is not known, as before a takeover.
 */
export function hoursOf(action: Action, impact: Impact, disabled: BeforeAfter<boolean>): BeforeAfter<ComputeHours> {
  const { sizeCu, suspendTimeoutSeconds: suspend } = impact;
  const present = computeHours(sizeCu?.before, suspend?.before, disabled.before ?? false);
  const planned = computeHours(sizeCu?.after, suspend?.after, disabled.after ?? false);
  const before = action === "create" ? NONE : action === "adopt" ? undefined : present;
  const after = action === "delete" ? NONE : action === "release" ? present : planned;
  return { ...(before && { before }), ...(after && { after }) };
}

/** The sum of the sides that are known. */
export function totalHours(all: readonly BeforeAfter<ComputeHours>[]): { before: ComputeHours; after: ComputeHours } {
  const sum = (side: "before" | "after", end: "min" | "max") =>
    all.reduce((total, hours) => total + (hours[side]?.[end] ?? 0), 0);
  return {
    before: { min: sum("before", "min"), max: sum("before", "max") },
    after: { min: sum("after", "min"), max: sum("after", "max") },
  };
}
