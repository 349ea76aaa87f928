/** Every form of reports that have all there is to say, held against what was printed before; `vitest -u` writes that anew, to be read as a difference. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { expandFleets } from "../../../cli/review/fleet";
import { toHtml } from "../../../cli/review/html";
import { reachMessages, terminalMessages } from "../../../cli/review/live/messages";
import { toMarkdown } from "../../../cli/review/markdown";
import { approvalMessages, gateMessages, headMessages } from "../../../cli/review/messages";
import { type PlanMessage, type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { gateConditions, type Report } from "../../../cli/review/report-model";
import { sealOf } from "../../../cli/review/seal";
import { toJson } from "../../../cli/terminal/output";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { root } from "../../../tools/root.mjs";
import { everyChange } from "./support/changes";
import { branches, rowOf, updateOf as updateOfFleet } from "./support/fleets";
import { operation, ranFor41h, record, viewOf } from "./support/live";
import { planOf, reportOn, stateOf, stepFor, updateOf } from "./support/plans";

const everything = { failOn: gateConditions, pricePerCuHour: 0.16, currency: "EUR" };
const empty = sealOf(planOf([]));
const named = everyChange.map(([what, step]) => ({ ...step, urn: stepFor(what, "").urn }));
const large = stateOf({ sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 });
const created = (name: string, inputs: object = {}) =>
  stepFor(name, "create", { after: { inputs: { ...stateOf().inputs, ...inputs }, outputs: {} } });
const provider = "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default";

/** What the platform tells of the endpoint, of one plan with all that can happen to it. */
function live(part: Partial<typeof record> | undefined, more = {}, operations = ranFor41h): Report {
  const takeover = created("taken", { adoptExisting: true });
  const plan = planOf([updateOf("main", { sizeCu: 0.5 }, large), created("fresh", { branchId: "br-2" }), takeover]);
  const view = viewOf(part && { ...record, ...part }, operations);
  const reach = [
    { projectId: "p-1", from: "2026-01-22T08:00:00.000Z", pages: 20, spent: ["compute time"] },
    { projectId: "p-2", failure: "project p-2 cannot be read." },
  ];
  return toReport(plan, { live: { ...view, reach }, ...more });
}

/** A fleet whose members change in every way, one that is secret, and an endpoint of a newer version. */
function fleets(): Report {
  const wanted = {
    ...branches("a", "f"),
    b: { branchId: "br-b", sizeCu: 2 },
    c: { branchId: "br-x" },
    d: { branchId: "br-d", type: "read_only" },
    g: { branchId: "br-g", importId: "p-1/ep-g" },
  };
  const step = updateOfFleet(["a", "b", "c", "d", "e"], wanted);
  const side = { inputs: { endpoints: SECRET }, outputs: { endpoints: SECRET } };
  const hidden: PlanStep = { ...step, urn: `${step.urn}-hidden`, before: side, after: side };
  const newer = { ...updateOf("newer", { sizeCu: 2 }), before: stateOf({ __pgcompute: { v: 9 } }) };
  const unknown = { ...updateOfFleet(["a"], {}), urn: `${step.urn}-unknown` };
  const maps = { ...unknown, ...(unknown.after && { after: { ...unknown.after, inputs: { endpoints: UNKNOWN } } }) };
  const plan = planOf(expandFleets([rowOf("c", "update"), step, hidden, maps, newer], false));
  return toReport(plan, { ...everything, expected: empty });
}

/** A plan with changes of the provider, more messages than a comment takes, and errors. */
function told(): Report {
  const { urn } = stepFor("main", "update");
  const said = Array.from(
    { length: 22 },
    (_, at): PlanMessage => ({ urn, severity: at % 2 ? "info" : "warning", message: `${at} of them` }),
  );
  const messages = [
    ...said,
    { urn: provider, severity: "warning" as const, message: "moves changes from not set to replace" },
  ];
  const bucket = { op: "update", urn: "urn:pulumi:prod::shop::aws:s3:Bucket::b", type: "aws:s3:Bucket" };
  const steps = [updateOf("main", { sizeCu: 2 }), stepFor("still", "same"), bucket];
  return toReport(
    { ...planOf(steps, { "pgcompute:platform": "neon" }), messages, errors: ["no room", "x".repeat(600)] },
    everything,
  );
}

const reports: Record<string, () => Report> = {
  "changes by the plugin": () => reportOn("plugin-changes.json", everything),
  "changes by the dynamic host": () => reportOn("dynamic-changes.json"),
  "replacements, not as approved": () =>
    reportOn("dynamic-replacements.json", { expected: empty, failOn: ["config", "delete"] }),
  "replacements by the plugin": () => reportOn("plugin-replacements.json", everything),
  "a failed preview": () => reportOn("plugin-failed.json", { ...everything, expected: empty }),
  "an import, as approved": () => reportOn("plugin-import.json", { failOn: ["delete"], expected: empty }),
  "every change": () => toReport(planOf(named), { ...everything, expected: empty }),
  "changes alike": () =>
    toReport(planOf(Array.from({ length: 25 }, (_, at) => created(`e${at}`, { branchId: `br-${at}` }))), {
      platform: "neon",
    }),
  drift: () => reportOn("plugin-refresh.json", { drift: true, live: viewOf(record, []) }),
  fleets,
  told,
  "an idle endpoint": () => live({}, { pricePerCuHour: 1 }),
  "a running endpoint": () => live({ currentState: "active", lastActive: "2026-01-31T11:58:30Z" }),
  "a disabled endpoint that changed": () =>
    live({ disabled: true, suspendedAt: "2026-01-31T11:59:30Z" }, { drift: true }, [
      operation("apply_config", "2026-01-29T08:15:00Z"),
    ]),
  "an endpoint that is gone": () => live(undefined),
  "an endpoint whose state is not told": () => live({ currentState: undefined as never }),
  "a failed refresh": () =>
    toReport({ ...planOf([stepFor("gone", "delete", { before: stateOf() })]), errors: ["no"] }, { drift: true }),
};

it.each(Object.keys(reports))("%s: printed as it was", async (name) => {
  const report = (reports[name] as () => Report)();
  const terminal = [headMessages, terminalMessages, gateMessages, approvalMessages, reachMessages].flatMap((say) =>
    say(report),
  );
  // A line for each card of the page, and for each endpoint.
  const bare = toHtml(report).replace(/<style>[\s\S]*?<\/style>/, "");
  const page = bare.replace(/\n(?!<(?:article|section|nav|footer))/g, " ");
  const data = Object.entries(report).flatMap(([key, value]) =>
    [value].flat().map((one) => `${key}: ${JSON.stringify(one)}`),
  );
  const forms = [toMarkdown(report), terminal.join("\n"), page, data.join("\n")].join("\n----\n");
  await expect(forms).toMatchFileSnapshot(
    join(root, "tests/unit/cli/samples/printed", `${name.replaceAll(/\W+/g, "-")}.txt`),
  );
});

it("a seal: written as it was", async () => {
  const unknown = { ...updateOf("sourced", { sizeCu: UNKNOWN, branchId: UNKNOWN }) };
  const sourced = { ...unknown, after: { inputs: {}, outputs: {}, ...unknown.after, sources: { sizeCu: ["u::a"] } } };
  const steps = [
    ...named,
    sourced,
    updateOf("secret", { sizeCu: SECRET }),
    created("open", { passwordlessAccess: true }),
  ];
  const sealed = toJson(sealOf(planOf(steps, { "pgcompute:moves": "replace", "pgcompute:apiKey": "x" })));
  await expect(sealed).toMatchFileSnapshot(join(root, "tests/unit/cli/samples/printed/a-seal.txt"));
});
