import { describe, expect, it } from "vitest";
import { parseConditions } from "../../../cli/review/command";
import { SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { gateConditions } from "../../../cli/review/report-model";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { planOf, reportOn, stateOf, stepFor, updateOf } from "./support/plans";

const replaced = (name: string) =>
  stepFor(name, "replace", {
    before: { ...stateOf(), delete: true },
    after: { inputs: { ...stateOf().inputs, type: "read_only" }, outputs: {} },
  });

describe("the summary", () => {
  it("is one sentence, worst first", () => {
    const steps = [
      updateOf("delay", { suspendTimeoutSeconds: 60 }),
      replaced("typed"),
      updateOf("size", { sizeCu: 2 }),
    ];
    expect(toReport(planOf(steps)).summary).toBe(
      "3 endpoints change: 1 restart (connections drop), 1 replaced (host changes), 1 unaffected",
    );
  });

  it.each([
    ["a restart", updateOf("a", { sizeCu: 2 }), "1 restart (connections drop)"],
    ["a move", updateOf("a", { branchId: "br-2" }), "1 move (connections drop)"],
    ["a switch-off", updateOf("a", { disabled: true }), "1 disabled (connections drop, downtime)"],
    ["a replacement", replaced("a"), "1 replaced (host changes)"],
    [
      "a gap",
      { ...replaced("a"), before: { ...stateOf(), pendingReplacement: true } },
      "1 replaced (host changes, downtime)",
    ],
    ["a deletion", stepFor("a", "delete", { before: stateOf() }), "1 deleted (connections drop)"],
    ["a doubt", updateOf("a", { restartTrigger: UNKNOWN }), "1 may drop connections (values not known yet)"],
    ["a restart when idle", updateOf("a", { sizeCu: 2, restartWhen: "idle" }), "1 restarts when idle"],
    ["a pooler", updateOf("a", { poolerEnabled: true }), "1 reconfigured (restart not stated)"],
    ["a creation", stepFor("a", "create", { after: { inputs: stateOf().inputs, outputs: {} } }), "1 created"],
    ["an import", stepFor("a", "import", { after: stateOf() }), "1 imported"],
    [
      "a release",
      stepFor("a", "delete", { before: { ...stateOf(), retainOnDelete: true } }),
      "1 released (keeps running)",
    ],
    ["a delay", updateOf("a", { suspendTimeoutSeconds: 60 }), "1 unaffected"],
    [
      "a resize of what does not run",
      updateOf("a", { sizeCu: 2, disabled: true }, stateOf({ disabled: true })),
      "1 unaffected",
    ],
  ])("tells %s", (_, step, words) => {
    expect(toReport(planOf([step])).summary).toBe(`1 endpoint changes: ${words}`);
  });

  it("counts", () => {
    const steps = ["a", "b", "c"].map((name) => updateOf(name, { sizeCu: 2 }));
    expect(toReport(planOf(steps)).summary).toBe("3 endpoints change: 3 restarts (connections drop)");
  });
});

describe("the gate", () => {
  const idle = (inputs: Record<string, unknown>) => updateOf("a", { ...inputs, restartWhen: "idle" });
  const met = (step: Parameters<typeof planOf>[0][number]) =>
    toReport(planOf([step]), { failOn: gateConditions }).gate?.met.map(({ condition }) => condition);

  it.each([
    ["a restart", updateOf("a", { sizeCu: 2 }), ["restart"]],
    ["a restart when idle", idle({ sizeCu: 2 }), ["restart-idle"]],
    [
      "a restart at a moment that is secret",
      updateOf("a", { sizeCu: 2, restartWhen: SECRET }),
      ["restart", "restart-idle"],
    ],
    [
      "a move at a moment that is secret",
      updateOf("a", { branchId: "br-2", restartWhen: SECRET }),
      ["restart-idle", "move"],
    ],
    ["a switch-off when idle that may be", idle({ disabled: UNKNOWN }), ["restart-idle", "downtime"]],
    ["a switch-off when idle", idle({ disabled: true }), ["restart-idle", "downtime"]],
    ["a move when idle", idle({ branchId: "br-other" }), ["restart-idle", "move"]],
    ["a size that is not known yet, when idle", idle({ sizeCu: UNKNOWN }), ["restart-idle"]],
    ["settings, of which no restart is stated, when idle", idle({ poolerEnabled: true }), []],
    ["a new delay when idle", idle({ suspendTimeoutSeconds: 60 }), []],
    ["a size that is not known yet", updateOf("a", { sizeCu: UNKNOWN }), ["restart"]],
    ["a switch-off that may be", updateOf("a", { disabled: UNKNOWN }), ["downtime"]],
    ["a move in place", updateOf("a", { branchId: "br-other" }), ["move"]],
    ["a branch that is not known yet", updateOf("a", { branchId: UNKNOWN }), ["replace", "move"]],
    ["a replacement", replaced("a"), ["replace"]],
    ["a deletion", stepFor("a", "delete", { before: stateOf() }), ["delete", "downtime"]],
    ["a release", stepFor("a", "delete", { before: { ...stateOf(), retainOnDelete: true } }), []],
    ["a pooler, of which no restart is stated", updateOf("a", { poolerEnabled: true }), []],
    ["a creation", stepFor("a", "create", { after: { inputs: stateOf().inputs, outputs: {} } }), []],
    [
      "a takeover that may resize",
      stepFor("a", "create", { after: { inputs: { ...stateOf().inputs, adoptExisting: true }, outputs: {} } }),
      ["restart"],
    ],
  ])("takes %s for what it may be", (_, step, conditions) => {
    expect(met(step)).toEqual(conditions);
  });

  it("looks only at what it was asked for", () => {
    expect(reportOn("plugin-changes.json").gate).toBeUndefined();
    expect(reportOn("plugin-changes.json", { failOn: ["delete"] }).gate).toEqual({
      asked: ["delete"],
      met: [{ condition: "delete", endpoints: ["gone"] }],
    });
    expect(toReport(planOf([]), { failOn: ["restart"] }).gate).toEqual({ asked: ["restart"], met: [] });
  });

  it("is asked for by words, and refuses others", () => {
    expect(parseConditions("downtime, restart")).toEqual(["restart", "downtime"]);
    expect(() => parseConditions("restarts")).toThrow(
      /"restarts" is not one of restart, restart-idle, replace, move, delete, downtime/,
    );
    expect(() => parseConditions("")).toThrow(/is not one of/);
  });
});
