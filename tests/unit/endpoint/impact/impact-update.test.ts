import { describe, expect, it, test } from "vitest";
import type { Impact } from "../../../../provider/endpoint/impact/impact";
import { effects, type ImpactChange, type ImpactSide, impactOf } from "./support/change";

// Specification, section 3.3.

const endpoint: ImpactSide = {
  type: "read_write",
  projectId: "shop-1",
  branchId: "br-a",
  minCu: 2,
  maxCu: 4,
  suspendTimeoutSeconds: 300,
  disabled: false,
  poolerEnabled: false,
  poolerMode: "transaction",
  pgSettings: { work_mem: "4MB" },
  passwordlessAccess: true,
  host: "ep-1.eu.example.test",
};

function update(after: ImpactSide, more: Partial<ImpactChange> = {}): Impact {
  return impactOf({ kind: "update", before: endpoint, after: { ...endpoint, ...after }, ...more });
}

describe("what an update does (specification, sections 3.2 and 3.3)", () => {
  const restart = ["restarts", "dropsConnections"];
  test.each<[string, ImpactSide, string[]]>([
    ["nothing", {}, []],
    ["the minimum size", { minCu: 1 }, restart],
    ["the maximum size", { maxCu: 7 }, restart],
    ["from a range to a fixed size", { minCu: 3, maxCu: 3 }, restart],
    ["autosuspend", { suspendTimeoutSeconds: 60 }, []],
    ["autosuspend off", { suspendTimeoutSeconds: -1 }, []],
    ["a first restart trigger", { restartTrigger: "1" }, restart],
    ["another branch", { branchId: "br-b" }, ["dropsConnections"]],
    ["another branch and size", { branchId: "br-b", minCu: 1 }, restart],
    ["disabling it", { disabled: true }, ["dropsConnections", "downtime"]],
    ["disabling it with another size", { disabled: true, minCu: 1 }, [...restart, "downtime"]],
    ["the pooler", { poolerEnabled: true }, []],
    ["the pooler's mode", { poolerMode: "session" }, []],
    ["Postgres settings", { pgSettings: {} }, []],
    ["passwordless access", { passwordlessAccess: false }, []],
  ])("%s", (_, after, expected) => {
    expect(effects(update(after))).toEqual(expected);
  });

  it("libraries are there from the next restart on, which another change may bring", () => {
    const preloadLibraries = ["auto_explain"];
    expect(update({ preloadLibraries })).toMatchObject({
      restarts: false,
      notes: [
        expect.stringMatching(/^restart not stated by the platform for preloadLibraries/),
        "preloadLibraries takes effect at the endpoint's next restart",
      ],
    });
    expect(update({ preloadLibraries, minCu: 1 })).toMatchObject({ restarts: true, notes: [] });
  });

  test.each<[string, ImpactSide, ImpactSide, boolean]>([
    ["a new value", { restartTrigger: "1" }, { restartTrigger: "2" }, true],
    ["the same value", { restartTrigger: "1" }, { restartTrigger: "1" }, false],
    ["no value any more", { restartTrigger: "1" }, {}, false],
  ])("a restart trigger with %s", (_, before, after, restarts) => {
    const changed = ["restartTrigger"];
    expect(impactOf({ kind: "update", before, after, changed }).restarts).toBe(restarts);
  });

  it("a fixed size written as a range restarts nothing", () => {
    const before = { minCu: 2, maxCu: 2 };
    const changed = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"];
    expect(impactOf({ kind: "update", before, after: { ...before }, changed }).restarts).toBe(false);
  });
});

describe("a property that the program does not set", () => {
  const before = { minCu: 2, maxCu: 4, disabled: true, suspendTimeoutSeconds: 60, pgSettings: { a: "1", b: "2" } };

  it("stays as it is", () => {
    const impact = impactOf({ kind: "update", before, after: {}, changed: [] });
    expect(effects(impact)).toEqual([]);
    expect(impact.maxConnections).toEqual({ before: 901, after: 901 });
    expect(impact.suspendTimeoutSeconds).toEqual({ before: 60, after: 60 });
  });

  it("goes back to its default when the program stops setting it, and a size stays", () => {
    const changed = ["suspendTimeoutSeconds", "pgSettings", "sizeCu"];
    const impact = impactOf({ kind: "update", before: { ...before, disabled: false }, after: {}, changed });
    expect(effects(impact)).toEqual([]);
    expect(impact.suspendTimeoutSeconds).toEqual({ before: 60, after: 0 });
    expect(impact.sizeCu).toEqual({ before: { min: 2, max: 4 }, after: { min: 2, max: 4 } });
    expect(impact.restartNotStated).toEqual(["pgSettings"]);
  });

  it("is judged by the names of what changed where the state lacks it", () => {
    const after = { minCu: 1, maxCu: 1 };
    expect(impactOf({ kind: "update", before: {}, after, changed: ["sizeCu"] }).restarts).toBe(true);
    expect(impactOf({ kind: "update", before: {}, after, changed: ["poolerMode"] }).restarts).toBe(false);
    expect(impactOf({ kind: "update", before: {}, after }).restarts).toBe(true);
  });
});

describe("what the specification does not state", () => {
  it("is named, and neither affirmed nor denied", () => {
    const impact = update({ poolerEnabled: true, pgSettings: { work_mem: "8MB", secret_one: "s3cret" } });
    expect(impact.restartNotStated).toEqual(["poolerEnabled", "pgSettings"]);
    expect(impact.notes).toEqual([
      "restart not stated by the platform for poolerEnabled and pgSettings (secret_one, work_mem), which it applies as configuration",
    ]);
  });
});

describe("a disabled endpoint", () => {
  const before = { ...endpoint, disabled: true };
  test.each<[string, ImpactSide]>([
    ["another size", { ...before, minCu: 1 }],
    ["another branch", { ...before, branchId: "br-b" }],
    ["being enabled", { ...endpoint }],
  ])("has nothing to restart or to cut: %s", (_, after) => {
    const impact = impactOf({ kind: "update", before, after });
    expect(effects(impact)).toEqual([]);
    expect(impact.notes).toHaveLength(1);
  });

  it("is replaced and deleted without cutting anybody", () => {
    expect(effects(impactOf({ kind: "replace", before, after: endpoint, deleteBeforeReplace: true }))).toEqual([
      "hostChanges",
    ]);
    expect(effects(impactOf({ kind: "delete", before }))).toEqual([]);
  });
});

describe("values that are not known yet", () => {
  test.each(["sizeCu", "autoscalingLimitMinCu", "branchId", "disabled", "restartTrigger", "projectId"])(
    "%s leaves the question open",
    (name) => {
      const impact = update({ minCu: undefined, maxCu: undefined }, { unknown: [name], changed: [name] });
      expect(effects(impact)).toEqual([]);
      expect(impact.undecided).toEqual([name]);
      expect(impact.notes).toEqual([`depends on values not known yet: ${name}`]);
    },
  );

  it("leave out the figures that rest on them", () => {
    const maxUnknown = update({ maxCu: undefined }, { unknown: ["autoscalingLimitMaxCu"] });
    expect(maxUnknown.maxConnections).toEqual({ before: 901, after: 901 });
    expect(maxUnknown.memoryGb).toEqual({ before: { min: 8, max: 16 } });
    const minUnknown = update({ minCu: undefined }, { unknown: ["autoscalingLimitMinCu"] });
    expect(minUnknown.maxConnections).toEqual({ before: 901 });
    const delayUnknown = update({}, { unknown: ["suspendTimeoutSeconds"] });
    expect(delayUnknown.suspendTimeoutSeconds).toEqual({ before: 300 });
    expect(delayUnknown.undecided).toBeUndefined();
  });

  it("do not hide what is certain", () => {
    const impact = update(
      { maxCu: 7, minCu: undefined },
      { unknown: ["autoscalingLimitMinCu", "pgSettings.work_mem"] },
    );
    expect(impact.restarts).toBe(true);
    expect(impact.notes).toEqual(["depends on values not known yet: autoscalingLimitMinCu, pgSettings"]);
  });

  it("are no news for a create unless its figures rest on them", () => {
    expect(impactOf({ kind: "create", after: { minCu: 1, maxCu: 1 }, unknown: ["branchId"] }).notes).toEqual([]);
    const sized = impactOf({ kind: "create", after: { branchId: "br-a" }, unknown: ["sizeCu"] });
    expect(sized.maxConnections).toBeUndefined();
    expect(sized.notes).toEqual(["depends on values not known yet: sizeCu"]);
  });
});
