/** The autosuspend delay: its special values, its bounds and its effect. */
import type { Failure } from "../../lib/failure";
import { isKnown, type Maybe } from "../../lib/unknown";
import type { Profile } from "../../platform/profiles/profile";
import { DEFAULT_SUSPEND_SECONDS, MAX_SUSPEND_SECONDS } from "../../platform/profiles/profile";
import { type Limits, limitsOf, specification } from "../../platform/profiles/profiles";
import { beyondPlan } from "./branch";

/** The value for never suspending: the endpoint is always active (specification, section 3.4, published). */
export const NEVER_SUSPEND = -1;

/** The value for the platform's default delay (specification, section 3.4, published). */
export const USE_DEFAULT_SUSPEND = 0;

/**
 * Failures of a delay that is not a whole number of seconds from -1 to 604800 (specification, section 3.4), or not in
 * the plan.
 */
export function checkAutosuspend(value: Maybe<number>, limits: Limits = limitsOf(specification, undefined)): Failure[] {
  if (!isKnown(value)) return [];
  const property = "suspendTimeoutSeconds";
  if (!isSuspendTimeout(value)) return [{ property, reason: `${mistakeIn(value)}: ${advice(value, limits)}` }];
  const reason = limitMessage(value, limits);
  return reason === undefined ? [] : [beyondPlan(property, reason, limits)];
}

/** True for -1 (never), 0 (platform default) and whole seconds up to 7 days. */
function isSuspendTimeout(value: number): boolean {
  return Number.isInteger(value) && value >= NEVER_SUSPEND && value <= MAX_SUSPEND_SECONDS;
}

/** The effective delay in seconds: 300 for none and for 0, "never" for -1 (specification, section 3.4). */
export function effectiveSuspendSeconds(value: number | undefined): number | "never" {
  if (value === undefined || value === USE_DEFAULT_SUSPEND) return DEFAULT_SUSPEND_SECONDS;
  return value === NEVER_SUSPEND ? "never" : value;
}

/** True for the delay that the account's plan fixes, in either form: there is nothing to send. */
export function isFixedDelay(value: unknown, { fixedDelaySeconds }: Pick<Profile, "fixedDelaySeconds"> = {}): boolean {
  return typeof value === "number" && effectiveSuspendSeconds(value) === fixedDelaySeconds;
}

/**
 * True for a delay that requests omit because the account's plan fixes it. The answer to a request with 0 is not
 * recorded.
 */
export function isLeftOut(value: unknown, { fixedDelaySeconds }: Pick<Profile, "fixedDelaySeconds">): boolean {
  return value !== undefined && value === fixedDelaySeconds;
}

/** True for an endpoint that never suspends, so that no idle moment comes. */
export function neverSuspends({ suspendTimeoutSeconds }: { readonly suspendTimeoutSeconds?: unknown }): boolean {
  return suspendTimeoutSeconds === NEVER_SUSPEND;
}

/** The reason why a plan does not allow this delay. Every plan allows the default. */
function limitMessage(value: number, { owner, suspend: { never, leastSeconds } }: Limits): string | undefined {
  const delay = effectiveSuspendSeconds(value);
  if (delay === DEFAULT_SUSPEND_SECONDS || (delay === "never" && never)) return undefined;
  if (leastSeconds === undefined) {
    return never
      ? `${owner} suspends after ${DEFAULT_SUSPEND_SECONDS} s or never: leave it out, or use ${NEVER_SUSPEND} to never suspend`
      : `${owner} suspends after ${DEFAULT_SUSPEND_SECONDS} s, fixed: leave it out`;
  }

  if (delay !== "never" && delay >= leastSeconds) return undefined;
  return `${value} seconds is below the shortest delay of ${owner}, ${leastSeconds}: use ${leastSeconds} or more`;
}

function mistakeIn(value: number): string {
  if (!Number.isFinite(value)) return `${value} is not a number of seconds`;
  if (value > MAX_SUSPEND_SECONDS)
    return `${value} seconds is above the longest delay, ${MAX_SUSPEND_SECONDS} (7 days)`;
  if (value < NEVER_SUSPEND) return `${value} is below the smallest value, ${NEVER_SUSPEND}`;
  return `${value} is not a whole number of seconds`;
}

function advice(value: number, limits: Limits): string {
  const { suspend } = limits;
  // A plan without any delay is the first reason.
  const narrow = suspend.leastSeconds === undefined ? limitMessage(1, limits) : undefined;
  if (narrow !== undefined) return narrow;
  const never = `${NEVER_SUSPEND} to never suspend`;
  // A request for more than seven days most likely means never.
  if (value > MAX_SUSPEND_SECONDS) return `use ${MAX_SUSPEND_SECONDS} or less, or ${never}`;

  return (
    `use ${suspend.leastSeconds} to ${MAX_SUSPEND_SECONDS} seconds, ${USE_DEFAULT_SUSPEND} for the platform's default ` +
    `(${DEFAULT_SUSPEND_SECONDS}), or ${never}`
  );
}
