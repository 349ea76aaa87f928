/** Rules on compute sizes: limits and steps, and the range of the inputs. */
import type { Advice, Failure } from "../../lib/failure";
import { isKnown, UNKNOWN } from "../../lib/unknown";
import { listed } from "../../lib/wording";
import { AUTOSCALING_MAX_CU, SMALLEST_CU, stepAtOrAbove, stepAtOrBelow } from "../../platform/profiles/profile";
import { type Limits, limitsOf, specification } from "../../platform/profiles/profiles";
import type { CheckedInputs } from "../parse-inputs";

/** The properties that make up a size. */
export const sizeNames = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;

/** The two forms of a size in CU: fixed, or a minimum with a maximum. */
export type SizeInputs = Pick<Partial<CheckedInputs>, (typeof sizeNames)[number]>;

const [, MIN, MAX] = sizeNames;

/** The two limits of autoscaling. */
export const limitNames = [MIN, MAX] as const;

/**
 * Failures of the size inputs (specification, section 2.4). `putBack`: restored for `ignoreChanges`, so their
 * contradictions are no failure.
 */
export function checkSize(
  inputs: SizeInputs,
  limits: Limits = limitsOf(specification, undefined),
  putBack: ReadonlySet<string> = new Set(),
): Failure[] {
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = inputs;
  const isOwn = !sizeNames.some((name) => inputs[name] !== undefined && putBack.has(name));
  const failures = isOwn ? checkForm(inputs) : [];

  for (const property of sizeNames) {
    const value = inputs[property];
    if (isKnown(value) && !putBack.has(property)) failures.push(...checkStep(property, value, limits));
  }
  if (isOwn && isKnown(min) && isKnown(max)) failures.push(...checkOrder(min, max, limits));
  return isOwn ? failures : [...failures, ...checkBesideHeld(inputs, limits, putBack)];
}

/** The inputs' size as a range. UNKNOWN while a relevant value is unknown; undefined if the size stays as it is. */
export function sizeRange(inputs: SizeInputs): { minCu: number; maxCu: number } | undefined | typeof UNKNOWN {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu } = inputs;
  // With all sizes unknown, their form is unknown too.
  if (sizeNames.every((name) => inputs[name] === UNKNOWN)) return UNKNOWN;
  if (sizeCu !== undefined && (autoscalingLimitMinCu ?? autoscalingLimitMaxCu) !== undefined) return undefined;

  const min = autoscalingLimitMinCu ?? sizeCu;
  const max = autoscalingLimitMaxCu ?? sizeCu;
  if (min === undefined || max === undefined) return undefined;
  if (min === UNKNOWN || max === UNKNOWN) return UNKNOWN;
  return min > max ? undefined : { minCu: min, maxCu: max };
}

/** True for a size that any platform of this family offers, whatever the configured limits. */
export function isSizeStep(cu: number): boolean {
  return Number.isFinite(cu) && stepAtOrBelow(cu) === cu;
}

function checkForm(inputs: SizeInputs): Failure[] {
  const given = [MIN, MAX].filter((name) => inputs[name] !== undefined);
  const [property] = given;
  if (property === undefined) return [];
  if (inputs.sizeCu !== undefined) {
    const ask = `${listed(given)} ${given.length === 1 ? "asks" : "ask"} for autoscaling`;
    const reason = `sizeCu fixes the size while ${ask}: keep sizeCu alone, or ${MIN} with ${MAX} and sizeCu neither in the program nor in ignoreChanges`;
    return [{ property: "sizeCu", reason }];
  }

  if (given.length === 2) return [];
  const missing = property === MIN ? MAX : MIN;
  return [{ property, reason: `${property} needs ${missing}; or use sizeCu for a fixed size` }];
}

/** Checks the program's limit together with a restored one. A contradicting limit is not sent, so it is no failure. */
function checkBesideHeld(inputs: SizeInputs, limits: Limits, putBack: ReadonlySet<string>): Failure[] {
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = inputs;
  if (!isKnown(min) || !isKnown(max) || min > max) return [];
  if (putBack.has(MIN) === putBack.has(MAX)) return [];

  const [held, own] = putBack.has(MIN) ? ([MIN, MAX] as const) : ([MAX, MIN] as const);
  const [wrong] = [...checkStep(held, Number(inputs[held]), limits), ...checkOrder(min, max, limits)];
  const reason = `${held} stays as somebody else has set it, by ignoreChanges: ${wrong?.reason}`;
  return wrong ? [{ ...wrong, property: own, reason }] : [];
}

function checkStep(property: string, cu: number, limits: Limits): Failure[] {
  const reason = offTableMessage(cu, limits);
  if (reason === undefined) return [];
  if (!Number.isFinite(cu)) return [{ property, reason }];
  const { morePlan: plan } = limits;
  const isTooLarge = cu > stepAtOrBelow(limits.largestCu);
  const advice: Advice = plan ? { kind: "set_plan", plan } : { kind: "raise_max_size", value: stepAtOrAbove(cu) };
  return [{ property, reason, isLimit: true, ...(isTooLarge && { advice }) }];
}

function offTableMessage(cu: number, limits: Limits): string | undefined {
  const largest = stepAtOrBelow(limits.largestCu);
  if (!Number.isFinite(cu)) return `${cu} is not a compute size: give a number from ${SMALLEST_CU} to ${largest} CU`;
  if (cu > largest) {
    return `${cu} CU is above the largest compute size${ofOwner(limits)}, ${largest} CU: use ${largest} or less`;
  }

  if (cu < SMALLEST_CU)
    return `${cu} CU is below the smallest compute size, ${SMALLEST_CU} CU: use ${SMALLEST_CU} or more`;
  if (isSizeStep(cu)) return undefined;
  return `${cu} CU is not a compute size: the nearest are ${stepAtOrBelow(cu)} and ${stepAtOrAbove(cu)} CU`;
}

function checkOrder(min: number, max: number, limits: Limits): Failure[] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [];
  const largest = stepAtOrBelow(limits.largestCu);
  // An invalid size has its own failure. The order is a further failure only if it stays wrong with the nearest valid
  // sizes.
  const lowestMin = clamp(stepAtOrBelow(min), SMALLEST_CU, largest);
  const highestMax = clamp(stepAtOrAbove(max), SMALLEST_CU, largest);

  if (lowestMin > highestMax) {
    const reason = `the minimum, ${min} CU, is above the maximum, ${max} CU: lower ${MIN} or raise ${MAX}`;
    return [{ property: MIN, reason }];
  }

  if (!isSizeStep(min) || !isSizeStep(max)) return [];
  const property = MAX;
  const { autoscalingSpreadCu: spread, platform } = limits;
  // A maximum above the limit is held to what is left where the limit is raised, so that both failures come at once.
  const isAbove = max > largest;
  const reach = isAbove ? AUTOSCALING_MAX_CU : limits.autoscalingMaxCu;

  if (min < max && max > reach) {
    const owner = ofOwner(isAbove ? { ...limits, owner: platform } : limits);
    const reason = `autoscaling${owner} goes to ${reach} CU, and the maximum is ${max} CU: lower ${property}, or give sizeCu for a fixed size`;
    return [{ property, reason, isLimit: true }];
  }
  if (max - min <= spread) return [];
  const reason = `the maximum, ${max} CU, is ${max - min} CU above the minimum, ${min} CU, and ${platform} allows ${spread}: lower ${property} or raise autoscalingLimitMinCu`;
  return [{ property, reason, isLimit: true }];
}

/** The owner of a limit, for a message; empty for a limit of every platform. */
function ofOwner({ owner, platform }: Limits): string {
  return owner === platform && platform === specification.platform ? "" : ` of ${owner}`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
