import { describe, expect, it } from "vitest";
import { cleanText, redactor } from "../../../provider/lib/text";

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
const C1_CSI = String.fromCharCode(0x9b);

describe("cleanText", () => {
  it.each([
    ["plain text stays", "plain text stays"],
    ["Größe 日本語 🐘", "Größe 日本語 🐘"],
    [`${ESC}[31mred${ESC}[0m`, "red"],
    [`${ESC}[2J${ESC}[1;1Htop`, "top"],
    [`${ESC}]0;title${BEL}after`, "after"],
    [`${ESC}]8;;http://evil${ESC}\\link`, "link"],
    [`${ESC}P1$r${ESC}\\x`, "x"],
    [`${ESC}ccleared`, "cleared"],
    [`${C1_CSI}31mred`, "31mred"],
    ["line\r\nbreak", "line break"],
    ["tab\there", "tab here"],
    ["nul\u0000bell\u0007del\u007f", "nulbelldel"],
    ["right\u202Eleft", "rightleft"],
    ["zero\u200bwidth", "zerowidth"],
    ["para\u2029graph", "para graph"],
    ["lone\uD800surrogate", "lonesurrogate"],
    [`end${ESC}`, "end"],
  ])("%j", (dirty, clean) => {
    expect(cleanText(dirty)).toBe(clean);
  });

  it("bounds the length and never halves a character", () => {
    expect(cleanText("x".repeat(5_000))).toHaveLength(1_024);
    expect(cleanText("abcdef", 4)).toBe("abc…");
    expect(cleanText("ab🐘🐘", 4)).toBe("ab…");
    expect(cleanText(`${ESC}[31m`.repeat(1_000_000), 10)).toHaveLength(0);
  });
});

describe("redactor", () => {
  it("removes every occurrence", () => {
    expect(redactor("k$ey")("a k$ey and k$ey")).toBe("a [API key] and [API key]");
    expect(redactor("k$ey")("nothing")).toBe("nothing");
  });
});
