import { describe, expect, it, test } from "vitest";
import type { ChangeKind } from "../../../../provider/endpoint/impact/impact";
import { fc } from "../../../support/random";
import { effects, type ImpactChange, type ImpactSide, impactOf } from "./support/change";

// Specification, sections 2.4 and 3.3.

const endpoint: ImpactSide = {
  branchId: "br-a",
  minCu: 2,
  maxCu: 4,
  suspendTimeoutSeconds: 300,
  host: "ep-1.eu.example.test",
};

describe("the kinds besides an update", () => {
  it("a create gives its figures and harms nobody", () => {
    expect(impactOf({ kind: "create", after: { minCu: 0.5, maxCu: 2, suspendTimeoutSeconds: -1 } })).toEqual({
      kind: "create",
      restarts: false,
      dropsConnections: false,
      hostChanges: false,
      downtime: false,
      maxConnections: { after: 225 },
      connectionsSetBy: "the minimum size",
      memoryGb: { after: { min: 2, max: 8 } },
      sizeCu: { after: { min: 0.5, max: 2 } },
      suspendTimeoutSeconds: { after: -1 },
      notes: [],
    });
    expect(impactOf({ kind: "create" }).maxConnections).toBeUndefined();
  });

  test.each<[string, Partial<ImpactChange>, string[]]>([
    ["created first", {}, ["dropsConnections", "hostChanges"]],
    ["deleted first", { deleteBeforeReplace: true }, ["dropsConnections", "hostChanges", "downtime"]],
    ["by a disabled one", { after: { disabled: true } }, ["dropsConnections", "hostChanges", "downtime"]],
  ])("a replacement, %s", (_, more, expected) => {
    const impact = impactOf({ kind: "replace", before: endpoint, after: endpoint, ...more });
    expect(effects(impact)).toEqual(expected);
    expect(impact.move).toBeUndefined();
  });

  it("a replacement elsewhere says where, and takes no size from the old endpoint", () => {
    const impact = impactOf({ kind: "replace", before: endpoint, after: { branchId: "br-b" } });
    expect(impact.notes).toEqual(["the new endpoint is on br-b instead of br-a"]);
    expect(impact.maxConnections).toEqual({ before: 901 });
    expect(impact.suspendTimeoutSeconds).toEqual({ before: 300, after: 0 });
  });

  it("a deletion cuts connections for good; a release cuts none", () => {
    expect(effects(impactOf({ kind: "delete", before: endpoint }))).toEqual(["dropsConnections", "downtime"]);
    expect(effects(impactOf({ kind: "release", before: endpoint }))).toEqual([]);
    expect(impactOf({ kind: "delete", before: endpoint }).maxConnections).toEqual({ before: 901 });
  });

  it("a size outside the table has no connections that anybody knows", () => {
    const impact = impactOf({ kind: "create", after: { minCu: 8, maxCu: 16 } });
    expect(impact.sizeCu).toEqual({ after: { min: 8, max: 16 } });
    expect(impact.maxConnections).toBeUndefined();
    expect(impact.memoryGb).toEqual({ after: { min: 32, max: 64 } });
  });
});

describe("for any change", () => {
  const text = fc.constantFrom("a", "b", "");
  const cu = fc.oneof(fc.constantFrom(0.25, 1, 7), fc.double());
  const side: fc.Arbitrary<ImpactSide> = fc.record(
    {
      branchId: text,
      minCu: cu,
      maxCu: cu,
      suspendTimeoutSeconds: fc.integer(),
      disabled: fc.boolean(),
      restartTrigger: text,
      poolerEnabled: fc.boolean(),
      poolerMode: text,
      pgSettings: fc.dictionary(fc.string(), fc.string()),
      passwordlessAccess: fc.boolean(),
      host: text,
    },
    { requiredKeys: [] },
  );
  const names = fc.array(
    fc.constantFrom("sizeCu", "autoscalingLimitMinCu", "branchId", "pgSettings.x", "disabled", "?"),
  );

  it("an endpoint that stays as it is never restarts and never loses a connection", () => {
    fc.assert(
      fc.property(side, (same) => {
        // NaN is no size and equals nothing; checkSize refuses it before a change is looked at.
        fc.pre(!Number.isNaN(same.minCu) && !Number.isNaN(same.maxCu));
        const impact = impactOf({ kind: "update", before: same, after: structuredClone(same) });
        expect(effects(impact)).toEqual([]);
        expect(impact.restartNotStated).toBeUndefined();
      }),
    );
  });

  it("a restart cuts connections, downtime does too, and a replacement changes the host name", () => {
    const kind = fc.constantFrom<ChangeKind[]>("create", "update", "replace", "delete", "release");
    const change = fc.record(
      { kind, before: side, after: side, changed: names, unknown: names, deleteBeforeReplace: fc.boolean() },
      { requiredKeys: ["kind"] },
    );
    fc.assert(
      fc.property(change, (given) => {
        const impact = impactOf(given);
        if (impact.restarts || impact.downtime) expect(impact.dropsConnections).toBe(true);
        if (impact.kind === "replace") expect(impact.hostChanges).toBe(true);
        if (impact.undecided) expect(impact.notes.join()).toContain("not known yet");
      }),
    );
  });
});
