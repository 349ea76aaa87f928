import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { GateCondition } from "../../../cli/review/disruption";
import { gateMessages } from "../../../cli/review/messages";
import { type Plan, type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import type { GateResult } from "../../../cli/review/report-model";
import { differencesFrom, parseSeal, sealOf } from "../../../cli/review/seal";
import { toJson } from "../../../cli/terminal/output";
import { isRecord, UNKNOWN } from "../../../provider/lib/unknown";
import { expectPrinted } from "./support/brief";
import { updateOf as updateOfFleet } from "./support/fleets";
import { planOf, stateOf, stepFor, updateOf } from "./support/plans";

type Steps = PlanStep | PlanStep[];

const held = (approved: Steps | Plan, planned: Steps | Plan) => {
  const [sealed, now] = [approved, planned].map((plan) => sealOf("steps" in plan ? plan : planOf([plan].flat())));
  if (!sealed || !now) throw new Error("two plans");
  // A checkout may have other ends of lines.
  return differencesFrom(parseSeal(toJson(sealed).replaceAll("\n", "\r\n")), now);
};

const resize = (from: number, to: unknown, name = "main") =>
  updateOf(name, { sizeCu: to }, stateOf({ autoscalingLimitMinCu: from, autoscalingLimitMaxCu: from }));
const idle = updateOf("main", { sizeCu: 2, restartWhen: "idle" });
const gone = (name: string, id = "p-1/ep-1", outputs = {}) =>
  stepFor(name, "delete", { before: { ...stateOf(outputs), id } });
const replaced = stepFor("main", "replace", {
  before: { ...stateOf(), delete: true },
  after: { inputs: { ...stateOf().inputs, type: "read_only" }, outputs: {} },
});
/** Both members move to unknown branches; `source` does not count, as only the whole map has sources. */
const exchanged = (source: string) => {
  const wanted = { a: { branchId: UNKNOWN }, b: { branchId: UNKNOWN } };
  const step = updateOfFleet(["a", "b"], wanted);
  const sources = {
    endpoints: [
      `urn:pulumi:prod::shop::t::${source}`,
      "urn:pulumi:prod::shop::t::br-a",
      "urn:pulumi:prod::shop::t::br-b",
    ].sort(),
  };
  return [{ ...step, ...(step.after && { after: { ...step.after, sources } }) }];
};
const fromUnknown = (step: PlanStep, ...sources: string[]): PlanStep => {
  if (!step.after) throw new Error("a step with an after");
  const all = Object.fromEntries(["sizeCu", "branchId"].map((name) => [name, sources]));
  return { ...step, after: { ...step.after, sources: all } };
};
const unknownFrom = (...sources: string[]) => fromUnknown(resize(1, UNKNOWN), ...sources);
const main = (inputs: Record<string, unknown>) => updateOf("main", inputs);
const written = toJson(sealOf(planOf([resize(1, 2)])));
/** The seal with its endpoint twice, and the digest that fits. */
function doubled() {
  const { digest: _, ...content } = JSON.parse(written);
  content.endpoints.push(content.endpoints[0]);
  const sorted = JSON.stringify(content, (_key, one) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
  return toJson({ ...content, digest: `sha256:${createHash("sha256").update(sorted).digest("hex")}` });
}
const range = (min: number, max: unknown) =>
  updateOf("main", { sizeCu: undefined, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
const settings = (name = "main") => updateOf(name, { pgSettings: { work_mem: "8MB" }, suspendTimeoutSeconds: 60 });

const madeAnew = /not written as `pgcompute review --seal` writes one, so it was edited; make a new one$/;
it.each([
  ["no JSON", "hello", /not what `pgcompute review --seal` writes/],
  ["deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, /not what/],
  ["of a later form", toJson({ ...sealOf(planOf([])), version: 3 }), /not what/],
  ["with a key that it does not know", toJson({ ...sealOf(planOf([])), also: 1 }), /not what/],
  ["with a second entry of a name", written.replace('"stack"', '"stack": "dev",\n  "stack"'), madeAnew],
  ["with an endpoint twice", doubled(), madeAnew],
  ["written in another way", JSON.stringify(JSON.parse(written)), madeAnew],
  ["edited", toJson({ ...JSON.parse(written), endpoints: [] }), /so it was edited; make a new one$/],
])("a seal is refused where it is %s", (_, text, reason) => {
  expect(() => parseSeal(text)).toThrow(reason);
  expect(() => parseSeal(text)).toThrow(/^cannot read the seal: /);
});

const moves = { "pgcompute:moves": "replace", "pgcompute:apiKey": "x" };
const base = "moves is set, and was not";
const says = (plan: Plan, message: string): Plan => ({
  ...plan,
  messages: [{ urn: "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default", severity: "warning", message }],
});
const plan = planOf([resize(1, 2)], moves);
const shared = ["a", "b"].map((name) => fromUnknown(updateOf(name, { branchId: UNKNOWN }), "u::x"));
const elsewhere = (text: string, by: string) =>
  JSON.parse(JSON.stringify(resize(1, 2)).replaceAll(text, by)) as PlanStep;

/** What is approved, and a plan that is held to it. */
const pairs: Record<string, [approved: Steps | Plan, planned: Steps | Plan]> = {
  "the same": [resize(1, 2), resize(1, 2)],
  "a restart when idle, and not at any time": [resize(1, 2), idle],
  "besides what disrupts nobody": [resize(1, 2), [resize(1, 2), stepFor("new", "create"), settings("quiet")]],
  "a value that is unknown from the same resource": [unknownFrom("u::a"), unknownFrom("u::a")],
  "another effect": [resize(1, 2), replaced],
  "another size of what goes": [gone("old"), gone("old", "p-1/ep-1", { autoscalingLimitMaxCu: 7 })],
  "another minimum": [range(1, 4), range(2, 4)],
  "a range of which an end is not known yet": [range(1, UNKNOWN), range(1, UNKNOWN)],
  "a value that is unknown from now on": [resize(1, 2), unknownFrom("u::a")],
  "a restart that is certain, and was possible": [unknownFrom("u::a"), resize(1, 2)],
  "an unknown value of two resources in another order": [unknownFrom("u::a", "u::b"), unknownFrom("u::b", "u::a")],
  "an unknown value of another resource": [unknownFrom("u::p::t::a"), unknownFrom("u::p::t::b")],
  "an unknown value of a resource called like two": [
    unknownFrom("u::p::t::a", "u::p::t::b"),
    unknownFrom("u::p::t::au::p::t::b"),
  ],
  "a value that is secret where it was unknown": [unknownFrom("u::a"), resize(1, SECRET)],
  "an unknown value of nobody knows what": [resize(1, UNKNOWN), resize(1, UNKNOWN)],
  "two endpoints that exchange values of one source": [shared, shared],
  "members of a fleet that exchange values of its sources": [exchanged("br-a"), exchanged("br-b")],
  "connections without a password": [main({ sizeCu: 2 }), main({ sizeCu: 2, passwordlessAccess: true })],
  "a secret value": [resize(1, SECRET), resize(1, SECRET)],
  "the same settings": [plan, { ...plan, config: { ...moves, "pgcompute:apiKey": "y", "aws:region": "z" } }],
  "a setting that is taken away": [plan, { ...plan, config: {} }],
  "a change of the provider that it has": [says(plan, base), says(plan, base)],
  "another change of the provider": [says(plan, base), says(plan, "plan changes")],
  "another stack": [resize(1, 2), elsewhere("urn:pulumi:prod", "urn:pulumi:dev")],
  // Whoever wrote the seal.
  "a stack whose name has lines and terminal sequences": [
    elsewhere("urn:pulumi:prod", "urn:pulumi:x\\nAs approved: all\\u001b[2J"),
    resize(1, 2),
  ],
};

it("what plans do besides their seals: as it was", async () => {
  const text = Object.entries(pairs).map(([what, [approved, planned]]) => {
    const differences = held(approved, planned);
    return `# ${what}\n${differences.length === 0 ? "kept" : differences.join("\n")}\n`;
  });
  await expectPrinted("held to a seal", text.join("\n"));
});

const dynamic = (config: Record<string, string>) =>
  planOf([{ ...resize(1, 2), type: "pulumi-nodejs:dynamic/pgcompute:Endpoint" }], config);
it.each<[string, Plan, Plan | undefined, GateResult["met"], GateCondition?]>([
  ["is met without a seal", dynamic(moves), undefined, [{ condition: "config", endpoints: [] }]],
  ["is met by a seal of other settings", dynamic({}), dynamic(moves), [{ condition: "config", endpoints: [] }]],
  ["is not met by a seal of the same", dynamic(moves), dynamic(moves), []],
  ["is for the plugin to say", plan, undefined, []],
])("on config, where dynamic resources keep no configuration, %s", (_, planned, approved, met, asked = "config") => {
  const report = toReport(planned, { failOn: [asked], ...(approved && { expected: sealOf(approved) }) });
  expect(report.gate?.met).toEqual(met);
  const [said] = gateMessages(report);
  expect(said).toMatch(met.length > 0 ? /^Gate failed on config: whether it changed/ : /^Gate passed: nothing of/);
});
