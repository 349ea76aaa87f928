import { describe, expect, it, test } from "vitest";
import {
  checkAutosuspend,
  effectiveSuspendSeconds,
  NEVER_SUSPEND,
} from "../../../../provider/endpoint/rules/autosuspend";
import { type Maybe, UNKNOWN } from "../../../../provider/lib/unknown";
import { DEFAULT_SUSPEND_SECONDS, MAX_SUSPEND_SECONDS } from "../../../../provider/platform/profiles/profile";
import { fc } from "../../../support/random";

// Specification, sections 3.3, 3.4 and 8.
test("the figures of specification, section 3.4", () => {
  expect(DEFAULT_SUSPEND_SECONDS).toBe(5 * 60);
  expect(MAX_SUSPEND_SECONDS).toBe(7 * 24 * 60 * 60);
  expect(NEVER_SUSPEND).toBe(-1);
});

describe("checkAutosuspend", () => {
  test.each<Maybe<number>>([undefined, UNKNOWN, -1, 0, 1, 59, 60, 300, 604_800])("accepts %s", (value) => {
    expect(checkAutosuspend(value)).toEqual([]);
  });

  test.each([
    [604_801, /^604801 seconds is above the longest delay, 604800 \(7 days\): use 604800 or less, or -1/],
    [-2, /^-2 is below the smallest value, -1: use 1 to 604800 seconds, 0 for the platform's default \(300\)/],
    [1.5, /^1\.5 is not a whole number of seconds/],
    [-0.5, /not a whole number/],
    [Number.NaN, /^NaN is not a number of seconds/],
    [Number.POSITIVE_INFINITY, /^Infinity is not a number of seconds/],
    [Number.NEGATIVE_INFINITY, /^-Infinity is not a number of seconds/],
  ])("refuses %d", (value, reason) => {
    expect(checkAutosuspend(value)).toEqual([
      { property: "suspendTimeoutSeconds", reason: expect.stringMatching(reason) },
    ]);
  });

  it("accepts exactly the whole numbers from -1 to 604800", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer()), (value) => {
        const legal = Number.isInteger(value) && value >= -1 && value <= 604_800;
        expect(checkAutosuspend(value)).toHaveLength(legal ? 0 : 1);
      }),
    );
  });
});

test.each([
  [undefined, 300],
  [0, 300],
  [300, 300],
  [1, 1],
  [604_800, 604_800],
  [-1, "never"],
])("%s comes to %s", (value, expected) => {
  expect(effectiveSuspendSeconds(value)).toBe(expected);
});
