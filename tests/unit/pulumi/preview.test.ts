import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { specification } from "../../../provider/platform/profiles/profiles";
import { previewUpdate } from "../../../provider/pulumi/preview";

const base = { projectId: "p", branchId: "br-a", type: "read_write" };
const state = {
  ...base,
  endpointId: "ep-a",
  sizeCu: 7,
  autoscalingLimitMinCu: 7,
  autoscalingLimitMaxCu: 7,
  maxConnections: 3154,
  poolerEnabled: true,
};

describe("a preview of an update", () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a size outside the table", { sizeCu: 8 }, { sizeCu: 8, autoscalingLimitMinCu: 8, autoscalingLimitMaxCu: 8 }],
    [
      "a range with a maximum that is not known yet",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: UNKNOWN },
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: UNKNOWN, maxConnections: 450 },
    ],
    [
      "a size that is not known yet",
      { sizeCu: UNKNOWN },
      { sizeCu: UNKNOWN, autoscalingLimitMinCu: UNKNOWN, autoscalingLimitMaxCu: UNKNOWN, maxConnections: UNKNOWN },
    ],
  ])("shows %s, with what follows from it and nothing of the old", (_, inputs, expected) => {
    const { endpointId, poolerEnabled, projectId, branchId, type, ...sizes } = previewUpdate(specification, state, {
      ...base,
      ...inputs,
    });
    expect({ endpointId, poolerEnabled, projectId, branchId, type }).toEqual({
      ...base,
      endpointId: "ep-a",
      poolerEnabled: true,
    });
    expect(sizes).toEqual(expected);
  });

  it("shows what is put back", () => {
    expect(previewUpdate(specification, state, base, { ...base, poolerEnabled: true })).toMatchObject({
      poolerEnabled: false,
    });
    expect(previewUpdate(specification, state, base, base)).toMatchObject({ poolerEnabled: true });
    for (const ignored of ["poolerEnabled", "*"]) {
      expect(previewUpdate(specification, state, base, { ...base, poolerEnabled: true }, [ignored])).toMatchObject({
        poolerEnabled: true,
      });
    }
  });
});
