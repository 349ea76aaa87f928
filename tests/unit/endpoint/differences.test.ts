import { describe, expect, it } from "vitest";
import {
  type Change,
  type Differences,
  differences,
  differencesSince,
  setBefore,
  setIn,
} from "../../../provider/endpoint/differences";
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

describe("differences", () => {
  it.each<[string, Partial<CheckedInputs>, Record<string, unknown>, string[], Record<string, Change>]>([
    ["nothing is said", {}, {}, [], {}],
    ["the same is said", { sizeCu: 1, poolerEnabled: false }, {}, ["sizeCu"], {}],
    ["another branch", { branchId: "br-b" }, {}, ["branchId"], { branchId: "update" }],
    ["another project and type", { projectId: "q", type: "read_only" }, {}, [], { projectId: "add", type: "add" }],
    ["another fixed size", { sizeCu: 2 }, {}, ["sizeCu"], { sizeCu: "update" }],
    ["the size in the other form", { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 }, {}, ["sizeCu"], {}],
    [
      "a fixed size to a range",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
      {},
      ["sizeCu"],
      { autoscalingLimitMaxCu: "add" },
    ],
    ["a range to the size it has", { sizeCu: 1 }, { sizeCu: undefined }, ["autoscalingLimitMinCu"], {}],
    ["a size that is no longer said stays", {}, {}, ["sizeCu"], {}],
    ["a size not known yet", { sizeCu: UNKNOWN }, {}, ["sizeCu"], { sizeCu: "update" }],
    [
      "another minimum, and a maximum not known yet",
      { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: UNKNOWN },
      {},
      ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"],
      { autoscalingLimitMinCu: "update", autoscalingLimitMaxCu: "update" },
    ],
    [
      "the same minimum, and a maximum not known yet",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: UNKNOWN },
      {},
      ["autoscalingLimitMaxCu"],
      { autoscalingLimitMaxCu: "update" },
    ],
    [
      "a fixed size beside limits that ignoreChanges put back",
      { sizeCu: 2, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 },
      {},
      ["sizeCu"],
      {},
    ],
    [
      "a maximum below the minimum that ignoreChanges put back",
      { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 2 },
      { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 7 },
      ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"],
      {},
    ],
    ["0 for the platform's 300", { suspendTimeoutSeconds: 0 }, { suspendTimeoutSeconds: 300 }, [], {}],
    ["300 for the platform's 0", { suspendTimeoutSeconds: 300 }, {}, [], {}],
    ["another delay", { suspendTimeoutSeconds: 60 }, {}, [], { suspendTimeoutSeconds: "add" }],
    [
      "a delay that the platform does not tell",
      { suspendTimeoutSeconds: 0 },
      { suspendTimeoutSeconds: undefined },
      [],
      { suspendTimeoutSeconds: "add" },
    ],
    [
      "a delay that was set and is no longer",
      {},
      { suspendTimeoutSeconds: 60 },
      ["suspendTimeoutSeconds"],
      { suspendTimeoutSeconds: "delete" },
    ],
    ["a delay that others set", {}, { suspendTimeoutSeconds: 60 }, [], {}],
    [
      "a pooler that was set and is no longer",
      {},
      { poolerEnabled: true },
      ["poolerEnabled"],
      { poolerEnabled: "delete" },
    ],
    ["a mode that was set and is the default", {}, {}, ["poolerMode"], {}],
    ["other settings", { pgSettings: { work_mem: "4MB" } }, {}, [], { pgSettings: "add" }],
    ["settings in another order", { pgSettings: { a: "1", b: "2" } }, { pgSettings: { b: "2", a: "1" } }, [], {}],
    ["settings dropped", {}, { pgSettings: { a: "1" } }, ["pgSettings"], { pgSettings: "delete" }],
    ["disabled dropped", {}, { disabled: true }, ["disabled"], { disabled: "delete" }],
    ["passwordless access has no default", {}, { passwordlessAccess: false }, ["passwordlessAccess"], {}],
    ["passwordless access changed", { passwordlessAccess: false }, {}, [], { passwordlessAccess: "add" }],
    ["a first trigger", { restartTrigger: "a" }, {}, [], { restartTrigger: "add" }],
    ["the same trigger", { restartTrigger: "a" }, { restartTrigger: "a" }, ["restartTrigger"], {}],
    ["a trigger that is dropped", {}, { restartTrigger: "a" }, ["restartTrigger"], {}],
    ["adoptExisting has nothing to compare", { adoptExisting: true }, {}, [], {}],
  ])("%s", (_, inputs, changes, wasSet, expected) => {
    const found = differences({ ...state, ...changes }, { ...base, ...inputs }, new Set(wasSet));
    expect(Object.fromEntries(Object.entries(found).map(([name, { change }]) => [name, change]))).toEqual(expected);
  });
});

describe("a difference", () => {
  it.each<[string, Partial<CheckedInputs>, Record<string, unknown>, string[], Differences]>([
    ["a change", { branchId: "br-b" }, {}, [], { branchId: { change: "add", before: "br-a", after: "br-b" } }],
    [
      "what is put back",
      {},
      { suspendTimeoutSeconds: 60 },
      ["suspendTimeoutSeconds"],
      { suspendTimeoutSeconds: { change: "delete", before: 60, after: 0 } },
    ],
    [
      "what is not known yet",
      { disabled: UNKNOWN },
      {},
      [],
      { disabled: { change: "add", before: false, after: UNKNOWN } },
    ],
    ["what was not there", { restartTrigger: "a" }, {}, [], { restartTrigger: { change: "add", after: "a" } }],
    [
      "a range in place of a fixed size",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
      {},
      [],
      { autoscalingLimitMaxCu: { change: "add", before: 1, after: 4 } },
    ],
  ])("has both sides of %s", (_, inputs, changes, wasSet, expected) => {
    expect(differences({ ...state, ...changes }, { ...base, ...inputs }, new Set(wasSet))).toEqual(expected);
  });
});

describe("after an import", () => {
  const live = { suspendTimeoutSeconds: -1, poolerEnabled: true, pgSettings: { work_mem: "4MB" } };
  const read = { ...base, ...live, sizeCu: 1 };
  const imported = { ...state, ...live, [BOOKKEEPING]: { set: [], imported: true } };
  const ofImport = { ...read, [IMPORTED]: true };

  it.each<[string, Record<string, unknown>, Partial<CheckedInputs>, string[]]>([
    ["what the program does not say stays", ofImport, {}, []],
    ["what it says as it is", ofImport, { poolerEnabled: true, pgSettings: { work_mem: "4MB" } }, []],
    ["what it says otherwise differs", ofImport, { poolerEnabled: false, sizeCu: 2 }, ["sizeCu", "poolerEnabled"]],
    ["the first trigger restarts nothing", ofImport, { restartTrigger: "a" }, []],
    ["nor does it later, as long as it is that", { ...base, restartTrigger: "a" }, { restartTrigger: "a" }, []],
    ["another one does", { ...base, restartTrigger: "a" }, { restartTrigger: "b" }, ["restartTrigger"]],
    ["and so does one that the program did not say then", base, { restartTrigger: "a" }, ["restartTrigger"]],
    ["what the program said once and drops goes back", { ...base, poolerEnabled: true }, {}, ["poolerEnabled"]],
    ["what the program never said stays", base, {}, []],
  ])("%s", (_, oldInputs, inputs, expected) => {
    const found = differencesSince({ state: imported, inputs: { ...base, ...inputs }, oldInputs });
    expect(Object.keys(found)).toEqual(expected);
  });

  it("an endpoint that was not imported restarts for its first trigger", () => {
    const found = differencesSince({ state, inputs: { ...base, restartTrigger: "a" }, oldInputs: base });
    expect(Object.keys(found)).toEqual(["restartTrigger"]);
  });
});

describe("what was set", () => {
  it("is in the order of the model, without what is null or absent", () => {
    expect(setIn({ sizeCu: 1, projectId: "p", branchId: null, disabled: undefined, other: 1 })).toEqual([
      "projectId",
      "sizeCu",
    ]);
  });

  it("is what the host and the bookkeeping know together", () => {
    const kept = { [BOOKKEEPING]: { set: ["poolerEnabled", "projectId"] } };
    expect([...setBefore(kept, { projectId: "p", sizeCu: 1 })].sort()).toEqual([
      "poolerEnabled",
      "projectId",
      "sizeCu",
    ]);
    expect([...setBefore(kept, undefined)]).toEqual(["poolerEnabled", "projectId"]);
    expect([...setBefore({}, undefined)]).toEqual([]);
  });
});
