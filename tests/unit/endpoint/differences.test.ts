import { describe, expect, it } from "vitest";
import { type Differences, differences, setBefore, setIn } from "../../../provider/endpoint/differences";
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
  it.each<[string, Partial<CheckedInputs>, Record<string, unknown>, string[], Differences]>([
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
    expect(differences({ ...state, ...changes }, { ...base, ...inputs }, new Set(wasSet))).toEqual(expected);
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
