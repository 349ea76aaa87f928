import { describe, expect, it } from "vitest";
import { expandFleets } from "../../../cli/review/fleet";
import { MAX_COMMENT, toMarkdown } from "../../../cli/review/markdown";
import { readPlan } from "../../../cli/review/plan";
import { type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { differencesFrom, sealOf } from "../../../cli/review/seal";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { branches, rowOf, sideOf, states, stored, type, updateOf, urn } from "./support/fleets";
import { planOf } from "./support/plans";

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

  it("counts as one change where the engine replaces it by force: what is there is taken up", () => {
    const { before, after } = updateOf(["a", "b"], { ...branches("a"), b: { branchId: "br-b", sizeCu: 2 } });
    const forced = (op: string): PlanStep => ({ op, urn, type, ...(before && { before }), ...(after && { after }) });
    expect(fates(forced("create-replacement"), forced("replace"), forced("delete-replaced"))).toEqual([
      "previews/b: update, yes",
    ]);
  });

  it("leaves out the rows that the preview gives its members", () => {
    const step = updateOf(["b"], { b: { branchId: "br-b", sizeCu: 2 } });
    expect(fates(rowOf("b", "update"), step, rowOf("b", "update"))).toEqual(["previews/b: update, yes"]);
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
    ["the fleet is replaced by force", [rowOf("a", "create"), { ...moving, op: "replace" }]],
  ])("may be replaced where it moves and %s", (_, steps) => {
    const { endpoints, gate } = toReport(planOf(expandFleets(steps, false)), { failOn: ["replace", "downtime"] });
    expect(endpoints).toMatchObject([
      { action: "update", replaced: "possible", hostChanges: "possible", downtime: "possible" },
    ]);
    expect(gate?.met).toHaveLength(2);
    expect(endpoints[0]?.notes.join()).toContain("deleted and created anew");
  });

  it("may do anything to a member that is not known yet, and to all where they are not known", () => {
    expect(fates(updateOf(["a", "b"], { ...branches("a"), b: UNKNOWN }))).toEqual(["previews/b: update, possible"]);
    const { before } = updateOf(["a", "b"], {});
    const after = { inputs: { endpoints: UNKNOWN }, outputs: {} };
    const all = reportOf({ op: "update", urn, type, ...(before && { before }), after });
    expect(all.endpoints.map(({ replaced }) => replaced)).toEqual(["possible", "possible"]);
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
    const hidden = updateOf(["a", "b"], { ...branches("a"), b: SECRET });
    expect(fates(hidden)).toEqual(["previews/b: update, possible"]);
    expect(fates({ ...hidden, after: { inputs: { endpoints: SECRET }, outputs: {} } })).toHaveLength(2);
  });

  it("says what it says of several members once, less what the report says itself", () => {
    const step = updateOf(["a", "b"], { ...branches("a"), b: { branchId: "br-b", sizeCu: 2 } });
    const said = [
      "of 2 members, 1 changed (b)",
      "b: restarts the endpoint: open connections are dropped",
      "b: size 1 CU -> 2 CU",
    ];
    const messages = said.map((message) => ({ urn, severity: "info" as const, message }));
    const report = toReport({ ...planOf(expandFleets([step], false)), messages });
    expect(report.messages).toMatchObject([{ name: "previews", message: "of 2 members, 1 changed (b)" }]);
  });

  it("is sealed member by member", () => {
    const seal = (step: PlanStep) => sealOf(planOf(expandFleets([step], false)));
    const approved = seal(updateOf(["a", "b", "c"], { ...branches("a", "c"), b: { branchId: "br-b", sizeCu: 2 } }));
    expect(approved.endpoints.map(({ name }) => name)).toEqual(["previews/b"]);
    const less = seal(updateOf(["a", "b", "c"], branches("a", "b", "c", "d")));
    expect(differencesFrom(approved, less)).toEqual([]);
    const more = seal(updateOf(["a", "b", "c"], { ...branches("a"), b: { branchId: "br-b", sizeCu: 4 } }));
    expect(differencesFrom(approved, more)).toEqual([
      "previews/b: sizeCu after is 4 CU, and in the seal 2 CU",
      expect.stringMatching(/^previews\/c \(p-1\/ep-c\) is not in the seal: /),
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
    expect(rows.slice(0, 6).map((row) => row.includes("**yes**"))).toEqual([true, true, true, true, true, false]);
    expect(markdown).toMatch(/_Left out, to fit a comment: \d+ rows of the table and the details of \d+ endpoints\./);
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
