import { describe, expect, it, test } from "vitest";
import { nearestName } from "../../../provider/lib/wording";
import { fc } from "../../support/random";

const known = [
  "projectId",
  "branchId",
  "type",
  "sizeCu",
  "autoscalingLimitMinCu",
  "autoscalingLimitMaxCu",
  "suspendTimeoutSeconds",
  "poolerEnabled",
  "poolerMode",
  "pgSettings",
  "disabled",
  "passwordlessAccess",
  "adoptExisting",
  "restartTrigger",
];

describe("nearestName", () => {
  test.each([
    ["autoscaling_limit_min_cu", "autoscalingLimitMinCu"],
    ["AUTOSCALINGLIMITMAXCU", "autoscalingLimitMaxCu"],
    ["branch-id", "branchId"],
    ["branch_id", "branchId"],
    ["min_cu", "autoscalingLimitMinCu"],
    ["maxCu", "autoscalingLimitMaxCu"],
    ["size", "sizeCu"],
    ["computeSizeCu", "sizeCu"],
    ["suspendTimeout", "suspendTimeoutSeconds"],
    ["suspendTimoutSeconds", "suspendTimeoutSeconds"],
    ["branch", "branchId"],
    ["brachId", "branchId"],
    ["pgSetings", "pgSettings"],
    ["settings", "pgSettings"],
    ["disable", "disabled"],
    ["enabled", "poolerEnabled"],
    ["pooler_mod", "poolerMode"],
    ["poolMode", "poolerMode"],
    ["typ", "type"],
    ["adopt", "adoptExisting"],
    ["autoscalingLimitMinCU ", "autoscalingLimitMinCu"],
  ])("%s means %s", (name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });

  test.each(["", "_", "cu", "id", "region", "foo", "provisioner", "x".repeat(10_000)])("%s means nothing", (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  });

  it("finds each name itself first", () => {
    for (const name of known) expect(nearestName(name, known)).toBe(name);
  });

  it("answers only with a known name", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, names) => {
        const nearest = nearestName(name, names);
        expect(nearest === undefined || names.includes(nearest)).toBe(true);
      }),
    );
  });
});
