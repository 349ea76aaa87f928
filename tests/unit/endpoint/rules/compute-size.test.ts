import { describe, expect, it, test } from "vitest";
import { computeSizes, getComputeSize, smallestSizeFor } from "../../../../provider/endpoint/rules/compute-size";
import { POOLED_CONNECTIONS_LIMIT } from "../../../../provider/platform/profiles/profile";
import { specification } from "../../../../provider/platform/profiles/profiles";

// Specification, sections 2.4 and 8.
describe("the table of specification, section 2.4", () => {
  test.each([
    [0.25, 0.25, 1, 0.5, 112],
    [0.5, 0.5, 2, 1, 225],
    [1, 1, 4, 2, 450],
    [2, 2, 8, 4, 901],
    [3, 3, 12, 6, 1351],
    [4, 4, 16, 8, 1802],
    [5, 5, 20, 10, 2253],
    [6, 6, 24, 12, 2703],
    [7, 7, 28, 14, 3154],
  ])("%d CU", (cu, vcpu, memoryGb, sharedBuffersGuidelineGb, maxConnections) => {
    const figures = { cu, vcpu, memoryGb, sharedBuffersGuidelineGb, maxConnections };
    expect(getComputeSize(cu, specification)).toEqual({ ...figures, platform: "specification" });
  });

  it("has nine rows, with RAM at four times the vCPU count and the guideline at half of it", () => {
    expect(computeSizes).toHaveLength(9);
    for (const size of computeSizes) {
      expect(size.memoryGb).toBe(4 * size.vcpu);
      expect(size.sharedBuffersGuidelineGb).toBe(size.memoryGb / 2);
    }
  });

  it("cannot be changed by a caller", () => {
    expect(Object.isFrozen(computeSizes)).toBe(true);
    expect(computeSizes.every(Object.isFrozen)).toBe(true);
  });
});

test.each([0, 0.3, 1.5, 7.5, 8, 16, -1, Number.NaN, Number.POSITIVE_INFINITY])("%d CU is outside the table", (cu) => {
  expect(getComputeSize(cu, specification)).toBeUndefined();
});

test.each([
  [1, 0.25],
  [112, 0.25],
  [113, 0.5],
  [901, 2],
  [902, 3],
  [3154, 7],
  [3155, undefined],
])("%d connections need %s CU", (connections, cu) => {
  expect(smallestSizeFor(connections, specification)?.cu).toBe(cu);
});

test("pooling serves 10,000 client connections", () => {
  expect(POOLED_CONNECTIONS_LIMIT).toBe(10_000);
});
