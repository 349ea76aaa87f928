import { describe, expect, it, test } from "vitest";
import { computeSizes } from "../../../../provider/endpoint/rules/compute-size";
import { checkSize, isSizeStep, type SizeInputs, sizeRange } from "../../../../provider/endpoint/rules/size";
import { UNKNOWN } from "../../../../provider/lib/unknown";
import { limitsOf, neon, specification } from "../../../../provider/platform/profiles/profiles";
import { fc } from "../../../support/random";

// Specification, sections 2.4 and 8.

const MIN = "autoscalingLimitMinCu";
const MAX = "autoscalingLimitMaxCu";

function size(inputs: Partial<SizeInputs> = {}): SizeInputs {
  return { sizeCu: undefined, autoscalingLimitMinCu: undefined, autoscalingLimitMaxCu: undefined, ...inputs };
}

function between(min: SizeInputs["sizeCu"], max: SizeInputs["sizeCu"]): SizeInputs {
  return size({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
}

describe("checkSize accepts", () => {
  test.each(computeSizes.map(({ cu }) => cu))("a fixed size of %d CU", (sizeCu) => {
    expect(checkSize(size({ sizeCu }))).toEqual([]);
  });

  test.each<[string, SizeInputs]>([
    ["no size at all", size()],
    ["the whole range", between(0.25, 7)],
    ["a minimum equal to the maximum", between(2, 2)],
    ["an unknown fixed size", size({ sizeCu: UNKNOWN })],
    ["an unknown maximum", between(1, UNKNOWN)],
    ["both ends unknown", between(UNKNOWN, UNKNOWN)],
  ])("%s", (_, inputs) => {
    expect(checkSize(inputs)).toEqual([]);
  });
});

describe("checkSize refuses", () => {
  test.each<[string, SizeInputs, [property: string, reason: RegExp][]]>([
    ["9 CU", size({ sizeCu: 9 }), [["sizeCu", /^9 CU is above the largest compute size, 7 CU: use 7 or less/]]],
    ["7.5 CU", size({ sizeCu: 7.5 }), [["sizeCu", /above the largest/]]],
    ["0.3 CU", size({ sizeCu: 0.3 }), [["sizeCu", /^0\.3 CU .*nearest are 0\.25 and 0\.5 CU$/]]],
    ["0.75 CU", size({ sizeCu: 0.75 }), [["sizeCu", /nearest are 0\.5 and 1 CU/]]],
    ["1.5 CU", size({ sizeCu: 1.5 }), [["sizeCu", /nearest are 1 and 2 CU/]]],
    ["6.999 CU", size({ sizeCu: 6.999 }), [["sizeCu", /nearest are 6 and 7 CU/]]],
    ["0.24 CU", size({ sizeCu: 0.24 }), [["sizeCu", /below the smallest compute size, 0\.25 CU/]]],
    ["0 CU", size({ sizeCu: 0 }), [["sizeCu", /below the smallest/]]],
    ["-1 CU", size({ sizeCu: -1 }), [["sizeCu", /below the smallest/]]],
    ["NaN", size({ sizeCu: Number.NaN }), [["sizeCu", /^NaN is not a compute size: .*0\.25 to 7 CU/]]],
    ["Infinity", size({ sizeCu: Number.POSITIVE_INFINITY }), [["sizeCu", /^Infinity is not a compute size/]]],
    [
      "both ends off the table",
      between(0.3, 9),
      [
        [MIN, /nearest are/],
        [MAX, /above the largest/],
      ],
    ],
    ["a minimum above the maximum", between(4, 2), [[MIN, /minimum, 4 CU, is above the maximum, 2 CU/]]],
    ["a minimum alone", size({ [MIN]: 1 }), [[MIN, /autoscalingLimitMinCu needs autoscalingLimitMaxCu/]]],
    ["a maximum alone", size({ [MAX]: 1 }), [[MAX, /autoscalingLimitMaxCu needs autoscalingLimitMinCu/]]],
    ["an unknown minimum alone", size({ [MIN]: UNKNOWN }), [[MIN, /needs/]]],
    [
      "a minimum alone and off the table",
      size({ [MIN]: 1.5 }),
      [
        [MIN, /needs/],
        [MIN, /nearest are/],
      ],
    ],
    [
      "both forms",
      { sizeCu: 1, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
      [["sizeCu", /autoscalingLimitMinCu and autoscalingLimitMaxCu ask for autoscaling/]],
    ],
    ["both forms, one half given", size({ sizeCu: 1, [MIN]: 1 }), [["sizeCu", /autoscalingLimitMinCu asks for/]]],
    ["both forms, unknown", size({ sizeCu: UNKNOWN, [MAX]: UNKNOWN }), [["sizeCu", /fixes the size/]]],
    [
      "both forms with a minimum above the maximum",
      { sizeCu: 1, autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 2 },
      [
        ["sizeCu", /fixes the size/],
        [MIN, /is above the maximum/],
      ],
    ],
  ])("%s", (_, inputs, expected) => {
    const failures = checkSize(inputs);
    expect(failures.map(({ property }) => property)).toEqual(expected.map(([property]) => property));
    for (const [index, [, reason]] of expected.entries()) expect(failures[index]?.reason).toMatch(reason);
  });
});

describe("the order of minimum and maximum is a cause of its own only where a legal size would not mend it", () => {
  test.each<[number, number, string[]]>([
    [9, 7, [MIN]],
    [9, 0.25, [MIN, MIN]],
    [0.4, 0.3, [MIN, MAX]],
    [1, 0.1, [MAX, MIN]],
    [2, 1.5, [MAX]],
    [Number.NaN, 1, [MIN]],
    [1, Number.NEGATIVE_INFINITY, [MAX]],
  ])("%d to %d", (min, max, properties) => {
    expect(checkSize(between(min, max)).map(({ property }) => property)).toEqual(properties);
  });
});

describe("what the engine puts back for ignoreChanges", () => {
  test.each<[string, SizeInputs, string[]]>([
    ["limits beside the program's fixed size", { sizeCu: 1, [MIN]: 1, [MAX]: 4 }, [MIN, MAX]],
    ["a limit beside the program's fixed size", size({ sizeCu: 1, [MIN]: 1 }), [MIN]],
    ["a limit without the other", size({ [MIN]: 1 }), [MIN]],
    ["a minimum above the program's maximum", between(4, 2), [MIN]],
    ["a size that the limits rule out", size({ sizeCu: 9 }), ["sizeCu"]],
  ])("is accepted: %s", (_, inputs, putBack) => {
    expect(checkSize(inputs, undefined, new Set(putBack))).toEqual([]);
    expect(checkSize(inputs)).not.toEqual([]);
  });

  it("excuses no other value, and nothing that is not there", () => {
    const failures = (inputs: SizeInputs, putBack: string[]) =>
      checkSize(inputs, undefined, new Set(putBack)).map(({ property }) => property);
    expect(failures(between(4, 9), [MIN])).toEqual([MAX]);
    expect(failures(between(4, 2), ["sizeCu", "branchId"])).toEqual([MIN]);
  });
});

describe("limits of a larger platform", () => {
  const larger = limitsOf(specification, undefined, 56);

  test.each([8, 16, 18, 56])("%d CU is a size", (sizeCu) => {
    expect(checkSize(size({ sizeCu }), larger)).toEqual([]);
  });

  test.each([
    [16.5, /nearest are 16 and 18/, undefined],
    [17, /nearest are 16 and 18/, undefined],
    [55, /nearest are 54 and 56/, undefined],
    [57, /above the largest compute size, 56 CU/, 58],
    [58, /above the largest compute size, 56 CU/, 58],
  ])("%d CU is none", (sizeCu, reason, raiseTo) => {
    const advice = raiseTo === undefined ? {} : { advice: { kind: "raise_max_size", value: raiseTo } };
    expect(checkSize(size({ sizeCu }), larger)).toEqual([
      { property: "sizeCu", reason: expect.stringMatching(reason), isLimit: true, ...advice },
    ]);
  });

  it("ends autoscaling at 16 CU, however large a fixed size may be, and bounds the spread", () => {
    for (const fits of [between(8, 16), between(18, 18), between(2, 10)]) expect(checkSize(fits, larger)).toEqual([]);
    const refused = (reason: RegExp) => [{ property: MAX, reason: expect.stringMatching(reason), isLimit: true }];
    const [reach, spread] = [/autoscaling goes to 16 CU, and the maximum is 18 CU/, /9 CU above the minimum, 1 CU/];
    expect(checkSize(between(12, 18), larger)).toEqual(refused(reach));
    expect(checkSize(between(1, 10), larger)).toEqual(refused(spread));
  });

  it("says nothing of the spread while an end is off the table", () => {
    expect(checkSize(between(1, 17), larger).map(({ reason }) => reason)).toEqual([expect.stringMatching(/nearest/)]);
  });
});

describe("sizeRange", () => {
  test.each<[string, SizeInputs, ReturnType<typeof sizeRange>]>([
    [
      "of which nothing is known",
      { sizeCu: UNKNOWN, autoscalingLimitMinCu: UNKNOWN, autoscalingLimitMaxCu: UNKNOWN },
      UNKNOWN,
    ],
    ["a fixed size", size({ sizeCu: 2 }), { minCu: 2, maxCu: 2 }],
    ["a range", between(0.5, 4), { minCu: 0.5, maxCu: 4 }],
    ["a range that is one size", between(2, 2), { minCu: 2, maxCu: 2 }],
    ["nothing", size(), undefined],
    ["half a range", between(1, undefined), undefined],
    ["both forms", size({ sizeCu: 1, [MIN]: 1, [MAX]: 4 }), undefined],
    ["both forms, unknown", size({ sizeCu: UNKNOWN, [MIN]: 1 }), undefined],
    ["a minimum above the maximum", between(4, 2), undefined],
    ["half a range, unknown", between(undefined, UNKNOWN), undefined],
    ["an unknown fixed size", size({ sizeCu: UNKNOWN }), UNKNOWN],
    ["an unknown minimum", between(UNKNOWN, 2), UNKNOWN],
    ["an unknown maximum", between(1, UNKNOWN), UNKNOWN],
  ])("of %s", (_, inputs, expected) => {
    expect(sizeRange(inputs)).toEqual(expected);
  });
});

describe("for any input", () => {
  const value = fc.oneof(
    fc.constant(undefined),
    fc.constant(UNKNOWN),
    fc.double(),
    fc.constantFrom(0.25, 0.5, 1, 2, 7, 8, 18),
  );
  const inputs = fc.record({ sizeCu: value, autoscalingLimitMinCu: value, autoscalingLimitMaxCu: value });

  it("checkSize never throws and never says the same twice", () => {
    fc.assert(
      fc.property(
        inputs,
        fc.constantFrom(specification, neon),
        fc.option(fc.double({ min: 0.25, noNaN: true }), { nil: undefined }),
        (given, profile, maxSizeCu) => {
          const reasons = checkSize(given, limitsOf(profile, undefined, maxSizeCu)).map(
            (failure) => `${failure.property}: ${failure.reason}`,
          );
          expect(new Set(reasons).size).toBe(reasons.length);
        },
      ),
    );
  });

  it("a known range that passes lies on steps, in order, within the limits", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const range = sizeRange(given);
        if (checkSize(given).length > 0 || range === undefined || range === UNKNOWN) return;
        expect(isSizeStep(range.minCu) && isSizeStep(range.maxCu)).toBe(true);
        expect(range.minCu).toBeLessThanOrEqual(range.maxCu);
        expect(range.minCu).toBeGreaterThanOrEqual(0.25);
        expect(range.maxCu).toBeLessThanOrEqual(7);
      }),
    );
  });
});
