import { describe, expect, it } from "vitest";
import { unitsOf } from "../../../provider/fleet/rollout";
import { type Case, plan } from "./planned";

/** The units of a case, as text: members that are away together stand together. */
function unitsIn(one: Case, canary: string[] = []): string[] {
  return unitsOf(plan(one), canary).map(({ keys, isCanary }) => `${[...keys].sort().join("+")}${isCanary ? "!" : ""}`);
}

const resized = (place: string): [string, Record<string, unknown>] => [place, { sizeCu: 2 }];

describe("the units of waves", () => {
  it.each<[string, Case, string[], string[]]>([
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
      "only who cuts connections, or may: none that comes, goes for good or has a new delay",
      {
        stored: { size: "1", idle: "2", setting: "3", type: "4r", move: "5", delay: "6", gone: "7" },
        wanted: {
          ...{ size: resized("1"), idle: ["2", { sizeCu: 2, restartWhen: "idle" }], type: "4", move: "8", new: "9" },
          setting: ["3", { pgSettings: { work_mem: "8MB" } }],
          delay: ["6", { suspendTimeoutSeconds: 60 }],
        },
      },
      [],
      ["type", "move", "idle", "setting", "size"],
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
