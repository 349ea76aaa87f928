import type { Failure } from "../../lib/failure";
import { isKnown, type Maybe } from "../../lib/unknown";
import { listed } from "../../lib/wording";
import { getComputeSize } from "./compute-size";
import { isSizeStep, type SizeInputs, sizeNames } from "./size";

/** The account's plan, as the user configures it. The interface does not tell it, so there is no default. */
export type Plan = "free" | "paid";

/** The one size of the free plan, in compute units (specification, section 2.4, sizing rule 4; section 8). */
const FREE_PLAN_CU = 0.25;

/** What the plan has a say in. Anything absent was not given by the program. */
export interface PlanInputs extends SizeInputs {
  plan: Maybe<Plan>;
  type?: Maybe<string>;
}

/**
 * What the free plan does not include: read-only endpoints (specification, section 1, rule 2), and sizes other than a fixed
 * 0.25 CU (specification, section 2.4, sizing rule 4). No plan configured, or the paid one, fails nothing.
 */
export function checkPlan(inputs: PlanInputs): Failure[] {
  if (inputs.plan !== "free") return [];
  return [...checkType(inputs.type), ...checkFreeSize(inputs)];
}

function checkType(type: Maybe<string>): Failure[] {
  if (type !== "read_only") return [];
  return [
    {
      property: "type",
      reason: "read-only endpoints need a paid plan, and the configured plan is free: remove this endpoint",
      advice: { kind: "set-paid-plan" },
    },
  ];
}

// One size is one cause, however many properties spell it: the failure is on the first of them.
function checkFreeSize(inputs: PlanInputs): Failure[] {
  const refused = sizeNames.filter((property) => {
    const value = inputs[property];
    // A size that no plan has is checkSize's failure; saying it twice would be two failures for one cause.
    return isKnown(value) && isSizeStep(value) && value !== FREE_PLAN_CU;
  });
  const [property] = refused;
  if (property === undefined) return [];
  const memoryGb = getComputeSize(FREE_PLAN_CU)?.memoryGb;
  const given = refused.map((name) => `${name} ${String(inputs[name])}`);
  return [
    {
      property,
      reason:
        `the free plan has one size, fixed at ${FREE_PLAN_CU} CU (${memoryGb} GB of RAM), which rules out ${listed(given)}: ` +
        "leave the size out",
      advice: { kind: "set-paid-plan" },
    },
  ];
}
