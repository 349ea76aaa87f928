/** Compute sizes: their limits and steps, and the range that the inputs ask for. */
import type { Failure } from "../../lib/failure";
import { isKnown, type Maybe, UNKNOWN } from "../../lib/unknown";
import { listed } from "../../lib/wording";

/** The sizes that the platform offers, in compute units. A user on a larger platform raises them by configuration. */
export interface SizeLimits {
  /** Smallest size; default 0.25. */
  minCu: number;
  /** Largest size; default 7. */
  maxCu: number;
  /** How far an autoscaling maximum may lie above its minimum; default 8. */
  maxAutoscalingSpreadCu: number;
}

/** The range of the specification (sections 2.4 and 8), 0.25 to 7 CU, and the spread of larger platforms (section 2.4, published). */
export const defaultSizeLimits: SizeLimits = Object.freeze({ minCu: 0.25, maxCu: 7, maxAutoscalingSpreadCu: 8 });

/** The two ways to write a size: fixed, or a minimum with a maximum; in compute units. */
export interface SizeInputs {
  sizeCu?: Maybe<number>;
  autoscalingLimitMinCu?: Maybe<number>;
  autoscalingLimitMaxCu?: Maybe<number>;
}

/** The properties that say a size together. */
export const sizeNames = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;

// Sizes go 0.25, 0.5, then whole numbers to 16, then even numbers (specification, section 2.4, published). Up to 7 that is
// its table.
const LARGEST_WHOLE_STEP_CU = 16;
/** The largest size that autoscaling reaches (specification, section 2.4, published). */
const AUTOSCALING_MAX_CU = 16;

/**
 * All that is wrong with the size inputs (specification, section 2.4): a size that the platform does not have, a minimum above the
 * maximum, both forms at once, half of the autoscaling form, too wide a spread. Which form is meant can be told before the
 * values are known; rules about an unknown value wait for it. What the engine has `putBack` for `ignoreChanges` is as
 * somebody else made it: the program answers neither for that nor for what does not go with it.
 */
export function checkSize(
  inputs: SizeInputs,
  limits: SizeLimits = defaultSizeLimits,
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
  return failures;
}

/**
 * The range that the inputs mean, which is how two sizes compare: a fixed size n is n to n. UNKNOWN while a value that
 * matters is not known yet; undefined where the size stays as it is: the program leaves it to the platform, gives half a
 * range, or says what does not go together, which `checkSize` lets pass only after `ignoreChanges`.
 */
export function sizeRange(inputs: SizeInputs): { minCu: number; maxCu: number } | undefined | typeof UNKNOWN {
  const { sizeCu, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = inputs;
  if (sizeCu !== undefined) {
    if (min !== undefined || max !== undefined) return undefined;
    return sizeCu === UNKNOWN ? UNKNOWN : { minCu: sizeCu, maxCu: sizeCu };
  }
  if (min === undefined || max === undefined) return undefined;
  if (min === UNKNOWN || max === UNKNOWN) return UNKNOWN;
  return min > max ? undefined : { minCu: min, maxCu: max };
}

/** True for a size that some platform of this family offers, whatever the limits configured here. */
export function isSizeStep(cu: number): boolean {
  return Number.isFinite(cu) && stepAtOrBelow(cu) === cu;
}

function checkForm({ sizeCu, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max }: SizeInputs): Failure[] {
  if (sizeCu !== undefined && (min !== undefined || max !== undefined)) {
    const given = [];
    if (min !== undefined) given.push("autoscalingLimitMinCu");
    if (max !== undefined) given.push("autoscalingLimitMaxCu");
    return [
      {
        property: "sizeCu",
        reason:
          `sizeCu fixes the size while ${listed(given)} ${given.length === 1 ? "asks" : "ask"} for autoscaling: ` +
          "keep sizeCu alone, or autoscalingLimitMinCu with autoscalingLimitMaxCu",
      },
    ];
  }
  if ((min === undefined) === (max === undefined)) return [];
  const [property, other] =
    min === undefined
      ? ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"]
      : ["autoscalingLimitMaxCu", "autoscalingLimitMinCu"];
  return [
    {
      property,
      reason: `${property} is missing, and ${other} means nothing without it: give both, or sizeCu for a fixed size`,
    },
  ];
}

function checkStep(property: string, cu: number, limits: SizeLimits): Failure[] {
  const reason = offTableMessage(cu, limits);
  if (reason === undefined) return [];
  const { smallest, largest } = legalBounds(limits);
  const isTooLarge = smallest <= largest && Number.isFinite(cu) && cu > largest;
  if (isTooLarge) return [{ property, reason, advice: { kind: "raise-max-size", value: stepAtOrAbove(cu) } }];
  return [{ property, reason, ...(!(smallest <= largest) && { advice: { kind: "reset-size-limits" } }) }];
}

function offTableMessage(cu: number, limits: SizeLimits): string | undefined {
  const { smallest, largest } = legalBounds(limits);
  if (!(smallest <= largest)) {
    return `no compute size lies between the configured limits, ${limits.minCu} and ${limits.maxCu} CU (minSizeCu and maxSizeCu)`;
  }
  if (!Number.isFinite(cu)) return `${cu} is not a compute size: give a number from ${smallest} to ${largest} CU`;
  if (cu > largest) {
    return `${cu} CU is above the largest compute size, ${largest} CU: use ${largest} or less`;
  }
  if (cu < smallest) return `${cu} CU is below the smallest compute size, ${smallest} CU: use ${smallest} or more`;
  if (isSizeStep(cu)) return undefined;
  return `${cu} CU is not a compute size: the nearest are ${stepAtOrBelow(cu)} and ${stepAtOrAbove(cu)} CU`;
}

function checkOrder(min: number, max: number, limits: SizeLimits): Failure[] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [];
  const { smallest, largest } = legalBounds(limits);
  // A size outside the table has its own failure. The order is a second cause only if it stays wrong after that size
  // has been moved to the legal neighbour that suits the order best.
  const lowestMin = clamp(stepAtOrBelow(min), smallest, largest);
  const highestMax = clamp(stepAtOrAbove(max), smallest, largest);
  if (lowestMin > highestMax) {
    const reason = `the minimum, ${min} CU, is above the maximum, ${max} CU: lower autoscalingLimitMinCu or raise autoscalingLimitMaxCu`;
    return [{ property: "autoscalingLimitMinCu", reason }];
  }
  const spread = limits.maxAutoscalingSpreadCu;
  if (lowestMin !== min || highestMax !== max) return [];
  if (min < max && max > AUTOSCALING_MAX_CU) {
    const reason = `autoscaling goes to ${AUTOSCALING_MAX_CU} CU, and the maximum is ${max} CU: lower autoscalingLimitMaxCu, or give sizeCu for a fixed size`;
    return [{ property: "autoscalingLimitMaxCu", reason }];
  }
  if (max - min <= spread) return [];
  const reason = `the maximum, ${max} CU, is ${max - min} CU above the minimum, ${min} CU, and the platform allows ${spread}: lower autoscalingLimitMaxCu or raise autoscalingLimitMinCu`;
  return [{ property: "autoscalingLimitMaxCu", reason }];
}

function legalBounds(limits: SizeLimits): { smallest: number; largest: number } {
  return { smallest: stepAtOrAbove(limits.minCu), largest: stepAtOrBelow(limits.maxCu) };
}

function stepAtOrBelow(cu: number): number {
  if (cu < 0.25) return Number.NEGATIVE_INFINITY;
  if (cu < 0.5) return 0.25;
  if (cu < 1) return 0.5;
  if (cu <= LARGEST_WHOLE_STEP_CU) return Math.floor(cu);
  return Math.floor(cu / 2) * 2;
}

function stepAtOrAbove(cu: number): number {
  if (cu <= 0.25) return 0.25;
  if (cu <= 0.5) return 0.5;
  if (cu <= LARGEST_WHOLE_STEP_CU) return Math.ceil(cu);
  return Math.ceil(cu / 2) * 2;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
