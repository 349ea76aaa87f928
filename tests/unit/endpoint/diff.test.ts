import { describe, expect, it } from "vitest";
import { type DiffRequest, type DiffResult, diff, diffTakeover, neverIdle } from "../../../provider/endpoint/diff";
import { ignoredIn } from "../../../provider/endpoint/ignored";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { UNKNOWN } from "../../../provider/lib/unknown";
import type { EndpointRecord } from "../../../provider/platform/records";

// Specification, sections 3.2, 3.3 and 4.5.

const settings = { work_mem: "4MB" };
const base = { projectId: "p-1", branchId: "br-a", type: "read_write", sizeCu: 1, pgSettings: settings } as const;
const sizes = { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 };
const state = { ...base, ...sizes, suspendTimeoutSeconds: 0, poolerEnabled: false, disabled: false };
const replica = { state: { ...state, type: "read_only" } };

function planned(news: Record<string, unknown>, request: Partial<DiffRequest> = {}): DiffResult {
  return diff({ id: "p-1/ep-1", state, inputs: { ...base, ...news }, oldInputs: base, ...request });
}

/** What changes, why it replaces, and whether the old one goes first. */
function told({ properties, replaces, deletesFirst }: DiffResult): string {
  const all = Object.entries(properties).map(([name, one]) =>
    [name, one.change, one.replaces].filter(Boolean).join(" "),
  );
  return all.join("; ") + (replaces && deletesFirst ? ", the old one first" : "");
}

const cannot = (what: string) => `replaced: an endpoint cannot change its ${what}`;
const asked = (name: string) => `replaced: the program asks for it when ${name} changes (replaceOnChanges)`;
const other = { pgSettings: { work_mem: "8MB" } };
const range = { sizeCu: undefined, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 };
const ofSettings = `pgSettings update ${asked("pgSettings")}, the old one first`;

describe("what is planned", () => {
  it.each<[string, Record<string, unknown>, Partial<DiffRequest>, string]>([
    ["nothing", {}, {}, ""],
    [
      "a type on another branch",
      { type: "read_only", branchId: "br-b" },
      {},
      `branchId update; type update ${cannot("type")}`,
    ],
    [
      "a project, in a fleet",
      { projectId: "p-2" },
      { deletesFirst: true },
      `projectId update ${cannot("project")}, the old one first`,
    ],
    [
      "an unknown type",
      { type: UNKNOWN },
      {},
      "type update replaced: type is not known yet, and an endpoint cannot change its type",
    ],
    [
      "another branch where that is configured",
      { branchId: "br-b" },
      { moves: "replace" },
      "branchId update replaced: the configuration says that endpoints do not move",
    ],
    [
      "a replica's branch",
      { type: "read_only", branchId: "br-b" },
      replica,
      "branchId update replaced: a read replica does not move to another branch",
    ],
    [
      "a replica's unknown branch",
      { type: "read_only", branchId: UNKNOWN },
      replica,
      "branchId update replaced: branchId is not known yet, and a read replica does not move to another branch",
    ],
    [
      "a replica's size",
      { type: "read_only", sizeCu: 2 },
      { ...replica, replaceOnChanges: ["*"] },
      `sizeCu update ${asked("sizeCu")}`,
    ],
    ["any setting", other, { replaceOnChanges: ["pgSettings.*"] }, ofSettings],
    ["one setting by a bare name", other, { replaceOnChanges: ["pgSettings.work_mem"] }, ofSettings],
    ["a setting by steps in quotes", other, { replaceOnChanges: ['["pgSettings"]["work_mem"]'] }, ofSettings],
    ["no setting", other, { replaceOnChanges: ["pgSettings.jit", "a.pgSettings.work_mem"] }, "pgSettings update"],
    ["no part of a setting", other, { replaceOnChanges: ["pgSettings.work_mem.a"] }, "pgSettings update"],
    ["a size beside another one", { sizeCu: 2 }, { replaceOnChanges: ["branchId"] }, "sizeCu update"],
    ["no part of a size", { sizeCu: 2 }, { replaceOnChanges: ["sizeCu.*"] }, "sizeCu update"],
    ["a size beside no moves", { sizeCu: 2 }, { moves: "replace" }, "sizeCu update"],
    ["a named one", { branchId: "br-b" }, { replaceOnChanges: ["branchId"] }, `branchId update ${asked("branchId")}`],
    ["a minimum above an ignored maximum", range, { ignored: ignoredIn(["autoscalingLimitMaxCu"]) }, ""],
    [
      "a maximum above an ignored minimum",
      range,
      { ignored: ignoredIn(["autoscalingLimitMinCu"]) },
      "autoscalingLimitMaxCu add",
    ],
    ["where all is ignored", { sizeCu: 2, poolerEnabled: true }, { ignored: ignoredIn(["*"]) }, ""],
  ])("%s", (_, news, request, expected) => {
    const found = planned(news, request);
    expect(told(found)).toBe(expected);
    expect(found.changes).toBe(expected !== "");
    expect(found.impact === undefined).toBe(expected === "");
    for (const { replaces } of Object.values(found.properties))
      if (replaces) expect(found.messages).toContain(replaces);
  });

  it("says what it does, and of a branch that is not known yet what it may do", () => {
    expect(planned({}).messages).toEqual([]);
    expect(planned({ sizeCu: 4 })).toMatchObject({
      impact: { kind: "update", restarts: true, dropsConnections: true },
      messages: expect.arrayContaining(["restarts the endpoint: open connections are dropped"]),
    });
    expect(planned({ type: "read_only" }).impact).toMatchObject({
      kind: "replace",
      hostChanges: true,
      downtime: false,
    });
    const unsure = expect.stringMatching(
      /^branchId is not known yet: the endpoint moves there in place; where that branch cannot/,
    );
    expect(planned({ branchId: UNKNOWN }).messages).toContainEqual(unsure);
    expect(planned({ branchId: UNKNOWN }, { moves: "replace" }).messages).not.toContainEqual(unsure);
    expect(planned({ branchId: "br-b" }).messages).not.toContainEqual(unsure);
  });

  it("keeps values to itself that the program keeps secret", () => {
    const secret = new Set(["sizeCu", "branchId", "suspendTimeoutSeconds"]);
    const { messages } = planned({ sizeCu: 4, branchId: "br-b", suspendTimeoutSeconds: 777 }, { secret });
    expect(messages.join(" ")).toMatch(/restarts the endpoint.*secret are not shown/);
    expect(messages.join(" ")).not.toMatch(/1802|777|4 CU|br-/);
  });

  it("is a change while operations are kept, which says which, from where the platform shows it", () => {
    const operation = { id: "op-1", action: "start_compute", status: "running", createdAt: "2024-05-01T10:00:00Z" };
    const kept = (status: string) => ({
      ...state,
      [BOOKKEEPING]: { v: 2, set: [], operations: [{ ...operation, status }] },
    });
    const resumed = planned({}, { state: kept("running") });
    expect(resumed).toMatchObject({ changes: true, properties: {}, repair: "started" });
    expect(resumed.messages.join()).toMatch(/the last run left start_compute "running"/);
    expect(planned({}, { state: kept("failed") }).messages.join()).toMatch(/the last run left start_compute "failed"/);
    expect(planned({})).not.toHaveProperty("repair");
    expect(told(planned({}, { state: kept("failed"), standsOn: "br-x" }))).toBe("branchId update");
    expect(told(planned({}, { standsOn: "br-x" })) + told(planned({}, { state: kept("failed") }))).toBe("");
  });
});

describe("a takeover", () => {
  const record: EndpointRecord = { id: "ep-1", projectId: "p-1", branchId: "br-a", type: "read_write", ...sizes };
  const taken = (inputs: object, more: Partial<EndpointRecord> = {}, secret?: ReadonlySet<string>) => {
    const asked = { projectId: "p-1", branchId: "br-a", type: "read_write", ...inputs } as const;
    return diffTakeover({ record: { ...record, ...more }, inputs: asked, ...(secret && { secret }) });
  };

  it.each<[string, object, Partial<EndpointRecord>, string]>([
    [
      "no range",
      {},
      { autoscalingLimitMaxCu: 2 },
      "taken over unchanged; keeps what the program does not set: 1 to 2 CU",
    ],
    [
      "no setting of it",
      {},
      { suspendTimeoutSeconds: 60, poolerEnabled: true, disabled: false },
      "taken over unchanged; keeps what the program does not set: 1 CU, suspendTimeoutSeconds 60, poolerEnabled true",
    ],
    ["the same setting", { sizeCu: 1, poolerEnabled: true }, { poolerEnabled: true }, "taken over unchanged"],
  ])("of a program that says %s: it stays as it is", (_, inputs, more, expected) => {
    const found = taken(inputs, more);
    expect(found).toMatchObject({ changes: false, replaces: false, deletesFirst: false });
    expect(found.messages.join("; ")).toBe(expected);
  });

  it("says what it changes, and no secret", () => {
    const found = taken({ sizeCu: 2 });
    expect(found).toMatchObject({ changes: true, replaces: false, properties: { sizeCu: { after: 2 } } });
    expect(found.messages).toContain("restarts the endpoint: open connections are dropped");
    expect(found.messages).not.toContain("taken over unchanged");
    const hidden = taken({ sizeCu: 1 }, { suspendTimeoutSeconds: 777 }, new Set(["suspendTimeoutSeconds"])).messages;
    expect(hidden).toContain("keeps what the program does not set: suspendTimeoutSeconds");
  });
});

describe("a change that waits for an idle moment", () => {
  const waits = { impact: { waitsForIdle: true } } as Pick<DiffResult, "impact">;
  it.each<[string, Pick<DiffResult, "impact">, number, number, number | undefined, object | undefined]>([
    ["does not wait", {}, 18, -1, 16, undefined],
    ["waits where it suspends", waits, 16, 60, 16, undefined],
    ["waits in vain for a large one", waits, 18, 60, 16, { aboveCu: 16 }],
    ["waits in vain for what never suspends", waits, 16, -1, 16, {}],
  ])("%s", (_, plan, max, suspendTimeoutSeconds, alwaysActiveAboveCu, expected) => {
    const inForce = { ...state, autoscalingLimitMaxCu: max, suspendTimeoutSeconds };
    expect(neverIdle(plan, inForce, { alwaysActiveAboveCu })).toEqual(expected);
  });
});
