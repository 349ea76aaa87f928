import { isDeepStrictEqual } from "node:util";
import { isKnown, UNKNOWN } from "../lib/unknown";
import { type EndpointProperty, endpointProperties, resettable } from "./model";
import type { CheckedInputs } from "./parse-inputs";
import { effectiveSuspendSeconds } from "./rules/autosuspend";
import { sizeRange } from "./rules/size";
import { bookkeepingOf, type EndpointState } from "./state";

/** How one property differs: set for the first time, changed, or no longer set. */
export type Change = "add" | "update" | "delete";

/** The properties that differ between what is and what the program says. */
export type Differences = Partial<Record<EndpointProperty, Change>>;

const sizeProperties = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;
const identity = ["projectId", "branchId", "type"] as const;
const plain = ["poolerEnabled", "poolerMode", "pgSettings", "disabled", "passwordlessAccess"] as const;

/**
 * Compares the state with the inputs. A property that the program never set is the platform's business; one that it
 * stops setting differs where the platform does not have its default. Sizes compare as (minimum, maximum), however they
 * were written. A value that is not known yet counts as a change.
 */
export function differences(
  state: EndpointState,
  inputs: Partial<CheckedInputs>,
  wasSet: ReadonlySet<string>,
): Differences {
  const found: Differences = {};
  const mark = (property: EndpointProperty, differs: boolean) => {
    if (!differs) return;
    found[property] = inputs[property] === undefined ? "delete" : wasSet.has(property) ? "update" : "add";
  };
  for (const property of identity) mark(property, inputs[property] !== state[property]);
  for (const property of sizesThatDiffer(state, inputs)) mark(property, true);
  const suspend = inputs.suspendTimeoutSeconds ?? resetOf("suspendTimeoutSeconds", wasSet);
  if (suspend !== undefined) {
    const present = state.suspendTimeoutSeconds as number | undefined;
    mark(
      "suspendTimeoutSeconds",
      suspend === UNKNOWN || present === undefined || !sameDelay(present, suspend as number),
    );
  }
  for (const property of plain) {
    const value = inputs[property] ?? resetOf(property, wasSet);
    if (value !== undefined) mark(property, !isDeepStrictEqual(value, state[property]));
  }
  // A trigger has no value on the platform: only a new one means something.
  if (inputs.restartTrigger !== undefined) mark("restartTrigger", inputs.restartTrigger !== state.restartTrigger);
  return found;
}

/**
 * The inputs that the program had set: by the bookkeeping, which also knows those that an update dropped but could not
 * put back, and by the old inputs where the host has them.
 */
export function setBefore(
  state: EndpointState,
  oldInputs: Readonly<Record<string, unknown>> | undefined,
): ReadonlySet<string> {
  return new Set([...(oldInputs ? setIn(oldInputs) : []), ...(bookkeepingOf(state).set ?? [])]);
}

/** The properties that inputs set, in the order of the model. */
export function setIn(inputs: Readonly<Record<string, unknown>>): EndpointProperty[] {
  return endpointProperties.filter((property) => inputs[property] !== undefined && inputs[property] !== null);
}

function sizesThatDiffer(state: EndpointState, inputs: Partial<CheckedInputs>): EndpointProperty[] {
  const { sizeCu, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = inputs;
  const range = sizeRange({ sizeCu, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
  if (range === undefined) return [];
  if (!isKnown(range)) return sizeProperties.filter((property) => inputs[property] === UNKNOWN);
  const minDiffers = range.minCu !== state.autoscalingLimitMinCu;
  const maxDiffers = range.maxCu !== state.autoscalingLimitMaxCu;
  if (!minDiffers && !maxDiffers) return [];
  if (sizeCu !== undefined) return ["sizeCu"];
  return [
    ...(minDiffers ? (["autoscalingLimitMinCu"] as const) : []),
    ...(maxDiffers ? (["autoscalingLimitMaxCu"] as const) : []),
  ];
}

/** 0 and the default it stands for are the same delay, whichever of the two a platform answers. */
function sameDelay(a: number, b: number): boolean {
  return effectiveSuspendSeconds(a) === effectiveSuspendSeconds(b);
}

function resetOf(property: EndpointProperty, wasSet: ReadonlySet<string>): unknown {
  return wasSet.has(property) ? (resettable as Record<string, unknown>)[property] : undefined;
}
