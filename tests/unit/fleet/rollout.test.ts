import { expect, it } from "vitest";
import { unitsOf } from "../../../provider/fleet/rollout";
import { type Case, plan } from "./planned";

type Members = Case["wanted"];

const resized = (place: string): [string, Record<string, unknown>] => [place, { sizeCu: 2 }];
const disrupted: Members = {
  ...{ size: resized("1"), idle: ["2", { sizeCu: 2, restartWhen: "idle" }], type: "4", move: "8", new: "9" },
  setting: ["3", { pgSettings: { work_mem: "8MB" } }],
  delay: ["6", { suspendTimeoutSeconds: 60 }],
};

// Members that are away together stand together.
it.each<[string, Members, Members, string, canary?: string[]]>([
  ["canaries first", { a: "1", b: "2" }, { a: resized("1"), b: resized("2") }, "b!, a", ["b"]],
  ["a chain of moves", { a: "1", b: "2", c: "3" }, { a: "2", b: "3", c: "4" }, "a+b+c"],
  ["a primary and a replica that change places", { a: "1", b: "2r" }, { a: "2", b: "1r" }, "a+b"],
  [
    "with a canary whoever has to go before it",
    { a: "1", b: "2", c: "5" },
    { a: "2", b: "3", c: resized("5") },
    "a+b!, c",
    ["a"],
  ],
  [
    "only who cuts connections, or may: none that comes, goes for good or has a new delay",
    { size: "1", idle: "2", setting: "3", type: "4r", move: "5", delay: "6", gone: "7" },
    disrupted,
    "type, move, idle, setting, size",
  ],
  ["whoever is between two that wait joins them", { a: "1", r: "4r" }, { a: "2", c: "1", r: "1r" }, "a+r"],
  ["two that wait for the same newcomer stay apart", { r: "2", s: "3" }, { r: "1r", c: "1", s: "1r" }, "r, s"],
])("the units of waves: %s", (_, stored, wanted, units, canary = []) => {
  const found = unitsOf(plan({ stored, wanted }), canary);
  expect(found.map(({ keys, isCanary }) => `${[...keys].sort().join("+")}${isCanary ? "!" : ""}`).join(", ")).toBe(
    units,
  );
});
