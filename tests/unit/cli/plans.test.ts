import { expect, it } from "vitest";
import { exitCodeOf } from "../../../cli/review/gate";
import type { LiveView } from "../../../cli/review/live/look";
import { headMessages } from "../../../cli/review/messages";
import { readPlan } from "../../../cli/review/plan";
import { type PlanMessage, type PlanState, type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { type ReportOptions, toReport } from "../../../cli/review/report";
import type { Report } from "../../../cli/review/report-model";
import { sealOf } from "../../../cli/review/seal";
import { diff } from "../../../provider/endpoint/diff";
import { undoesRestoreMessage } from "../../../provider/endpoint/impact/sentences";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { neon, platformMessage } from "../../../provider/platform/profiles/profiles";
import { itDecides, told } from "./support/brief";
import * as fleets from "./support/fleets";
import { record, viewOf } from "./support/live";
import { creationOf, endpointOf, planOf, stateOf, stepFor, updateOf } from "./support/plans";

const created = (inputs: object = {}, name = "main") => creationOf(name, inputs);
const bucket = { urn: "urn:pulumi:prod::shop::aws:s3:Bucket::b", type: "aws:s3:Bucket" };
const old: PlanState = { ...stateOf(), id: "p-1/ep-old", delete: true };

const provider = "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default::1";
const own: PlanState = { ...stateOf(), provider };
/** The same endpoint as the program has it, which takes over one of this id. */
const taking = (takes: unknown): PlanState => ({ inputs: { ...own.inputs, __takes: takes }, outputs: {}, provider });
const replacing = (takes: string, ...ops: string[]) =>
  ops.map((op) => stepFor("main", op, { before: own, ...(op !== "delete-replaced" && { after: taking(takes) }) }));
const resized = updateOf("a", { sizeCu: 2 });

itDecides("takeovers", {
  "what is not known yet": [stepFor("main", "create", { after: taking(UNKNOWN) })],
  "its own endpoint where it is replaced, as one step tells": replacing("ep-1", "replace"),
  "nothing where its own endpoint goes first, and was refreshed before": [
    stepFor("main", "refresh", { before: own }),
    ...replacing("ep-1", "delete-replaced", "replace", "create-replacement"),
  ],
  "whatever is there, when idle": [created({ adoptExisting: true, restartWhen: "idle" })],
  "maybe, where it is secret": [created({ adoptExisting: SECRET })],
  "what is left over goes first, of one that is replaced": [
    stepFor("main", "delete-replaced", { before: old }),
    ...replacing("ep-2", "create-replacement", "replace", "delete-replaced"),
  ],
  "what is left over is kept": [stepFor("a", "delete-replaced", { before: { ...old, retainOnDelete: true } })],
});

it("takes what is replaced under another name for one resource, whichever half goes first", () => {
  const { id, inputs, outputs } = stateOf();
  const state = { type: stepFor("a", "same").type, id, inputs, outputs };
  const of = (name: string, op: string) => ({ ...stepFor(name, op), oldState: state, newState: state });
  const gone = { ...stepFor("old", "delete-replaced"), oldState: state };
  const coming = [of("new", "create-replacement"), of("new", "replace")];
  for (const steps of [
    [...coming, gone],
    [gone, ...coming],
  ]) {
    const report = toReport(readPlan(Buffer.from(JSON.stringify({ steps }))), { failOn: ["delete"] });
    expect(report.endpoints.map(({ name, action, downtime }) => `${action} ${name}, ${downtime}`)).toEqual([
      `replace new, ${steps[0] === gone ? "yes" : "no"}`,
    ]);
    expect(report.gate?.met).toEqual([]);
  }
});

const back = updateOf("main", { branchId: "br-0" });
const moved = { ...back, before: { ...stateOf({ branchId: "br-1" }), inputs: back.before?.inputs ?? {} } };
const said = { urn: moved.urn, severity: "warning" as const, message: undoesRestoreMessage("br-1") };
const warned = (steps: PlanStep[], message: PlanMessage = said) => told({ ...planOf(steps), messages: [message] });

itDecides("a restore in place that a plan undoes", {
  "by the settings": told(planOf([moved], { "pgcompute:undoRestore": "br-1" })),
  // Without a refresh the state has the branch of before.
  "by what the preview says, without a refresh": warned([
    updateOf("main", { branchId: "br-2" }, stateOf({ branchId: "br-0" })),
  ]),
  "by a replacement": warned(replacing("ep-2", "replace")),
  "and another moves too, which was not restored": warned([
    moved,
    updateOf("other", { branchId: "br-6" }, stateOf({ branchId: "br-5" })),
  ]),
  "by nothing": [moved],
});

const branch = { urn: "urn:pulumi:prod::shop::neon:index:Branch::preview", type: "neon:index:Branch" };
/** The branch that takes its endpoints along. */
const going = (op: string, before: Partial<PlanState> = {}): PlanStep => ({
  ...{ op, ...branch },
  before: { inputs: {}, outputs: {}, ...before },
});
const bound: PlanState = { ...stateOf(), deletedWith: branch.urn };
const adopted = stateOf({ __pgcompute: { v: 2, set: [], adopted: true } });
const of = (op: string, before: PlanState, name = "main") =>
  stepFor(name, op, { before, ...(op !== "delete" && { after: { ...before, outputs: {} } }) });

const fleetSide = { ...fleets.sideOf(fleets.states("a", "b"), fleets.branches("a", "b")), deletedWith: branch.urn };
const wholeFleet: PlanStep = { op: "same", urn: fleets.urn, type: fleets.type, before: fleetSide, after: fleetSide };

itDecides("what another resource takes along", {
  "one that stays, with a branch that goes": [going("delete"), of("same", bound)],
  "one that stays, with a branch that is replaced": [going("delete-replaced"), of("same", bound)],
  "one that changes": [going("replace"), updateOf("main", { sizeCu: 2 }, bound)],
  "one that is protected, which the engine does not ask about": [
    going("delete"),
    of("same", { ...bound, protect: true }),
  ],
  "one that goes as well": [going("delete"), of("delete", bound)],
  "one that is to be kept": [going("delete"), of("delete", { ...bound, retainOnDelete: true })],
  "one that was taken over": [going("delete"), of("delete", { ...adopted, deletedWith: branch.urn })],
  "nothing, where the branch is kept": [going("delete", { retainOnDelete: true }), of("same", bound)],
  "nothing, where the branch is only read": [going("delete", { external: true }), of("same", bound)],
  "nothing, where the branch changes": [going("update"), of("same", bound)],
  "nothing of another branch": [{ ...going("delete"), urn: `${branch.urn}2` }, of("same", bound)],
  "the members of a fleet": [going("delete"), wholeFleet],
});

const at = (config: Record<string, string>, messages: string[] = []) =>
  told({
    ...planOf([updateOf("a", { sizeCu: 4 })], config),
    messages: messages.map((message) => ({ urn: stepFor("a", "update").urn, severity: "info" as const, message })),
  });
/** A step of a provider from some settings to others. */
const providers = (name: string, op: string, from: object, to: object): PlanStep => ({
  op,
  urn: `urn:pulumi:prod::shop::pulumi:providers:pgcompute::${name}`,
  type: "pulumi:providers:pgcompute",
  before: { inputs: { ...from, version: "1" }, outputs: {} },
  after: { inputs: { ...to, version: "2" }, outputs: {} },
});
/** What a provider says on its own row. */
const saysOf = (name: string, message: string) => {
  return { urn: providers(name, "same", {}, {}).urn, severity: "warning" as const, message };
};
/** A change of an endpoint that has this provider. */
const by = (name: string): PlanStep => {
  const provider = `${providers(name, "same", {}, {}).urn}::1`;
  return updateOf(`of ${name}`, { sizeCu: 2 }, { ...stateOf(), provider });
};
/** An `import` option that changes to another id: the engine plans it without asking for a difference. */
const imported = ["import-replacement", "replace", "delete-replaced"].map((op) =>
  stepFor("a", op, {
    before: stateOf(),
    ...(op !== "delete-replaced" && { after: { ...stateOf(), id: "p-1/ep-2", outputs: {} } }),
  }),
);
const onNeon = (...steps: PlanStep[]) => told(planOf(steps, { "pgcompute:platform": "neon" }));
const settings = { plan: "free", moves: "replace" };
const crowd = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    created({ branchId: `br-${index}` }, `a${String(index).padStart(2, "0")}`),
  );

itDecides("the platform and the configuration", {
  "told by its name": at({ "pgcompute:platform": "neon" }),
  "no platform of that name": at({ "pgcompute:platform": "toString" }),
  "told by the preview": at({ "pgcompute:platform": "specification" }, [platformMessage(neon)]),
  "the public one, where nothing says another": at({}),
  "no platform, where all that is planned is a delete": [stepFor("main", "delete", { before: stateOf() })],
  "no platform, where all that is planned is an import in place of another": imported,
  "the environment's, where the plan has none": told(imported, { elsePlatform: "neon" }),
  "the plan's own, whatever the environment has": told(planOf([resized], { "pgcompute:platform": "specification" }), {
    elsePlatform: "neon",
  }),
  "not told where a provider of its own says it and the preview does not": told([
    by("mine"),
    providers("mine", "same", {}, { platform: "neon" }),
  ]),
  "told by the stack, whose provider it has, whatever another's says": onNeon(
    by("default_1"),
    providers("mine", "same", {}, { platform: "specification" }),
  ),
  "told by the stack alone, for a provider of its own that is not shown": onNeon(by("mine")),
  "a configured limit": at({ "pgcompute:maxSizeCu": "16" }),
  "no limit": at({ "pgcompute:maxSizeCu": "0" }),
  "changes of two providers": told({
    ...planOf([
      providers("z", "update", settings, { plan: "paid" }),
      providers("d", "update", { apiKey: SECRET }, { apiKey: SECRET }),
    ]),
    messages: [
      saysOf("z", "plan changes"),
      saysOf("b", "moves is set, and was not"),
      saysOf("b", "apiKey changes"),
      saysOf("b", "apiKey changes"),
    ],
  }),
  "what a provider's step does not show, which says nothing": [
    providers("a", "update", { baseUrl: SECRET, apiKey: SECRET }, { baseUrl: "https://a.example", apiKey: SECRET }),
    providers("b", "update", { moves: "replace" }, { moves: UNKNOWN }),
    providers("c", "update", { traceFile: SECRET }, { traceFile: SECRET }),
    providers("d", "update", {}, { apiKey: SECRET }),
    providers("e", "update", { plan: "free" }, { plan: "free" }),
    providers("f", "same", { plan: SECRET }, { plan: "free" }),
  ],
  "changes of the default provider, and what the stack says now": told({
    ...planOf([], { "pgcompute:moves": "replace", "pgcompute:baseUrl": "[secret]" }),
    messages: [saysOf("default_1_0_0", "moves is set, and was not"), saysOf("default_1_0_0", "baseUrl changes")],
  }),
  "settings of a plan in which nothing of this provider stands": told(
    planOf([{ op: "same", ...bucket }], { "pgcompute:plan": "paid", "pgcompute:moves": "x", "aws:region": "z" }),
  ),
});

it.each<[string, PlanStep[], LiveView?, string?]>([
  ["one that is idle", [resized], viewOf(record, [])],
  ["one that is gone", [resized], viewOf(undefined, [])],
  // The old one of each, which an earlier run has left to be deleted, starts nothing.
  ["leftovers", crowd(2).map(({ urn }) => ({ ...stepFor("x", "delete", { before: old }), urn }))],
  [
    "one that restarts",
    [resized],
    undefined,
    "Starts up to 21 computes of project p-1, of which neon has at most 20 active at a time, besides that of the default " +
      "branch: up to 1 may fail to start, or start at their first connection",
  ],
])("counts the computes of a project that start: 20, and %s", (_, steps, live, said) => {
  const report = toReport(planOf([...crowd(20), ...steps]), { platform: "neon", live });
  expect(headMessages(report)).toEqual(said ? [said] : []);
});

it.each([
  ["start_compute", true, "failed", "suspended", "suspended if that starts no operation"],
  ["suspend_compute", undefined, "failed", "restarted", "restarted, which drops connections, unless that does it"],
])(
  "says what is done about operations of an earlier run, as the preview does (%s, disabled: %s, %s)",
  (action, disabled, status, madeGoodBy, then) => {
    const operations = [{ id: "o", action, status, createdAt: "2024-05-01T10:00:00Z" }];
    const set = disabled ? ["sizeCu", "disabled"] : ["sizeCu"];
    const before = stateOf({ ...(disabled && { disabled }), __pgcompute: { v: 2, set, operations } });
    const step = updateOf("a", { ...(disabled && { disabled }) }, before);
    const planned = diff({ id: "p-1/ep-1", state: before.outputs, inputs: step.after?.inputs ?? {} });
    const report = toReport(planOf([step]));
    const { notes, restarts, madeGoodBy: repaired } = endpointOf(report, "a");
    // All that the program sets is sent again, to an endpoint that may not have it.
    expect({ restarts, repaired }).toEqual({ restarts: "possible", repaired: madeGoodBy });
    expect(notes).toEqual(expect.arrayContaining(planned.messages));
    expect(planned.messages.join()).toContain(`the endpoint is ${then}`);
  },
);

const failed = [{ id: "o", action: "suspend_compute", status: "failed", createdAt: "2024-05-01T10:00:00Z" }];
const { sizeCu: _, ...unsized } = stateOf().inputs;
const broken = (set: string[]): PlanState => ({
  ...stateOf({ __pgcompute: { v: 2, set, operations: failed } }),
  inputs: unsized,
});

itDecides("values that a plan does not tell", {
  "an earlier failure, and a size that goes": [
    stepFor("a", "update", { before: broken(["sizeCu"]), after: { inputs: unsized, outputs: {} } }),
    stepFor("b", "update", {
      before: broken(["sizeCu"]),
      after: { inputs: { ...unsized, restartWhen: "idle" }, outputs: {} },
    }),
  ],
  "a moment that is not known yet": [
    updateOf("a", { sizeCu: UNKNOWN, restartWhen: UNKNOWN }),
    updateOf("b", { sizeCu: 2, restartWhen: UNKNOWN }),
    updateOf("c", { disabled: UNKNOWN, restartWhen: SECRET }),
    updateOf("d", { suspendTimeoutSeconds: 60, restartWhen: SECRET }),
  ],
  "access that opens, or may": [
    updateOf("a", { passwordlessAccess: true }),
    updateOf("b", { passwordlessAccess: UNKNOWN }),
    updateOf("c", { passwordlessAccess: false }, stateOf({ passwordlessAccess: true })),
    created({ passwordlessAccess: true }, "d"),
    created({ passwordlessAccess: true, adoptExisting: true }, "e"),
  ],
  "settings that are secret, or were": [
    updateOf("a", { pgSettings: { work_mem: SECRET } }, stateOf({ pgSettings: { work_mem: SECRET } })),
    updateOf("b", { pgSettings: { work_mem: "1MB" } }, stateOf({ pgSettings: { work_mem: SECRET, a: "1" } })),
    updateOf("c", { sizeCu: SECRET }, stateOf({ sizeCu: SECRET })),
  ],
  "what stays though it is not set any more, and what is the same in other words": [
    updateOf("a", { pgSettings: { a: 4, b: true, c: 1 } }, stateOf({ pgSettings: { a: "4", b: "true", c: "2" } })),
    updateOf("b", { restartTrigger: undefined, suspendTimeoutSeconds: undefined }, stateOf({ restartTrigger: "x" })),
  ],
  "control characters in names and values": [updateOf("a\u001b[31m\u202eb", { pgSettings: { "x\u0007": "y" } })],
});

/** A refresh of one endpoint of which the platform now shows something else. */
const refreshed = (outputs: Record<string, unknown>, inputs: Record<string, unknown> = {}, before = stateOf()) => [
  stepFor("main", "update", {
    before: { ...before, inputs: { ...before.inputs, ...inputs } },
    after: { ...before, outputs: { ...before.outputs, ...outputs } },
  }),
];
const drift = (steps: PlanStep[], more: ReportOptions = {}) => told(steps, { drift: true, ...more });
const external = { ...stateOf(), external: true };
const secret = { pgSettings: SECRET };
const grown = refreshed({ autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 });

itDecides("what a refresh found", {
  "a change of what the stack only reads": drift(refreshed({ disabled: true }, { disabled: false }, external)),
  "secret settings": drift(refreshed(secret, secret, stateOf(secret))),
  "what an earlier replacement left has gone": drift([
    stepFor("main", "refresh", { before: stateOf() }),
    stepFor("main", "delete", { before: old }),
  ]),
  "other resources": drift([
    { op: "update", ...bucket },
    { op: "refresh", ...bucket },
    { op: "delete", ...bucket, urn: `${bucket.urn}2` },
    stepFor("main", "refresh"),
  ]),
  "a change, and no operation": drift(grown, { live: viewOf(record, []) }),
});

const changed = planOf([resized]);
const hidden: Pick<Report, "unread"> = { unread: [{ urn: "u::f", name: "f", why: "secret" }] };
const failing: Pick<Report, "errors"> = { errors: ["no room"] };

it.each<[string, number, Report, boolean?]>([
  ["a failed preview, whatever else is met", 1, { ...toReport(changed, { failOn: ["restart"] }), ...failing }, true],
  ["a failed refresh, whatever it found", 1, { ...toReport(changed, { drift: true }), ...failing }],
  ["drift, though some of it cannot be read", 5, { ...toReport(planOf(grown), { drift: true }), ...hidden }],
  ["a refresh that cannot be read", 1, { ...toReport(planOf([]), { drift: true }), ...hidden }],
  ["no drift", 0, toReport(planOf([]), { drift: true })],
  ["a condition that is met", 3, toReport(changed, { failOn: ["restart"] })],
  ["a condition that is not met", 0, toReport(changed, { failOn: ["delete"] })],
  ["what the seal has not", 3, toReport(changed, { expected: sealOf(planOf([])) })],
  ["a seal that could not be written", 3, toReport(changed), true],
  ["what cannot be read, without a condition", 0, { ...toReport(planOf([])), ...hidden }],
])("a review ends as it says: %s", (_, code, report, isUnsealed = false) => {
  expect(exitCodeOf(report, { isUnsealed })).toBe(code);
});
