import { describe, expect, it, test } from "vitest";
import { formatSize, listed, nearestName, quoted, shellQuoted, shellWord } from "../../../provider/lib/wording";

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

test("quoted shows an empty value and stray spaces", () => {
  expect([quoted(""), quoted(" a ")]).toEqual(['""', '" a "']);
});

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
])("%j in a row", (names, expected) => {
  expect(listed(names)).toBe(expected);
});

describe("a word of a command line", () => {
  test.each([
    ["main", "main"],
    ["p/ep-a", "p/ep-a"],
    ["my endpoint", "'my endpoint'"],
    ["it's", "'it'\\''s'"],
    ["$(reboot)", "'$(reboot)'"],
    ["a;b", "'a;b'"],
    ["", "''"],
    ["-rf", "'-rf'"],
    ["~", "'~'"],
    ["a\nb", "'a b'"],
  ])("%j", (text, expected) => {
    expect(shellWord(text)).toBe(expected);
  });

  it("is quoted in any case where asked, and never cut", () => {
    expect(shellQuoted("a")).toBe("'a'");
    expect(shellQuoted("x".repeat(500))).toHaveLength(502);
  });
});

test("a size and a range of sizes", () => {
  expect([formatSize(1, 1), formatSize(0.25, 1)]).toEqual(["1 CU", "0.25 to 1 CU"]);
});

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
});
