import { isKnown, UNKNOWN } from "../../lib/unknown";
import type { Differences } from "../differences";
import type { EndpointProperty } from "../model";
import { type CheckedInputs, knownInputs } from "../parse-inputs";
import { sizeRange } from "../rules/size";
import type { EndpointState } from "../state";
import { type Impact, type ImpactSide, impactOf } from "./impact";

/** A change of an endpoint that is there, as diff found it. */
export interface PlannedChange {
  kind: "update" | "replace";
  state: EndpointState;
  /** Checked inputs, with UNKNOWN for what is not known yet. */
  inputs: Partial<CheckedInputs>;
  found: Differences;
  /** The old endpoint is deleted before its replacement is created. */
  deleteBeforeReplace: boolean;
}

/** What a planned change does to the endpoint (specification, sections 2.4, 3.2 and 3.3). */
export function plannedImpact({ kind, state, inputs, found, deleteBeforeReplace }: PlannedChange): Impact {
  const wanted = wantedState(inputs);
  return impactOf({
    kind,
    before: sideOf(state),
    // A new endpoint has nothing of the old one that the program does not say.
    after: sideOf(kind === "replace" ? wanted : { ...state, ...wanted, ...resetFields(found, inputs) }),
    changed: Object.keys(found),
    unknown: Object.keys(found).filter((property) => inputs[property as EndpointProperty] === UNKNOWN),
    deleteBeforeReplace,
  });
}

/** What the inputs say of an endpoint, as far as it is known, with the size as a range. */
export function wantedState(inputs: Partial<CheckedInputs>): EndpointState {
  return { ...sizeFields(inputs), ...knownInputs(inputs) };
}

/** One side of a change, from a state. */
export function sideOf(state: EndpointState): ImpactSide {
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu, ...rest } = state;
  return { ...(rest as ImpactSide), minCu: minCu as number, maxCu: maxCu as number };
}

function sizeFields(inputs: Partial<CheckedInputs>): EndpointState {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu } = inputs;
  const range = sizeRange({ sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu });
  if (!isKnown(range)) return {};
  return { autoscalingLimitMinCu: range.minCu, autoscalingLimitMaxCu: range.maxCu };
}

const resetValues: EndpointState = { suspendTimeoutSeconds: 0, poolerEnabled: false, disabled: false, pgSettings: {} };

function resetFields(found: Differences, inputs: Partial<CheckedInputs>): EndpointState {
  const reset = Object.keys(found).filter((property) => inputs[property as EndpointProperty] === undefined);
  return Object.fromEntries(reset.map((property) => [property, resetValues[property]]));
}
