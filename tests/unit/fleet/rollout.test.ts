import { describe, expect, it } from "vitest";
import { limitOf, mayDisrupt, unitsOf } from "../../../provider/fleet/rollout";
import { type Case, plan } from "./planned";

/** The units of a case, as text: members that are away together stand together. */
function unitsIn(one: Case, canary: string[] = []): string[] {
  return unitsOf(plan(one), canary).map(({ keys, isCanary }) => `${[...keys].sort().join("+")}${isCanary ? "!" : ""}`);
}

const resized = (place: string): [string, Record<string, unknown>] => [place, { sizeCu: 2 }];

describe("the units of waves", () => {
  it.each<[string, Case, string[], string[]]>([
    ["each alone", { stored: { a: "1", b: "2" }, wanted: { a: resized("1"), b: resized("2") } }, [], ["a", "b"]],
    [
      "canaries first",
      { stored: { a: "1", b: "2" }, wanted: { a: resized("1"), b: resized("2") } },
      ["b"],
      ["b!", "a"],
    ],
    ["a chain of moves", { stored: { a: "1", b: "2", c: "3" }, wanted: { a: "2", b: "3", c: "4" } }, [], ["a+b+c"]],
    ["two that change places", { stored: { a: "1", b: "2" }, wanted: { a: "2", b: "1" } }, [], ["a+b"]],
    [
      "with a canary whoever has to go before it",
      { stored: { a: "1", b: "2", c: "5" }, wanted: { a: "2", b: "3", c: resized("5") } },
      ["a"],
      ["a+b!", "c"],
    ],
    [
      "who cuts no connections is in none, nor who comes or goes for good",
      { stored: { a: "1", b: "2" }, wanted: { a: ["1", { suspendTimeoutSeconds: 60 }], c: "3" } },
      ["a", "c"],
      [],
    ],
    [
      "whoever is between two that wait joins them",
      { stored: { a: "1", r: "4r" }, wanted: { a: "2", c: "1", r: "1r" } },
      [],
      ["a+r"],
    ],
    [
      "two that wait for the same newcomer stay apart",
      { stored: { r: "2", s: "3" }, wanted: { r: "1r", c: "1", s: "1r" } },
      [],
      ["r", "s"],
    ],
  ])("%s", (_, one, canary, units) => {
    expect(unitsIn(one, canary)).toEqual(units);
  });
});

describe("how many may be away", () => {
  it.each<[number | string, number, number]>([
    [5, 400, 5],
    ["10%", 400, 40],
    ["10%", 19, 1],
    ["10%", 3, 1],
    ["33%", 100, 33],
    ["100%", 7, 7],
    [1, 1, 1],
  ])("%s of %i members", (maxUnavailable, members, limit) => {
    expect(limitOf(maxUnavailable, members)).toBe(limit);
  });
});

describe("a change", () => {
  it.each<[string, Case, boolean]>([
    ["a new size", { stored: { a: "1" }, wanted: { a: resized("1") } }, true],
    [
      "a size that waits for an idle moment",
      { stored: { a: "1" }, wanted: { a: ["1", { sizeCu: 2, restartWhen: "idle" }] } },
      true,
    ],
    [
      "settings, of which nobody says whether they restart",
      { stored: { a: "1" }, wanted: { a: ["1", { pgSettings: { work_mem: "8MB" } }] } },
      true,
    ],
    ["a replacement", { stored: { a: "1r" }, wanted: { a: "1" } }, true],
    ["a move", { stored: { a: "1" }, wanted: { a: "2" } }, true],
    ["a delay", { stored: { a: "1" }, wanted: { a: ["1", { suspendTimeoutSeconds: 60 }] } }, false],
    ["a create", { wanted: { a: "1" } }, false],
    ["a delete", { stored: { a: "1" }, wanted: {} }, false],
  ])("disrupts or not: %s", (_, one, disrupts) => {
    const member = plan(one).members.get("a");
    expect(member && mayDisrupt(member)).toBe(disrupts);
  });
});
