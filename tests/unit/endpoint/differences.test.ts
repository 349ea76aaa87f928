import { describe, expect, it } from "vitest";
import { differences, differencesSince, resetValues, setBefore, setIn } from "../../../provider/endpoint/differences";
import { IMPORTED } from "../../../provider/endpoint/input-notes";
import type { CheckedInputs } from "../../../provider/endpoint/parse-inputs";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { UNKNOWN } from "../../../provider/lib/unknown";

const base = { projectId: "p", branchId: "br-a", type: "read_write" } as const;
const state = {
  ...base,
  sizeCu: 1,
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 1,
  suspendTimeoutSeconds: 0,
  poolerEnabled: false,
  poolerMode: "transaction",
  pgSettings: {},
  disabled: false,
  passwordlessAccess: true,
};

const [MIN, MAX] = ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;
const between = (min: CheckedInputs[typeof MIN], max: CheckedInputs[typeof MAX]): CheckedInputs => ({
  [MIN]: min,
  [MAX]: max,
});

it.each<[string, CheckedInputs, Record<string, unknown>, string[], string]>([
  ["a fixed size to a range", between(1, 4), {}, ["sizeCu"], `${MAX} add`],
  ["a range to the size it has", { sizeCu: 1 }, { sizeCu: undefined }, [MIN], ""],
  ["a range to its maximum", { sizeCu: 4 }, between(1, 4), ["sizeCu"], "sizeCu update"],
  ["a range to its minimum", { sizeCu: 1 }, between(1, 4), ["sizeCu"], "sizeCu update"],
  ["a size that is no longer said stays", {}, {}, ["sizeCu"], ""],
  ["the same minimum, and a maximum not known yet", between(1, UNKNOWN), {}, [MAX], `${MAX} update`],
  ["a fixed size beside limits that ignoreChanges put back", { sizeCu: 2, ...between(1, 1) }, {}, ["sizeCu"], ""],
  ["a maximum below the minimum that ignoreChanges put back", between(4, 2), between(4, 7), [MIN, MAX], ""],
  ["0 for the platform's 300", { suspendTimeoutSeconds: 0 }, { suspendTimeoutSeconds: 300 }, [], ""],
  [
    "a delay that the platform does not tell",
    { suspendTimeoutSeconds: 0 },
    { suspendTimeoutSeconds: undefined },
    [],
    "suspendTimeoutSeconds add",
  ],
  ["a delay that others set", {}, { suspendTimeoutSeconds: 60 }, [], ""],
  ["a pooler no longer set", {}, { poolerEnabled: true }, ["poolerEnabled"], "poolerEnabled delete"],
  ["settings in another order", { pgSettings: { a: "1", b: "2" } }, { pgSettings: { b: "2", a: "1" } }, [], ""],
  ["libraries in another order", { preloadLibraries: ["a", "b"] }, { preloadLibraries: ["b", "a"] }, [], ""],
  ["one library more", { preloadLibraries: ["a", "b"] }, { preloadLibraries: ["a"] }, [], "preloadLibraries add"],
  ["passwordless access has no default", {}, { passwordlessAccess: false }, ["passwordlessAccess"], ""],
  ["a trigger that is dropped", {}, { restartTrigger: "a" }, ["restartTrigger"], ""],
  ["adoptExisting has nothing to compare", { adoptExisting: true }, {}, [], ""],
])(
  "what differs, besides what the impact's and the diff's own tables have: %s",
  (_, inputs, changes, wasSet, expected) => {
    const found = differences({ ...state, ...changes }, { ...base, ...inputs }, new Set(wasSet));
    expect(
      Object.entries(found)
        .map(([name, { change }]) => `${name} ${change}`)
        .join("; "),
    ).toBe(expected);
  },
);

describe("after an import", () => {
  const live = { suspendTimeoutSeconds: -1, poolerEnabled: true, pgSettings: { work_mem: "4MB" } };
  const read = { ...base, ...live, sizeCu: 1 };
  const imported = { ...state, ...live, [BOOKKEEPING]: { v: 2, set: [], imported: true } };
  const ofImport = { ...read, [IMPORTED]: true };

  it.each<[string, Record<string, unknown>, CheckedInputs, string[], object?]>([
    ["what the program does not say stays", ofImport, {}, []],
    ["what it says otherwise differs", ofImport, { poolerEnabled: false, sizeCu: 2 }, ["sizeCu", "poolerEnabled"]],
    ["the first trigger restarts nothing", ofImport, { restartTrigger: "a" }, []],
    ["nor does it later, as long as it is that", { ...base, restartTrigger: "a" }, { restartTrigger: "a" }, []],
    ["another one does", { ...base, restartTrigger: "a" }, { restartTrigger: "b" }, ["restartTrigger"]],
    [
      "another one that a failed update has left out does",
      { ...base, restartTrigger: "b" },
      { restartTrigger: "b" },
      ["restartTrigger"],
      { restartTrigger: "a" },
    ],
    ["what the program said once and drops goes back", { ...base, poolerEnabled: true }, {}, ["poolerEnabled"]],
  ])("%s", (_, oldInputs, inputs, expected, more) => {
    const found = differencesSince({ state: { ...imported, ...more }, inputs: { ...base, ...inputs }, oldInputs });
    expect(Object.keys(found)).toEqual(expected);
  });
});

describe("what was set", () => {
  it("has its default where it is set no longer, if it has one", () => {
    expect(resetValues(["poolerEnabled", "branchId"])).toStrictEqual({ poolerEnabled: false });
  });

  it("is in the order of the model, without what is null or absent", () => {
    expect(setIn({ sizeCu: 1, projectId: "p", branchId: null, disabled: undefined, other: 1 })).toEqual([
      "projectId",
      "sizeCu",
    ]);
  });

  it("is what the host and the bookkeeping know together", () => {
    const kept = { [BOOKKEEPING]: { v: 2, set: ["poolerEnabled", "projectId"] } };
    expect([...setBefore(kept, { projectId: "p", sizeCu: 1 })].sort()).toEqual([
      "poolerEnabled",
      "projectId",
      "sizeCu",
    ]);
    expect([...setBefore(kept, undefined)]).toEqual(["poolerEnabled", "projectId"]);
    expect([...setBefore({}, undefined)]).toEqual([]);
  });
});
