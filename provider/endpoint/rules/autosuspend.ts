/** The delay of autosuspend: its special values, its bounds, and what it comes to. */
import type { Failure } from "../../lib/failure";
import { isKnown, type Maybe } from "../../lib/unknown";
import type { Plan } from "./plan";

/** Seconds without activity after which the platform suspends an endpoint by default (specification, section 3.4). */
export const DEFAULT_SUSPEND_SECONDS = 300;

/** Longest delay in seconds: 7 days (specification, sections 3.4 and 8). */
export const MAX_SUSPEND_SECONDS = 604_800;

/** The value that turns autosuspend off, so that the endpoint is always active (specification, section 3.4, published). */
export const NEVER_SUSPEND = -1;

/** The value that asks for the platform's default delay (specification, section 3.4, published). */
export const USE_DEFAULT_SUSPEND = 0;

/**
 * An autosuspend delay that cannot be: not a whole number of seconds, or outside -1 to 604800 (specification, section 3.4).
 * The plan shapes only the advice.
 */
export function checkAutosuspend(value: Maybe<number>, plan?: Plan): Failure[] {
  if (!isKnown(value) || isSuspendTimeout(value)) return [];
  return [{ property: "suspendTimeoutSeconds", reason: `${mistakeIn(value)}: ${advice(value, plan)}` }];
}

/** True for -1 (never), 0 (platform default) and whole seconds up to 7 days. */
function isSuspendTimeout(value: number): boolean {
  return Number.isInteger(value) && value >= NEVER_SUSPEND && value <= MAX_SUSPEND_SECONDS;
}

/** The delay in seconds that a setting results in: 300 for none and for 0, "never" for -1 (specification, section 3.4). */
export function effectiveSuspendSeconds(value: number | undefined): number | "never" {
  if (value === undefined || value === USE_DEFAULT_SUSPEND) return DEFAULT_SUSPEND_SECONDS;
  return value === NEVER_SUSPEND ? "never" : value;
}

function mistakeIn(value: number): string {
  if (!Number.isFinite(value)) return `${value} is not a number of seconds`;
  if (value > MAX_SUSPEND_SECONDS)
    return `${value} seconds is above the longest delay, ${MAX_SUSPEND_SECONDS} (7 days)`;
  if (value < NEVER_SUSPEND) return `${value} is below the smallest value, ${NEVER_SUSPEND}`;
  return `${value} is not a whole number of seconds`;
}

function advice(value: number, plan: Plan | undefined): string {
  if (plan === "free") return `leave it out on the free plan, for the default of ${DEFAULT_SUSPEND_SECONDS} seconds`;
  const never = `${NEVER_SUSPEND} to never suspend`;
  // Somebody who asks for more than seven days most likely wants the endpoint to stay up.
  if (value > MAX_SUSPEND_SECONDS) return `use ${MAX_SUSPEND_SECONDS} or less, or ${never}`;
  return `use 1 to ${MAX_SUSPEND_SECONDS} seconds, ${USE_DEFAULT_SUSPEND} for the platform's default (${DEFAULT_SUSPEND_SECONDS}), or ${never}`;
}
