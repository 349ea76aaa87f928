import { describe, expect, it } from "vitest";
import { cleanJson, cleanText, withoutKey } from "../../../provider/lib/redact";

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
const C1_CSI = String.fromCharCode(0x9b);

describe("cleanText", () => {
  it.each([
    ["Größe 日本語 🐘", "Größe 日本語 🐘"],
    [`${ESC}[31mred${ESC}[0m`, "red"],
    [`${ESC}]0;title${BEL}after`, "after"],
    [`${ESC}P1$r${ESC}\\x`, "x"],
    [`${C1_CSI}31mred`, "red"],
    ["line\r\nbreak", "line break"],
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

describe("a secret in a text", () => {
  const KEY = "napi_topsecret1234";
  const halves = ["napi_tops", "ecret1234"];

  it.each([
    ["plain", `a ${KEY} and ${KEY}`, "a [API key] and [API key]"],
    ["cut by a zero-width character", halves.join("\u200b"), "[API key]"],
    ["cut by control characters", [...KEY].join("\u0000"), "[API key]"],
    ["cut by a window's title", halves.join(`${ESC}]0;title${BEL}`), "[API key]"],
    ["cut by a title that does not end", `${halves.join(`${ESC}P1${ESC}\\`)}`, "[API key]"],
  ])("is taken out where it is %s", (_, text, expected) => {
    expect(cleanText(text, 100, KEY)).toBe(expected);
  });

  it("is taken out before the text is cut, wherever the cut would be", () => {
    for (let at = 0; at < 60; at += 1) {
      const filled = `${"\u200b".repeat(at * 7)}${"x".repeat(at)}${KEY}`;
      expect(cleanText(filled, 20, KEY)).not.toContain("napi");
    }
  });

  it("is text and no pattern", () => {
    expect(cleanText("a k$ey", 100, "k$ey")).toBe("a [API key]");
    expect(cleanText("nothing", 100, "k$ey")).toBe("nothing");
  });

  it.each<[string, string]>([
    ["written as escapes", '{"a":"napi_topsecret1234"}'],
    ["a name", `{"${KEY}":{"b":["${KEY}",{"${KEY}":1}]}}`],
    ["a name cut by a zero-width character", `{"${halves.join("\u200b")}":1}`],
    ["under a name of the language's own", `{"__proto__":{"${KEY}":"${KEY}"},"constructor":"${KEY}"}`],
  ])("is found in an answer, %s", (_, text) => {
    const escaped = text.replace("napi_t", "\\u006eapi_t");
    for (const answer of [text, escaped]) expect(cleanJson(JSON.parse(answer), KEY).hasSecret).toBe(true);
  });

  it("is found in an answer where it has quotes and slashes in it, which is left as it is", () => {
    const odd = `k"e/y\\${"x".repeat(16)}`;
    const json = { [odd]: `a ${odd}` };
    expect(cleanJson(structuredClone(json), odd)).toEqual({ json, hasSecret: true });
  });

  it.each([
    ["abc", "abcd abc"],
    ["abcd", "[API key] abc"],
    ["", "abcd abc"],
    [undefined, "abcd abc"],
  ])("is taken out of texts for people from 4 characters on: %j", (key, shown) => {
    expect(withoutKey("abcd abc", key)).toBe(shown);
    expect(cleanText("abcd abc", undefined, key)).toBe(shown);
  });

  it("leaves the rest of an answer as it is, in its order", () => {
    const json = { b: [1, null, true, "x"], a: { c: "y".repeat(5_000) }, "": {} };
    const kept = cleanJson(structuredClone(json), KEY);
    expect(kept.hasSecret).toBe(false);
    expect(JSON.stringify(kept.json)).toBe(JSON.stringify(json));
    expect(Object.getPrototypeOf(cleanJson(JSON.parse('{"__proto__":{"a":1}}'), KEY).json)).toBe(Object.prototype);
    expect(cleanJson("a\nb", KEY).json).toBe("a b");
  });

  it("does not end in a deep answer", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(JSON.stringify(cleanJson(deep, KEY).json)).toMatch(/^\[{65}null\]{65}$/);
  });
});
