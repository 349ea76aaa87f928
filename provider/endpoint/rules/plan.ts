import type { Failure } from "../../lib/failure";
import type { Maybe } from "../../lib/unknown";
import type { Limits } from "../../platform/profiles/profiles";

/** A read replica on a plan that has none (specification, section 1, rule 2). */
export function checkPlanType(type: Maybe<string>, { readReplicas, owner, morePlan }: Limits): Failure[] {
  if (type !== "read_only" || readReplicas !== 0) return [];
  return [
    {
      property: "type",
      reason: `${owner} has no read-only endpoints: remove this endpoint`,
      isLimit: true,
      ...(morePlan && { advice: { kind: "set-plan", plan: morePlan } }),
    },
  ];
}
