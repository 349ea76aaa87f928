import { describe, expect, it, test } from "vitest";
import { formatSize, listed, plain, quoted, shellQuoted, shellWord } from "../../../provider/lib/wording";

describe("plain", () => {
  test.each([
    ["ep-a", "ep-a"],
    ["\u001b[31mred\u0007", "red"],
    ["a\r\nb\u009bc", "a b"],
    ["safe\u202egnp\u200b", "safegnp"],
    ["x".repeat(81), `${"x".repeat(79)}…`],
  ])("%j", (text, expected) => {
    expect(plain(text)).toBe(expected);
  });
});

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
