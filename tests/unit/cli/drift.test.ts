import { describe, expect, it } from "vitest";
import { requireKind } from "../../../cli/review/drift";
import { liveFacts } from "../../../cli/review/live/messages";
import { readPlan } from "../../../cli/review/plan";
import { SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import type { Report } from "../../../cli/review/report-model";
import type { OperationRecord } from "../../../provider/platform/records";
import { operation, record, viewOf } from "./support/live";
import { planOf, reportOn, sample, stateOf, stepFor } from "./support/plans";

const drift = true;
/** What the engine printed where somebody had changed two of four endpoints and deleted one. */
const told = ["plugin-refresh.json", "plugin-refresh-streamed.jsonl", "dynamic-refresh-streamed.jsonl"];

const fates = ({ endpoints }: Report) =>
  endpoints.map(({ name, action, restarts, hostChanges }) => `${name}: ${action}, ${restarts}, ${hostChanges}`);

/** A refresh of one endpoint of which the platform now shows something else. */
const refreshed = (outputs: Record<string, unknown>, inputs: Record<string, unknown> = {}, before = stateOf()) =>
  planOf([
    stepFor("main", "update", {
      before: { ...before, inputs: { ...before.inputs, ...inputs } },
      after: { ...before, outputs: { ...before.outputs, ...outputs } },
    }),
  ]);

describe("what a refresh found", () => {
  it.each(told)("is who was changed, from what to what, and what it does to put that back: %s", (file) => {
    const report = reportOn(file, { drift });
    expect(fates(report)).toEqual([
      "sized: update, yes, no",
      "gone: recreate, no, yes",
      "moved: update, not_stated, no",
    ]);
    expect(report).toMatchObject({
      drift: true,
      summary:
        "3 endpoints were changed outside the stack; when the next deployment puts that back: 1 restart (connections drop), " +
        "1 is created again (host changes), 1 reconfigured (restart not stated)",
      unchanged: 1,
      errors: [],
    });
    const [sized, gone, moved] = report.endpoints;
    expect(sized?.sizeCu).toEqual({ before: { min: 0.5, max: 0.5 }, after: { min: 2, max: 2 } });
    expect(sized?.properties.map(({ name }) => name)).toEqual(["size", "suspendTimeoutSeconds"]);
    expect(gone).toMatchObject({
      id: expect.stringMatching(/\/ep-/),
      notes: [expect.stringMatching(/^somebody deleted it/)],
    });
    expect(moved?.properties.map(({ name, to }) => [name, to.is])).toEqual([
      ["pgSettings.application_name", "unset"],
      ["pgSettings.work_mem", "value"],
    ]);
  });

  it("is nothing where only the platform's own business differs", () => {
    const report = toReport(refreshed({ host: "ep-1.other.example", poolerMode: "session" }), { drift });
    expect(report).toMatchObject({ summary: "No endpoint was changed outside the stack", endpoints: [], unchanged: 1 });
  });

  it("is a switched-off endpoint, and one on another branch", () => {
    const off = toReport(refreshed({ disabled: true }, { disabled: false }), { drift });
    expect(off.endpoints).toMatchObject([
      { properties: [{ name: "disabled", from: { value: true }, to: { value: false } }] },
    ]);
    const moved = toReport(refreshed({ branchId: "br-2" }), { drift });
    expect(moved.endpoints).toMatchObject([{ dropsConnections: "yes", move: { from: "br-2", to: "br-1" } }]);
  });

  it("is nothing of an endpoint that the stack only reads", () => {
    const before = { ...stateOf(), external: true };
    const gone = planOf([stepFor("gone", "delete", { before })]);
    for (const plan of [refreshed({ disabled: true }, { disabled: false }, before), gone]) {
      expect(toReport(plan, { drift })).toMatchObject({ endpoints: [], unchanged: 0, otherChanges: 0 });
    }
  });

  it("is nothing of what an earlier replacement left behind", () => {
    const before = { ...stateOf(), id: "p-1/ep-old", delete: true };
    const plan = planOf([stepFor("main", "refresh", { before: stateOf() }), stepFor("main", "delete", { before })]);
    expect(toReport(plan, { drift })).toMatchObject({ endpoints: [], unchanged: 1 });
  });

  it("keeps secrets", () => {
    const before = stateOf({ pgSettings: SECRET });
    const report = toReport(refreshed({ pgSettings: SECRET }, { pgSettings: SECRET }, before), { drift });
    expect(JSON.stringify(report)).not.toContain("undefined");
    expect(report.endpoints.every(({ properties }) => properties.every(({ from }) => from.is === "secret"))).toBe(true);
  });

  it("counts what drifted of other resources, and no more", () => {
    const bucket = { urn: "urn:pulumi:prod::shop::aws:s3:Bucket::b", type: "aws:s3:Bucket" };
    const plan = planOf([{ op: "update", ...bucket }, { op: "refresh", ...bucket }, stepFor("main", "refresh")]);
    expect(toReport(plan, { drift })).toMatchObject({ endpoints: [], otherChanges: 1, unchanged: 1 });
  });

  it("has the operation that did it, where the platform tells one", () => {
    const facts = (operations: OperationRecord[]) => {
      const plan = refreshed({ autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 });
      const report = toReport(plan, { drift, live: viewOf(record, operations) });
      return report.endpoints.flatMap((one) => liveFacts(one, report).map(({ label, text }) => `${label}: ${text}`));
    };
    const found = facts([
      operation("suspend_compute", "2026-01-30T09:00:00Z"),
      operation("apply_config", "2026-01-29T08:15:00Z"),
    ]);
    expect(found.slice(0, 2)).toEqual([
      "Changed: since 2026-01-29 08:15 UTC: operation op-apply_config (apply_config) is the last that changed it",
      "Now: idle for 27 h: putting it back now drops nobody",
    ]);
    expect(facts([])[0]).toBe("Changed: the operations that were read have none that changed it");
  });
});

describe("the kind of a plan", () => {
  const kind = (file: string, asDrift: boolean) => () => requireKind(readPlan(sample(file)), asDrift);

  it.each(told)("is told: %s is a refresh", (file) => {
    expect(kind(file, true)).not.toThrow();
    expect(kind(file, false)).toThrow(
      /^this is what `pulumi refresh --preview-only --json` prints, which plans nothing: give --drift/,
    );
  });

  it.each([
    "plugin-changes.json",
    "plugin-changes-streamed.jsonl",
    "plugin-changes-refreshed.json",
    "plugin-import.json",
  ])("is told: %s is none", (file) => {
    expect(kind(file, false)).not.toThrow();
    expect(kind(file, true)).toThrow(/^this is no refresh/);
  });

  it("is refused where it counts changes and does not show them", () => {
    expect(kind("dynamic-refresh.json", true)).toThrow(
      /does not tell what changed.*PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true/,
    );
  });
});
