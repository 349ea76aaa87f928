import { describe, expect, it } from "vitest";
import { toMarkdown } from "../../../cli/review/markdown";
import { type Plan, type PlanMessage, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { diff } from "../../../provider/endpoint/diff";
import { undoesRestoreMessage } from "../../../provider/endpoint/impact/impact";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { endpointOf, planOf, reportOn, stateOf, stepFor, updateOf } from "./support/plans";

describe("a report", () => {
  it("imports without harm", () => {
    for (const file of ["plugin-import.json", "plugin-import-streamed.jsonl"]) {
      expect(endpointOf(reportOn(file), "imported")).toMatchObject({
        action: "import",
        id: expect.stringMatching(/\/ep-/),
        restarts: "no",
        dropsConnections: "no",
        computeHours: { before: { max: 182.5 }, after: { max: 182.5 } },
      });
    }
  });

  it.each([
    ["not known yet", UNKNOWN],
    ["secret", SECRET],
  ])("counts as a takeover where adoptExisting is %s", (_, adoptExisting) => {
    const after = { inputs: { ...stateOf().inputs, adoptExisting }, outputs: {} };
    const report = toReport(planOf([stepFor("a", "create", { after })]), { failOn: ["restart"] });
    expect(endpointOf(report, "a")).toMatchObject({ action: "adopt", restarts: "possible" });
    expect(report.gate?.met).toHaveLength(1);
  });

  it.each([
    ["start_compute", undefined, "failed", "started", "started if that starts no operation"],
    ["start_compute", true, "failed", "suspended", "suspended if that starts no operation"],
    // It may have failed by the time of the update.
    ["start_compute", undefined, "running", "started", "started if that starts no operation"],
    ["suspend_compute", undefined, "failed", "restarted", "restarted, which drops connections, unless that does it"],
    ["apply_config", undefined, "scheduling", "restarted", "restarted, which drops connections, unless that does it"],
    ["suspend_compute", true, "failed", "suspended", "suspended, which drops connections, unless that does it"],
  ])(
    "says what is done about operations of an earlier run, as the preview does (%s, disabled: %s, %s)",
    (action, disabled, status, madeGoodBy, then) => {
      const operations = [{ id: "o", action, status, createdAt: "2024-05-01T10:00:00Z" }];
      const set = disabled ? ["sizeCu", "disabled"] : ["sizeCu"];
      const before = stateOf({ ...(disabled && { disabled }), __pgcompute: { set, operations } });
      const step = updateOf("a", { ...(disabled && { disabled }) }, before);
      const planned = diff({ id: "p-1/ep-1", state: before.outputs, inputs: step.after?.inputs ?? {} });
      const report = toReport(planOf([step]));
      const { notes, restarts, madeGoodBy: said } = endpointOf(report, "a");
      // All that the program sets is sent again, to an endpoint that may not have it.
      expect({ restarts, said }).toEqual({ restarts: "possible", said: madeGoodBy });
      expect(notes).toEqual(expect.arrayContaining(planned.messages));
      expect(planned.messages.join()).toContain(`the endpoint is ${then}`);
      expect(report.summary).toBe(
        `1 endpoint changes: 1 repaired after an earlier run (${madeGoodBy} where that failed)`,
      );
    },
  );

  it("says that what failed earlier may restart an endpoint whose program sets nothing that restarts", () => {
    const operations = [{ id: "o", action: "suspend_compute", status: "failed", createdAt: "2024-05-01T10:00:00Z" }];
    const { sizeCu: _, ...inputs } = stateOf().inputs;
    const before = { ...stateOf({ __pgcompute: { set: [], operations } }), inputs };
    const step = stepFor("a", "update", { before, after: { inputs, outputs: {} } });
    expect(endpointOf(toReport(planOf([step])), "a")).toMatchObject({
      restarts: "possible",
      dropsConnections: "possible",
      downtime: "no",
    });
  });

  it("leaves other resources out, and counts them", () => {
    const other = { op: "update", urn: "urn:pulumi:prod::shop::aws:s3:Bucket::b", type: "aws:s3:Bucket" };
    expect(toReport(planOf([other, { ...other, op: "same", urn: `${other.urn}2` }]))).toMatchObject({
      endpoints: [],
      otherChanges: 1,
    });
  });

  it.each([
    ["the specification's limit", {}, 1, 7],
    ["the configured limit", { "pgcompute:maxSizeCu": "16" }, 1, 16],
    ["a larger size that some endpoint has", {}, 32, 32],
  ])("has a scale up to %s", (_, config, sizeCu, max) => {
    expect(toReport(planOf([updateOf("a", { sizeCu })], config)).scale).toEqual({ min: 0.25, max });
  });

  it("has names and values of a program without control characters", () => {
    const report = toReport(planOf([updateOf("a\u001b[31m\u202eb", { pgSettings: { "x\u0007": "y" } })]));
    expect(report.endpoints[0]?.name).toBe("ab");
    expect(report.endpoints[0]?.properties[0]?.name).toBe("pgSettings.x");
  });
});

describe("a restore in place that a plan undoes", () => {
  const back = updateOf("main", { branchId: "br-0" });
  const moved = { ...back, before: { ...stateOf({ branchId: "br-1" }), inputs: back.before?.inputs ?? {} } };
  // Without a refresh the state has the branch of before.
  const unrefreshed = updateOf("main", { branchId: "br-2" }, stateOf({ branchId: "br-0" }));
  const said = { urn: moved.urn, severity: "warning" as const, message: undoesRestoreMessage("br-1") };

  it.each<[string, Partial<Plan>, boolean]>([
    ["by the settings", { config: { "pgcompute:undoRestore": "br-1" } }, true],
    ["by what the preview says", { messages: [said] }, true],
    ["by what the preview says, without a refresh", { steps: [unrefreshed], messages: [said] }, true],
    ["by nothing, where another branch is meant", { config: { "pgcompute:undoRestore": "br-2" } }, false],
    ["by nothing", {}, false],
  ])("is known %s", (_, more, isUndone) => {
    const report = toReport({ ...planOf([moved]), ...more }, { failOn: ["restore-undo"] });
    expect(endpointOf(report, "main").undoesRestore).toBe(isUndone ? true : undefined);
    expect(report.gate?.met.map(({ condition }) => condition)).toEqual(isUndone ? ["restore-undo"] : []);
  });
});

describe("the platform of a plan", () => {
  const at = (config: Record<string, string>, messages: string[] = []) =>
    toReport({
      ...planOf([updateOf("a", { sizeCu: 4 })], config),
      messages: messages.map((message) => ({ urn: stepFor("a", "update").urn, severity: "info" as const, message })),
    });

  it.each<[string, ReturnType<typeof at>, string | undefined, number | undefined]>([
    ["nowhere", at({}), undefined, undefined],
    ["by its name", at({ "pgcompute:platform": "neon" }), "neon", 1678],
    ["by its address", at({ "pgcompute:baseUrl": "http://127.0.0.1:1/api/v2" }), "specification", 1802],
    ["by the preview", at({ "pgcompute:platform": "specification" }, ["platform: neon"]), "neon", 1678],
    ["by two that differ", at({}, ["platform: neon", "platform: specification"]), undefined, undefined],
  ])("is told %s, and so are its figures", (_, report, platform, connections) => {
    expect(report.platform).toBe(platform);
    expect(endpointOf(report, "a").maxConnections?.after).toBe(connections);
    expect(report.messages).toEqual([]);
  });

  it("keeps large sizes active, which is what they cost; where none is told nobody knows", () => {
    const hours = (config: Record<string, string>) =>
      endpointOf(toReport(planOf([updateOf("a", { sizeCu: 20 })], config)), "a").computeHours.after;
    expect(hours({ "pgcompute:platform": "neon" })).toEqual({ min: 14_600, max: 14_600 });
    expect(hours({})).toBeUndefined();
  });
});

const messagesIn = (steps: Parameters<typeof planOf>[0], messages: PlanMessage[]) =>
  toReport({ ...planOf(steps), messages }).messages.map(
    ({ name, severity, message }) => `${severity} ${name}: ${message}`,
  );
const urn = stepFor("main", "update").urn;

describe("what the provider says in a preview", () => {
  it("is told of endpoints that stay, once, and not of other resources; what is said of the provider is its configuration", () => {
    const bucket = "urn:pulumi:prod::shop::aws:s3:Bucket::b";
    const provider = "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default";
    const child = urn.replace("pgcompute:index", "shop:index:Shop$pgcompute:index");
    const said = (on: string, message: string): PlanMessage => ({ urn: on, severity: "warning", message });
    const messages = [said(urn, "a"), said(urn, "a"), said(bucket, "b"), said(provider, "c"), said(child, "d")];
    expect(messagesIn([stepFor("main", "same")], messages)).toEqual(["warning main: a", "warning main: d"]);
    const report = toReport({ ...planOf([stepFor("main", "same")]), messages });
    expect(report.configuration).toMatchObject([{ name: "default", says: ["c"] }]);
    expect(toMarkdown(report)).toContain("**The provider's configuration changes**\n\nCompute");
    expect(toMarkdown(report)).toContain("- Configuration of `default`: `c`");
  });
});
