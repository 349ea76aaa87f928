import { describe, expect, it, test } from "vitest";
import { platformSettingWarnings } from "../../../../provider/endpoint/rules/pg-settings";
import { type Maybe, UNKNOWN } from "../../../../provider/lib/unknown";

// Specification, sections 2.4 and 8.

const fixed = (cu: number) => ({ minCu: cu, maxCu: cu });

type Size = Parameters<typeof platformSettingWarnings>[1];

function reasonFor(settings: Record<string, unknown>, size?: Size): string {
  const warnings = platformSettingWarnings(settings, size);
  expect(warnings).toHaveLength(1);
  return warnings[0]?.reason ?? "";
}

test.each<[Maybe<Record<string, unknown>>]>([
  [undefined],
  [UNKNOWN],
  [{}],
  [{ work_mem: "64MB", effective_cache_size: "4GB", max_connections_x: "1" }],
])("no warning for %j", (settings) => {
  expect(platformSettingWarnings(settings, fixed(1))).toEqual([]);
});

it("warns on each of the two, on its own path", () => {
  const settings = { shared_buffers: "1GB", work_mem: "4MB", MAX_Connections: "500" };
  expect(platformSettingWarnings(settings).map(({ property }) => property)).toEqual([
    "pgSettings.shared_buffers",
    "pgSettings.MAX_Connections",
  ]);
});

describe("shared_buffers", () => {
  test.each<[string, Size, RegExp]>([
    ["no size", undefined, /stays at 128 MB .* 50% of RAM instead\. Remove/],
    ["an unknown size", UNKNOWN, /50% of RAM instead\. Remove/],
    ["a fixed size", fixed(0.25), /\(0\.5 GB at 0\.25 CU\)/],
    ["a range", { minCu: 1, maxCu: 4 }, /\(2 GB at 1 CU, 8 GB at 4 CU\)/],
    ["a range that leaves the table", { minCu: 1, maxCu: 16 }, /\(2 GB at 1 CU\)/],
    ["a size outside the table", fixed(16), /50% of RAM instead\. Remove/],
  ])("with %s", (_, size, expected) => {
    expect(reasonFor({ shared_buffers: "1GB" }, size)).toMatch(expected);
  });
});

describe("max_connections", () => {
  test.each<[string, unknown, Size, RegExp]>([
    ["a larger number", "500", fixed(0.25), /the compute size \(112 at 0\.25 CU\).*needs a size of 2 CU \(901\)/],
    ["a number exactly met", "450", fixed(0.5), /needs a size of 1 CU \(450\)/],
    ["one more than that", 451, fixed(0.5), /needs a size of 2 CU \(901\)/],
    ["autoscaling", "500", { minCu: 0.25, maxCu: 4 }, /the minimum size, .*needs a minimum size of 2 CU/],
    ["a smaller number", "100", fixed(1), /\(450 at 1 CU\).*already gives what it asks for/],
    ["the present number", "450", fixed(1), /already gives/],
    ["more than any size has", "3155", fixed(1), /no size of the table gives/],
    ["no size", "500", undefined, /follows from the compute size\. .*needs a size of 2 CU/],
    ["an unknown size", "500", UNKNOWN, /follows from the compute size\. /],
    ["an unknown value", UNKNOWN, fixed(1), /\(450 at 1 CU\)\. Remove the setting\. For/],
    ["no number", "lots", fixed(1), /Remove the setting\. For/],
    ["a negative number", -1, fixed(1), /Remove the setting\. For/],
    ["none at all", 0, fixed(1), /Remove the setting\. For/],
    ["a fraction", 1.5, fixed(1), /Remove the setting\. For/],
  ])("with %s", (_, value, size, expected) => {
    const reason = reasonFor({ max_connections: value }, size);
    expect(reason).toMatch(expected);
    expect(reason).toContain("up to 10,000 pooled connections");
  });

  it("never repeats the value, which may be secret", () => {
    expect(reasonFor({ max_connections: "777" }, fixed(1))).not.toContain("777");
    expect(reasonFor({ shared_buffers: "777MB" }, fixed(1))).not.toContain("777");
  });
});
