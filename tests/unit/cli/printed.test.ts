/** Compares every format of full reports with a recording; `vitest -u` records anew, for review as a diff. */
import { expect, it } from "vitest";
import { gateConditions } from "../../../cli/review/disruption";
import { style, toHtml } from "../../../cli/review/html";
import { reachMessages, terminalMessages } from "../../../cli/review/live/messages";
import { toMarkdown } from "../../../cli/review/markdown";
import { gateMessages, headMessages } from "../../../cli/review/messages";
import { readPlan } from "../../../cli/review/plan";
import { type PlanMessage, type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import type { Report } from "../../../cli/review/report-model";
import { sealOf } from "../../../cli/review/seal";
import { toJson } from "../../../cli/terminal/output";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { expectReport } from "../../support/report-schema";
import { expectPrinted } from "./support/brief";
import { branches, updateOf as updateOfFleet } from "./support/fleets";
import { operation, ranFor41h, record, viewOf } from "./support/live";
import { creationOf as created, planOf, reportOn, sample, stateOf, stepFor, updateOf } from "./support/plans";

const everything = { failOn: gateConditions, pricePerCuHour: 0.16, currency: "EUR" };
const empty = sealOf(planOf([]));
const large = stateOf({ sizeCu: 2, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 });
const change = (inputs: Record<string, unknown>) => updateOf("a", inputs);
const idle = (inputs: Record<string, unknown>) => change({ ...inputs, restartWhen: "idle" });
const replaced = (more: object = {}) =>
  stepFor("a", "replace", {
    before: { ...stateOf(), delete: true, ...more },
    after: { inputs: { ...stateOf().inputs, type: "read_only" }, outputs: {} },
  });
const deleted = (more: object = {}) => stepFor("a", "delete", { before: { ...stateOf(), ...more } });
const stopped = updateOf("a", { sizeCu: 2, disabled: true }, stateOf({ disabled: true }));

/** Whatever can become of one endpoint. */
const everyChange: Record<string, PlanStep> = {
  // The largest size that suspends on any platform.
  "a restart": change({ sizeCu: 16 }),
  "a move": change({ branchId: "br-2" }),
  "a switch-off": change({ disabled: true }),
  "a replacement": replaced(),
  "a gap": replaced({ pendingReplacement: true }),
  "a replacement of what is disabled": { ...replaced(), before: { ...stateOf({ disabled: true }), delete: true } },
  "a deletion": deleted(),
  "a doubt": change({ restartTrigger: UNKNOWN }),
  "an unknown size": change({ sizeCu: UNKNOWN }),
  "an unknown switch": change({ disabled: UNKNOWN }),
  "an unknown branch": change({ branchId: UNKNOWN }),
  "a restart when idle": idle({ sizeCu: 2 }),
  "a switch-off when idle": idle({ disabled: true }),
  "a move when idle": idle({ branchId: "br-2" }),
  "an unknown size when idle": idle({ sizeCu: UNKNOWN }),
  "a pooler when idle": idle({ poolerEnabled: true }),
  "a restart at a secret moment": change({ sizeCu: 2, restartWhen: SECRET }),
  "a creation": created("a"),
  "a takeover": created("a", { adoptExisting: true }),
  "a release": deleted({ retainOnDelete: true }),
  "a delay": change({ suspendTimeoutSeconds: 60 }),
  "a delay without end": change({ suspendTimeoutSeconds: -1 }),
  "a resize of what does not run": stopped,
};
const named = Object.entries(everyChange).map(([what, step]) => ({ ...step, urn: stepFor(what, "").urn }));
const provider = "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default";

/** What the platform tells of the endpoint, of one plan with all that can happen to it. */
function live(part: Partial<typeof record> | undefined, more = {}, operations = ranFor41h): Report {
  const takeover = created("taken", { adoptExisting: true });
  const plan = planOf([updateOf("main", { sizeCu: 0.5 }, large), created("fresh", { branchId: "br-2" }), takeover]);
  const view = viewOf(part && { ...record, ...part }, operations);
  const reach = [
    { projectId: "p-1", from: "2026-01-22T08:00:00.000Z", pages: 20, spent: ["compute time"] },
    { projectId: "p-2", failure: "project p-2 cannot be read." },
    { projectId: "p-3", from: "2026-01-01T12:00:00.000Z" },
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
  const plan = planOf([step, hidden, maps, newer]);
  return toReport(plan, { ...everything, expected: empty });
}

/** A plan with changes of the provider, more messages than a comment takes, and errors. */
function told(): Report {
  const { urn } = stepFor("main", "update");
  const said = Array.from(
    { length: 22 },
    (_, at): PlanMessage => ({ urn, severity: at % 2 ? "info" : "warning", message: `${at} of them` }),
  );
  const messages = [...said, { urn: provider, severity: "warning" as const, message: "moves is set, and was not" }];
  const bucket = { op: "update", urn: "urn:pulumi:prod::shop::aws:s3:Bucket::b", type: "aws:s3:Bucket" };
  const steps = [
    updateOf("main", { sizeCu: 2 }),
    stepFor("still", "same"),
    bucket,
    { ...bucket, urn: `${bucket.urn}2` },
  ];
  return toReport(
    {
      ...planOf(steps, { "pgcompute:platform": "neon" }),
      messages,
      errors: ["no room", "x".repeat(600), "y".repeat(500)],
    },
    everything,
  );
}

const reports: Record<string, () => Report> = {
  "changes by the dynamic host": () => reportOn("dynamic-changes.json"),
  "replacements, not as approved": () =>
    reportOn("dynamic-replacements.json", { expected: empty, failOn: ["config", "delete"] }),
  "an import, as approved": () =>
    reportOn("plugin-import-streamed.jsonl", {
      failOn: ["delete", "move"],
      expected: sealOf(readPlan(sample("plugin-import-streamed.jsonl"))),
    }),
  "every change": () => toReport(planOf(named), { ...everything, expected: empty }),
  nothing: () => toReport(planOf([])),
  "changes alike, told one by one": () => {
    const running = { ...record, currentState: "active" as const };
    const ids = Array.from({ length: 22 }, (_, at) => `ep-${at}`);
    const view = viewOf(undefined, []);
    const project = {
      endpoints: ids.map((id) => ({ ...running, id })),
      operations: new Map(),
      branches: new Map(),
      restartsMs: [],
      fromMs: view.nowMs - 3_600_000,
    };
    const steps = ids.map((id) => ({ ...updateOf(id, { sizeCu: 2 }), before: { ...stateOf(), id: `p-1/${id}` } }));
    return toReport(planOf([...steps, stepFor("gone", "delete", { before: { ...stateOf(), id: "p-1/ep-0" } })]), {
      live: { ...view, projects: new Map([["p-1", project]]) },
    });
  },
  "changes alike": () => {
    const moved = (at: number) =>
      updateOf(`m${at}`, { branchId: `br-n${at}` }, { ...stateOf({ branchId: `br-m${at}` }), id: `p-1/ep-${at}` });
    const steps = [
      ...[0, 1, 2].map((at) => created(`c${at}`, { branchId: `br-${at}` })),
      ...Array.from({ length: 21 }, (_, at) => moved(at)),
      ...[0, 1, 2].map((at) => updateOf(`u${at}`, { branchId: UNKNOWN }, stateOf({ branchId: `br-u${at}` }))),
    ];
    return toReport(planOf(steps), { platform: "neon", expected: empty });
  },
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
  "a failed refresh": () =>
    toReport(
      { ...planOf([stepFor("gone", "delete", { before: stateOf() })]), errors: ["no"] },
      { drift: true, failOn: ["restart", "delete"], expected: empty },
    ),
};

it.each(Object.keys(reports))("%s: printed as it was", async (name) => {
  const report = (reports[name] as () => Report)();
  expectReport(toJson(report));
  const terminal = [headMessages, terminalMessages, gateMessages, reachMessages].flatMap((say) => say(report));
  // A line for each card of the page, and for each endpoint of a list.
  const comment = toMarkdown(report).replace(/<details>[\s\S]*?<\/details>/g, (text) => text.replaceAll("\n", "⏎"));
  const bare = toHtml(report).replace(style, "");
  const page = bare.replace(/\n(?!<(?:article|section|nav|footer))/g, " ");
  const data = Object.entries(report).flatMap(([key, value]) =>
    [value].flat().map((one) => `${key}: ${JSON.stringify(one)}`),
  );
  await expectPrinted(name, [comment, terminal.join("\n"), page, data.join("\n")].join("\n----\n"));
});

it("an HTML report needs nothing else and runs nothing, whatever a program writes", () => {
  const evil = `"><img src=x onerror=alert(1)>'&`;
  const plan = { ...planOf([updateOf(evil, { pgSettings: { [evil]: evil } })]), errors: [evil] };
  const page = toHtml(toReport(plan, everything));
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(page.replaceAll("onerror=alert(1)&gt;", "")).not.toMatch(
    /<script|<link|<img|<iframe|src="|href="(?!#)|url\(|@import|\son\w+=/i,
  );
  expect(page.match(/&quot;&gt;&lt;img src=x onerror=alert\(1\)&gt;&#39;&amp;/g)?.length).toBeGreaterThanOrEqual(3);
});

it("a seal: written as it was", async () => {
  const unknown = { ...updateOf("sourced", { sizeCu: UNKNOWN, branchId: UNKNOWN }) };
  const sourced = { ...unknown, after: { inputs: {}, outputs: {}, ...unknown.after, sources: { sizeCu: ["u::a"] } } };
  const odd = [sourced, updateOf("secret", { sizeCu: SECRET }), created("open", { passwordlessAccess: true })];
  const sealed = sealOf(
    planOf([...named.slice(0, 5), ...odd], {
      "pgcompute:plan": "free",
      "pgcompute:moves": "replace",
      "pgcompute:apiKey": "x",
    }),
  );
  const others = sealOf(planOf(named.slice(5))).endpoints.map((one) => JSON.stringify(one));
  await expectPrinted("a seal", [toJson(sealed), ...others].join("\n"));
});
