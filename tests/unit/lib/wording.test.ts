import { describe, expect, it, test } from "vitest";
import { endpointProperties } from "../../../provider/endpoint/properties";
import { listed, nearestName, shellQuoted, shellWord } from "../../../provider/lib/wording";

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
    ["p/ep-a", "p/ep-a"],
    ["my endpoint", "'my endpoint'"],
    ["it's", "'it'\\''s'"],
    ["$(reboot)", "'$(reboot)'"],
    ["", "''"],
    ["-rf", "'-rf'"],
    ["a\nb", "'a b'"],
  ])("%j", (text, expected) => {
    expect(shellWord(text)).toBe(expected);
  });

  it("is quoted in any case where asked, and never cut", () => {
    expect(shellQuoted("a")).toBe("'a'");
    expect(shellQuoted("x".repeat(500))).toHaveLength(502);
  });
});

describe("nearestName", () => {
  test.each([
    ["AUTOSCALINGLIMITMAXCU", "autoscalingLimitMaxCu"],
    ["min_cu", "autoscalingLimitMinCu"],
    ["computeSizeCu", "sizeCu"],
    ["brachId", "branchId"],
    ["pooler_mod", "poolerMode"],
    ["adopt", "adoptExisting"],
  ])("%s means %s", (name, expected) => {
    expect(nearestName(name, endpointProperties)).toBe(expected);
  });

  test.each(["", "_", "cu", "id", "region", "foo", "provisioner", "x".repeat(10_000)])("%s means nothing", (name) => {
    expect(nearestName(name, endpointProperties)).toBeUndefined();
  });

  it("finds each name itself first", () => {
    for (const name of endpointProperties) expect(nearestName(name, endpointProperties)).toBe(name);
  });
});
