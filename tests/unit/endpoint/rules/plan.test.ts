import { describe, expect, it, test } from "vitest";
import { checkPlan, type PlanInputs } from "../../../../provider/endpoint/rules/plan";
import { UNKNOWN } from "../../../../provider/lib/unknown";

// Specification, sections 1, 2.4 and 8.

const MIN = "autoscalingLimitMinCu";
const MAX = "autoscalingLimitMaxCu";

function free(inputs: Partial<PlanInputs> = {}): PlanInputs {
  return { plan: "free", type: "read_write", ...inputs };
}

describe("the free plan includes", () => {
  test.each<[string, PlanInputs]>([
    ["an endpoint without a size", free()],
    ["an endpoint without a type", free({ type: undefined })],
    ["a fixed 0.25 CU", free({ sizeCu: 0.25 })],
    ["0.25 to 0.25 CU, which is that fixed size", free({ [MIN]: 0.25, [MAX]: 0.25 })],
    ["what is not known yet", free({ type: UNKNOWN, sizeCu: UNKNOWN })],
  ])("%s", (_, inputs) => {
    expect(checkPlan(inputs)).toEqual([]);
  });
});

describe("the free plan refuses", () => {
  test.each<[string, PlanInputs, string, RegExp]>([
    ["a replica", free({ type: "read_only" }), "type", /read-only endpoints need a paid plan/],
    ["another fixed size", free({ sizeCu: 0.5 }), "sizeCu", /fixed at 0\.25 CU \(1 GB of RAM\), .*sizeCu 0\.5/],
    ["a size above the limits", free({ sizeCu: 9 }), "sizeCu", /sizeCu 9/],
    ["autoscaling", free({ [MIN]: 0.25, [MAX]: 2 }), MAX, /autoscalingLimitMaxCu 2/],
    ["autoscaling, in one failure", free({ [MIN]: 1, [MAX]: 2 }), MIN, /MinCu 1 and autoscalingLimitMaxCu 2/],
    ["autoscaling, half known", free({ [MIN]: UNKNOWN, [MAX]: 2 }), MAX, /fixed at 0\.25 CU/],
    ["both forms, in one failure", free({ sizeCu: 1, [MIN]: 1, [MAX]: 2 }), "sizeCu", /sizeCu 1, autoscaling/],
  ])("%s", (_, inputs, property, reason) => {
    expect(checkPlan(inputs)).toEqual([
      { property, reason: expect.stringMatching(reason), advice: { kind: "set-paid-plan" } },
    ]);
  });

  it("everything at once, each on its property", () => {
    const failures = checkPlan(free({ type: "read_only", sizeCu: 2 }));
    expect(failures.map(({ property }) => property)).toEqual(["type", "sizeCu"]);
  });
});

describe("the plan is silent", () => {
  test.each(["paid", undefined, UNKNOWN] as const)("where it is %s", (plan) => {
    expect(checkPlan({ plan, type: "read_only", sizeCu: 7 })).toEqual([]);
  });

  test.each([0.3, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])("on a size that no plan has (%d)", (sizeCu) => {
    expect(checkPlan(free({ sizeCu }))).toEqual([]);
  });
});
