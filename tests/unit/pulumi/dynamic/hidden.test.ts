import { describe, expect, it, test } from "vitest";
import { UNKNOWN } from "../../../../provider/lib/unknown";
import { AFTER_INPUT, afterOf, hiddenOf, URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";

describe("the resources that a dynamic one waits for", () => {
  test.each<[string, Record<string, unknown>, string[] | undefined]>([
    ["are those of the hidden input", { [AFTER_INPUT]: ["urn:a", "urn:b"] }, ["urn:a", "urn:b"]],
    ["are none where it is empty", { [AFTER_INPUT]: [] }, []],
    ["are not told by a program without it", {}, undefined],
    ["are not told while they are not known", { [AFTER_INPUT]: UNKNOWN }, undefined],
    ["are URNs and nothing else", { [AFTER_INPUT]: ["urn:a", UNKNOWN, 1] }, ["urn:a"]],
  ])("%s", (_, inputs, expected) => {
    expect(afterOf(inputs)).toEqual(expected && new Set(expected));
  });

  it("are no part of the state", () => {
    expect(hiddenOf({ [URN_INPUT]: "urn:me", [AFTER_INPUT]: ["urn:a"], sizeCu: 1 })).toEqual({ [URN_INPUT]: "urn:me" });
  });
});
