import { describe, expect, it } from "vitest";
import { expandFleets } from "../../../cli/review/fleet";
import { MAX_COMMENT, toMarkdown } from "../../../cli/review/markdown";
import { readPlan } from "../../../cli/review/plan";
import { type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { gateConditions } from "../../../cli/review/report-model";
import { sealOf } from "../../../cli/review/seal";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { branches, rowOf, sideOf, states, stored, type, updateOf, urn } from "./support/fleets";
import { planOf, stateOf, updateOf as updateOfOne } from "./support/plans";

const reportOf = (...steps: PlanStep[]) => toReport(planOf(expandFleets(steps, false)));
const fates = (...steps: PlanStep[]) =>
  reportOf(...steps).endpoints.map(({ name, action, restarts }) => `${name}: ${action}, ${restarts}`);

describe("a fleet in a plan", () => {
  it("is an endpoint a member, what hurts most first", () => {
    const step = updateOf(["a", "b", "c", "d", "e"], {
      ...branches("a", "f"),
      b: { branchId: "br-b", sizeCu: 2 },
      c: { branchId: "br-other" },
      d: { branchId: "br-d", type: "read_only" },
      g: { branchId: "br-g", importId: "p-1/ep-g" },
      h: { branchId: "br-h", adoptExisting: true },
    });
    expect(fates(step)).toEqual([
      "previews/b: update, yes",
      "previews/d: replace, no",
      "previews/e: delete, no",
      "previews/c: update, no",
      "previews/g: adopt, possible",
      "previews/h: adopt, possible",
      "previews/f: create, no",
    ]);
    const report = reportOf(step);
    expect(report).toMatchObject({ unchanged: 1, otherChanges: 0 });
    expect(report.summary).toMatch(
      /^7 endpoints change: 1 restart \(connections drop\), 1 replaced \(host changes, downtime\), 1 deleted/,
    );
    expect(report.endpoints[0]).toMatchObject({
      urn: `urn:pulumi:prod::shop::${type}$pgcompute:index:Endpoint::previews/b`,
      id: "p-1/ep-b",
      hostName: "ep-b.example",
      sizeCu: { before: { min: 1, max: 1 }, after: { min: 2, max: 2 } },
      properties: [{ name: "size" }],
    });
  });

  it.each<[string, PlanStep, string[]]>([
    [
      "is created",
      { op: "create", urn, type, after: { ...sideOf({}, branches("a", "b")), outputs: {} } },
      ["a: create", "b: create"],
    ],
    [
      "is deleted",
      { op: "delete", urn, type, before: sideOf(states("a", "b"), branches("a", "b")) },
      ["a: delete", "b: delete"],
    ],
    ["is imported", { op: "import", urn, type, after: { ...sideOf({}, branches("a")), outputs: {} } }, ["a: import"]],
    ["stays", { ...updateOf(["a"], { a: { branchId: "br-a", sizeCu: 4 } }), op: "same" }, []],
    ["changes in what is no endpoint's", updateOf(["a"], branches("a"), { maxDeletions: 5 }), []],
  ])("%s", (_, step, expected) => {
    expect(fates(step).map((fate) => fate.replace(/^previews\/|,.*$/g, ""))).toEqual(expected);
  });

  it("that the engine replaces by force is what the new one takes up, creates and leaves to the old one's delete", () => {
    const wanted = {
      ...branches("a", "c", "g"),
      b: { branchId: "br-b", sizeCu: 2 },
      e: { branchId: "br-d" },
      x: { branchId: "br-f", sizeCu: 2 },
    };
    const { before, after } = updateOf(["a", "b", "c", "d", "f"], wanted);
    const forced = (op: string): PlanStep => ({ op, urn, type, ...(before && { before }), ...(after && { after }) });
    const steps = [forced("create-replacement"), forced("replace"), forced("delete-replaced")];
    const x = rowOf("x", "update");
    const takenAs = { ...x, after: { inputs: { endpointId: "ep-f" }, outputs: {} } };
    const rows = [
      rowOf("a", "import"),
      rowOf("b", "update"),
      rowOf("c", "create"),
      rowOf("e", "create"),
      takenAs,
      rowOf("g", "import"),
    ];
    expect(fates(...rows, ...steps)).toEqual([
      "previews/b: update, yes",
      "previews/x: update, yes",
      "previews/c: replace, no",
      "previews/d: delete, no",
      "previews/e: create, no",
      "previews/g: adopt, no",
    ]);
    const downtime = (...order: PlanStep[]) =>
      reportOf(...rows, ...order).endpoints.find(({ action }) => action === "replace")?.downtime;
    expect([downtime(...steps), downtime(forced("delete-replaced"), ...steps.slice(0, 2))]).toEqual(["no", "yes"]);
    expect(expandFleets(steps, false)).toMatchObject([{ urn, unread: { why: "replaced", members: 6 } }]);
  });

  it("is deleted as far as a later one does not have its endpoints, where an earlier run left it", () => {
    const left: PlanStep = {
      op: "delete",
      urn,
      type,
      before: { ...sideOf(states("a", "b"), branches("a", "b")), delete: true },
    };
    const now = updateOf(["a"], { a: { branchId: "br-a", sizeCu: 2 } });
    for (const steps of [
      [left, now],
      [now, left],
    ]) {
      expect(fates(...steps)).toEqual(["previews/a: update, yes", "previews/b: delete, no"]);
    }
  });

  it("is told from an endpoint that is its child and bears a member's name", () => {
    const own = { provider: "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default::1" };
    const child = (op: string, sizeCu: number): PlanStep => ({
      ...rowOf("b", op),
      before: { ...stateOf(), ...own },
      ...(op === "update" && { after: { inputs: { ...stateOf().inputs, sizeCu }, outputs: {}, ...own } }),
    });
    const step = updateOf(["a", "b"], { ...branches("a"), b: { branchId: "br-b", suspendTimeoutSeconds: 60 } });
    for (const [one, fate] of [
      [child("update", 2), "previews/b: update, yes"],
      [child("delete", 1), "previews/b: delete, no"],
    ] as const) {
      expect(fates(rowOf("b", "update"), one, step)).toEqual([fate, "previews/b: update, no"]);
    }
  });

  const exchanged = { a: { branchId: "br-b" }, b: { branchId: "br-a" } };

  it("is replaced where its row says so, and created where its endpoint is gone", () => {
    const step = updateOf(["a", "b", "c"], { ...exchanged, ...branches("c") });
    const steps = expandFleets([rowOf("a", "replace"), rowOf("b", "update"), rowOf("c", "create"), step], false);
    const { endpoints, unchanged, gate } = toReport(planOf(steps), { failOn: ["replace", "downtime"] });
    expect(endpoints).toMatchObject([
      { name: "previews/a", action: "replace", replaced: "yes", hostChanges: "yes", downtime: "yes" },
      { name: "previews/b", action: "update", replaced: "no", hostChanges: "no", downtime: "no" },
      { name: "previews/c", action: "create", replaced: "no" },
    ]);
    expect(unchanged).toBe(0);
    expect(gate?.met.map((one) => one.endpoints)).toEqual([["previews/a"], ["previews/a"]]);
    expect(sealOf(planOf(steps)).endpoints.map(({ effects }) => effects)).toEqual([
      { dropsConnections: "yes", hostChanges: "yes", replaced: "yes", downtime: "yes" },
      { dropsConnections: "yes", moved: "yes" },
    ]);
  });

  it("is taken over where importId says so, and taken up where its row says so: as it is, or changed", () => {
    const step = updateOf(["a"], {
      ...branches("a", "made", "left", "grown"),
      named: { branchId: "br-named", importId: "p-1/ep-named" },
      unknown: { branchId: "br-unknown", importId: UNKNOWN },
    });
    const rows = [rowOf("made", "create"), rowOf("left", "import"), rowOf("grown", "update"), rowOf("named", "import")];
    for (const op of ["update", "create"]) {
      const plan = planOf(expandFleets([...rows, { ...step, op }], false));
      const { endpoints, gate } = toReport(plan, { failOn: ["restart", "downtime"] });
      expect(endpoints.map(({ name, action, restarts }) => `${name}: ${action}, ${restarts}`)).toEqual([
        "previews/grown: adopt, possible",
        "previews/unknown: adopt, possible",
        "previews/made: create, no",
        "previews/left: adopt, no",
        "previews/named: adopt, no",
      ]);
      expect(endpoints[0]?.notes).toEqual([
        expect.stringMatching(/^takes up the endpoint that an earlier run created/),
      ]);
      expect(gate?.met).toMatchObject([{ endpoints: ["previews/grown", "previews/unknown"] }]);
      expect(sealOf(plan).endpoints.map(({ name }) => name)).toEqual(["previews/grown", "previews/unknown"]);
    }
  });

  const moving = updateOf(["a"], { a: { branchId: "br-other" } });
  it.each<[string, PlanStep[]]>([
    ["no row tells", [moving]],
    ["the branch is not known yet", [rowOf("a", "update"), updateOf(["a"], { a: { branchId: UNKNOWN } })]],
  ])("may be replaced where it moves and %s", (_, steps) => {
    const { endpoints, gate } = toReport(planOf(expandFleets(steps, false)), { failOn: ["replace", "downtime"] });
    expect(endpoints).toMatchObject([
      { action: "update", replaced: "possible", hostChanges: "possible", downtime: "possible" },
    ]);
    expect(gate?.met).toHaveLength(2);
    expect(endpoints[0]?.notes.join()).toContain("deleted and created again");
  });

  const { before, after } = updateOf(["a", "b"], branches("a"));
  const hiding = (side: typeof before, value: unknown) => ({
    inputs: { ...side?.inputs, endpoints: value },
    outputs: { ...side?.outputs, endpoints: value, __pgcompute: value },
  });
  const newer = { ...before, inputs: {}, outputs: { endpoints: {}, __pgcompute: JSON.stringify({ v: 9 }) } };
  it.each<[string, Partial<PlanStep>, RegExp]>([
    [
      "secret on both sides",
      { before: hiding(before, SECRET), after: hiding(after, SECRET) },
      /^the members of previews .*is a secret/,
    ],
    [
      "no secret any more",
      { before: hiding(before, SECRET), ...(after && { after }) },
      /^1 member of previews .*is a secret/,
    ],
    [
      "secret from now on",
      { ...(before && { before }), after: hiding(after, SECRET) },
      /^2 members of previews .*is a secret/,
    ],
    [
      "not known yet",
      { ...(before && { before }), after: hiding(after, UNKNOWN) },
      /^2 members of previews .*is not known yet/,
    ],
    [
      "new, and not known yet",
      { op: "create", after: hiding(after, UNKNOWN) },
      /^the members of previews .*is not known yet/,
    ],
    ["to go, and secret", { op: "delete", before: hiding(before, SECRET) }, /^the members of previews .*is a secret/],
    ["of a newer form", { before: newer, ...(after && { after }) }, /^1 member of previews .*a newer version/],
  ])("counts for every gate, and is in no seal, where its map is %s", (_, rest, reason) => {
    const steps = expandFleets(
      [{ op: "update", urn, type, ...rest }, updateOfOne("quiet", { suspendTimeoutSeconds: 60 })],
      false,
    );
    const asked = gateConditions.filter((one) => one !== "config");
    const report = toReport(planOf(steps), { failOn: asked, expected: sealOf(planOf(steps)) });
    expect(report.summary).toMatch(/^(\d members?|The members of 1 fleet) cannot be read\. 1 endpoint changes: /);
    expect(report.gate?.met.map(({ condition, unread }) => [condition, unread])).toEqual(
      asked.map((condition) => [condition, ["previews"]]),
    );
    expect(report.approval?.differences).toEqual([expect.stringMatching(reason)]);
    expect(toReport(planOf(steps.slice(0, 1))).summary).toMatch(/cannot be read$/);
    const quiet = expandFleets([{ urn, type, ...rest, op: "same" }], false);
    expect(toReport(planOf(quiet))).toMatchObject({ summary: "No endpoint changes", unread: [] });
  });

  it.each([
    ["update", 1],
    ["delete", 1],
    ["same", 0],
  ])("is no fleet, and counts all the same, where a newer version wrote an endpoint (%s)", (op, unread) => {
    const [before, change] = [stateOf({ __pgcompute: { v: 9 } }), updateOfOne("main", { sizeCu: 2 })];
    const steps = expandFleets([{ ...change, op, before }], false);
    const report = toReport(planOf(steps), { failOn: ["restart"], expected: sealOf(planOf([])) });
    expect(report).toMatchObject({ endpoints: [], unchanged: 1 - unread });
    expect(report.summary).toBe(unread ? "1 endpoint cannot be read" : "No endpoint changes");
    expect(report.gate?.met).toHaveLength(unread);
    expect(report.approval?.differences).toEqual(
      unread ? [expect.stringMatching(/^main cannot be read: a newer version .* wrote the state/)] : [],
    );
    expect(toReport(planOf(steps), { drift: true }).unread).toHaveLength(unread);
  });

  it("is believed where the provider names what differs, and keeps secrets", () => {
    const settings = { pgSettings: SECRET };
    const secret = (changed?: string[]): PlanStep => ({
      ...updateOf(["a", "b"], { a: { branchId: "br-a", ...settings }, b: { branchId: "br-b", ...settings } }),
      ...(changed && { changed }),
    });
    expect(fates(secret()).map((fate) => fate.slice(0, 11))).toEqual(["previews/a:", "previews/b:"]);
    expect(fates(secret(["endpoints", 'endpoints["b"].pgSettings'])).map((fate) => fate.slice(0, 11))).toEqual([
      "previews/b:",
    ]);
  });

  it("with one secret leaves alone whom the provider does not name, and may restart of the others whose books are shut", () => {
    const shut = (step: PlanStep): PlanStep => ({
      ...step,
      ...(step.before && { before: { ...step.before, outputs: { ...step.before.outputs, __pgcompute: SECRET } } }),
    });
    const step = shut(
      updateOf(["a", "b", "c"], { ...branches("b"), a: { branchId: "br-a", sizeCu: 1 }, c: { branchId: "br-x" } }),
    );
    const told = { ...step, changed: ["endpoints", 'endpoints["c"].branchId'] };
    const report = reportOf(rowOf("c", "update"), told);
    expect(report).toMatchObject({
      unchanged: 2,
      endpoints: [{ name: "previews/c", move: { from: "br-c", to: "br-x" } }],
    });
    // Without rows nobody tells whether an operation of an earlier run is open; the values that people see are compared.
    expect(fates(step)).toEqual([
      "previews/c: update, possible",
      "previews/a: update, possible",
      "previews/b: update, possible",
    ]);
  });

  it("of a thousand members fits a comment: the disrupted ones first, the rest counted", () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `pr-${index}`);
    const wanted = Object.fromEntries(
      keys.map((key, index) => [
        key,
        { branchId: `br-${key}`, ...(index >= 995 ? { sizeCu: 2 } : { suspendTimeoutSeconds: 600 }) },
      ]),
    );
    const report = reportOf(updateOf(keys, wanted));
    expect(report.summary).toBe("1000 endpoints change: 5 restarts (connections drop), 995 unaffected");
    const markdown = toMarkdown(report);
    expect(markdown.length).toBeLessThanOrEqual(MAX_COMMENT);
    const rows = markdown.split("\n").filter((line) => line.startsWith("| `previews/"));
    expect(rows.map((row) => [row.includes("**yes**"), row.split("|")[1]?.replace(/.* and/, "and")])).toEqual([
      [true, "and 2 more "],
      [false, "and 992 more "],
    ]);
    expect(markdown).not.toContain("Left out");
  });

  it("is drift of its members where a refresh finds something else, and where one is gone", () => {
    const before = sideOf(states("a", "b", "c"), branches("a", "b", "c"));
    const now = { a: stored("a"), b: stored("b", { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 4, sizeCu: 4 }) };
    const after = { ...before, outputs: sideOf(now, {}).outputs };
    const steps = expandFleets([{ op: "update", urn, type, before, after }], true);
    const report = toReport(planOf(steps), { drift: true });
    expect(report.endpoints.map(({ name, action, restarts }) => `${name}: ${action}, ${restarts}`)).toEqual([
      "previews/b: update, yes",
      "previews/c: recreate, no",
    ]);
    expect(report.unchanged).toBe(1);
    const read = expandFleets([{ op: "delete", urn, type, before: { ...before, external: true } }], true);
    expect(toReport(planOf(read), { drift: true })).toMatchObject({ endpoints: [], unchanged: 0 });
    expect(expandFleets([{ op: "refresh", urn, type, before, after: before }], true).map(({ op }) => op)).toEqual([
      "same",
      "same",
      "same",
    ]);
  });

  it("is drift of its members in a refresh of a few targets, which does not tell that it is one", () => {
    const side = (delay: number) => {
      const wanted = { b: { branchId: "br-b", suspendTimeoutSeconds: delay } };
      return { type, ...sideOf({ b: stored("b", { suspendTimeoutSeconds: delay }) }, wanted) };
    };
    const step = { op: "update", urn, oldState: side(300), newState: side(600), detailedDiff: {} };
    const text = JSON.stringify({ steps: [step], changeSummary: { update: 1 } });
    const plan = readPlan(new TextEncoder().encode(text), undefined, true);
    expect(toReport(plan, { drift: true }).endpoints).toMatchObject([
      { name: "previews/b", restarts: "no", properties: [{ name: "suspendTimeoutSeconds", to: { value: 300 } }] },
    ]);
  });
});

/** With the row of the member that stays, which tells what a replacement takes up. */
const released = (step: PlanStep) =>
  toReport(planOf(expandFleets([rowOf("b", "import"), rowOf("a", "replace"), step], false)), { failOn: ["delete"] });
const fateOf = (step: PlanStep) => released(step).endpoints.map(({ name, action }) => `${name}: ${action}`);

/** Fleet steps in which `a` leaves; `said` is what the program of the last run said, `kept` what the state keeps. */
function withoutA(op: string, has: { said?: object; kept?: object; fleet?: object; secret?: boolean }): PlanStep {
  const { said, kept = {}, fleet, secret } = has;
  const { outputs, ...side } = sideOf(
    states("a", "b"),
    { ...branches("b"), a: { branchId: "br-a", ...said } },
    {},
    { a: { ...kept } },
  );
  const before = { ...side, outputs: { ...outputs, ...(secret && { __pgcompute: SECRET }) }, ...fleet };
  const after = { ...sideOf({}, branches("b")), outputs: {} };
  return { op, urn, type, before, ...(op !== "delete" && { after }) };
}

const retains = { retainOnDelete: true };

describe("a member that leaves its fleet", () => {
  it.each<[string, PlanStep, "delete" | "release"]>([
    ["without any option", withoutA("update", {}), "delete"],
    [
      "with the fleet's own option, which an update's provider never hears of",
      withoutA("update", { fleet: retains }),
      "delete",
    ],
    ["with an option that the state keeps", withoutA("update", { kept: retains }), "release"],
    ["with one that a run which failed in part has taken back", withoutA("update", { said: retains }), "delete"],
    ["with one that such a run has set", withoutA("update", { said: {}, kept: retains }), "release"],
    [
      "with what the program said, where the state is secret",
      withoutA("update", { said: retains, secret: true }),
      "release",
    ],
    ["with the whole fleet", withoutA("delete", {}), "delete"],
    ["with the whole fleet, of which the engine deletes nothing", withoutA("delete", { fleet: retains }), "release"],
    ["with the whole fleet, and its own option", withoutA("delete", { kept: retains }), "release"],
    ["when the fleet is replaced by force, and kept", withoutA("delete-replaced", { fleet: retains }), "release"],
  ])("%s", (_, step, action) => {
    const report = released(step);
    expect(fateOf(step)).toContain(`previews/a: ${action}`);
    const deleted = report.gate?.met.flatMap(({ endpoints }) => endpoints) ?? [];
    expect(deleted.includes("previews/a")).toBe(action === "delete");
    const sealed = sealOf(planOf(expandFleets([rowOf("b", "import"), step], false))).endpoints.map(({ name }) => name);
    expect(sealed.includes("previews/a")).toBe(action === "delete");
  });

  it.each([
    [{ fleet: retains }, false],
    [{ kept: retains }, true],
  ])("is said to keep its old endpoint when it is replaced only where it does: %j", (has, keeps) => {
    const { before } = withoutA("update", has);
    const step = { ...updateOf(["a", "b"], { ...branches("b"), a: { branchId: "br-a", type: "read_only" } }) };
    const [one] = released({ ...step, ...(before && { before }) }).endpoints;
    expect(one).toMatchObject({ name: "previews/a", action: "replace" });
    expect(one?.notes.join().includes("retainOnDelete keeps the old endpoint")).toBe(keeps);
  });
});
