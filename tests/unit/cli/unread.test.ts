/**
 * Tests that the hidden parts of an endpoint in a plan, old or new, count as their worst case, in every form of a plan.
 */
import { describe, expect, it } from "vitest";
import { type GateCondition, gateConditions } from "../../../cli/review/disruption";
import { gateMessages } from "../../../cli/review/messages";
import { readPlan } from "../../../cli/review/plan";
import { type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { sealOf } from "../../../cli/review/seal";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { sideOf, stored, updateOf as updateOfFleet } from "./support/fleets";
import { creationOf, planOf, stateOf, updateOf } from "./support/plans";

type Values = Record<string, unknown>;

/** For each property a value before and after, and what a difference can bring. */
const properties: Record<string, { before: unknown; after: unknown; gates: GateCondition[] }> = {
  projectId: { before: "p-1", after: "p-2", gates: ["replace", "downtime"] },
  branchId: { before: "br-1", after: "br-2", gates: ["move"] },
  type: { before: "read_write", after: "read_only", gates: ["replace", "downtime"] },
  sizeCu: { before: 1, after: 2, gates: ["restart"] },
  disabled: { before: false, after: true, gates: ["downtime"] },
  passwordlessAccess: { before: false, after: true, gates: ["access"] },
  restartTrigger: { before: "a", after: "b", gates: ["restart"] },
};

/** What stands for a value that the plan does not show. */
const unshown: Record<string, unknown> = { "a secret": SECRET, "not known": UNKNOWN };

/** A side of which this property is as given; a fixed size stands in a state as its limits, too. */
const beside = (name: string, value: unknown): Values =>
  name === "sizeCu" ? { sizeCu: value, autoscalingLimitMinCu: value, autoscalingLimitMaxCu: value } : { [name]: value };

/** The sides of a difference, each of which is not shown in one of them. */
const sides = Object.entries(properties).flatMap(([name, { before, after, gates }]) =>
  Object.entries(unshown).flatMap(([what, value]) => [
    { name, gates, what: `${what} before`, before: value, after },
    { name, gates, what: `${what} after`, before, after: value },
    { name, gates, what: `${what} before, and no longer set`, before: value, after: undefined },
  ]),
);
// Without these no plan is made, and what has no default stays where it is no longer set.
const stays = ["projectId", "branchId", "type", "sizeCu", "passwordlessAccess", "restartTrigger"];
const played = sides.filter(({ name, after }) => after !== undefined || !stays.includes(name));

const single = (name: string, before: unknown, after: unknown): PlanStep => {
  const state = stateOf(beside(name, before));
  return updateOf("main", { [name]: after }, { ...state, inputs: { ...state.inputs, [name]: before } });
};
const dynamic = (step: PlanStep): PlanStep => {
  const hosted = (text: string) => text.replaceAll("pgcompute:index:", "pulumi-nodejs:dynamic/pgcompute:");
  return { ...step, urn: hosted(step.urn), type: hosted(step.type) };
};
const fleet = (name: string, before: unknown, after: unknown, isDefault: boolean): PlanStep => {
  const own = (value: unknown) => ({ branchId: "br-a", ...(!isDefault && { [name]: value }) });
  const shared = (value: unknown) => ({ defaults: { sizeCu: 1, ...(isDefault && { [name]: value }) } });
  const step = updateOfFleet(["a"], { a: own(after) }, shared(after));
  // A branch of the member's own goes before that of all.
  for (const side of [step.after]) {
    const { a } = (side?.inputs.endpoints ?? {}) as Record<string, Values>;
    if (isDefault && name === "branchId") delete a?.branchId;
  }
  const old = sideOf({ a: stored("a") }, { a: own(before) }, shared(before));
  const { a } = old.outputs.endpoints as Record<string, Values>;
  Object.assign(a as Values, beside(name, before));
  return { ...step, before: old };
};

/** What the plan's own texts hide. */
const cut = (text: string) => Buffer.from(JSON.stringify({ steps: [], duration: 1 }).replace("[]", text));

describe("a plan in the engine's own words", () => {
  const { urn, type } = updateOf("main", {});
  const of = (branchId: string) => ({ type, inputs: { ...stateOf().inputs, branchId }, outputs: stateOf().outputs });

  it("does not take for equal what has a secret of the configuration in it", () => {
    const settings = { pgSettings: { application_name: "to [secret]" } };
    const side = { type, inputs: { ...stateOf().inputs, ...settings }, outputs: { ...stateOf().outputs, ...settings } };
    const steps = JSON.stringify([{ op: "update", urn, oldState: side, newState: side, detailedDiff: null }]);
    const { endpoints } = toReport(readPlan(cut(steps)));
    const [change] = endpoints[0]?.properties ?? [];
    expect(change).toMatchObject({ name: "pgSettings.application_name", to: { is: "secret" }, mayStay: true });
  });

  it.each<[string, object]>([
    ["before", { newState: of("br-2") }],
    ["after", { oldState: of("br-1") }],
  ])("cannot be read where a change has no %s", (_, sides) => {
    const report = toReport(readPlan(cut(JSON.stringify([{ op: "update", urn, ...sides }]))), { failOn: ["move"] });
    expect(report.unread).toMatchObject([{ name: "main", isSingle: true, why: "cut" }]);
    expect(report.gate?.met).toMatchObject([{ condition: "move", unread: ["main"] }]);
  });

  it.each(["delete", "delete-replaced", "replace", "discard-of-a-newer-engine"])(
    "cannot be read, and meets each gate, where a %s has neither state, nor a type beside its URN",
    (op) => {
      for (const own of [urn, urn.replace(type, "pgcompute:index:EndpointFleet")]) {
        const report = toReport(readPlan(cut(JSON.stringify([{ op, urn: own }]))), { failOn: ["delete"] });
        expect(report.unread).toMatchObject([{ name: "main", why: "cut" }]);
        expect(report.gate?.met).toMatchObject([{ condition: "delete", unread: ["main"] }]);
      }
    },
  );

  it("has the type of a resource from its URN, whatever the plan writes beside it", () => {
    const step = { op: "delete", urn, type: "random:index:Pet", oldState: { ...of("br-1"), type: "random:index:Pet" } };
    const report = toReport(readPlan(cut(JSON.stringify([step]))), { failOn: ["delete"] });
    expect(report.gate?.met).toMatchObject([{ condition: "delete" }]);
  });

  it("cannot be read where an update of a fleet does not show what it has", () => {
    const step = updateOfFleet(["a"], { a: { branchId: "br-2" } });
    const bare = { inputs: step.before?.inputs ?? {}, outputs: {} };
    for (const before of [undefined, bare]) {
      const { unread } = toReport(planOf([{ ...step, ...{ before } } as PlanStep]));
      expect(unread).toMatchObject([{ name: "previews", why: "cut" }]);
    }
  });
});

describe("what else a plan may keep secret", () => {
  const fleetWith = (more: Values, fleet: Values = {}) =>
    updateOfFleet(["b"], { b: { branchId: "br-b" }, a: { branchId: "br-a", ...more } }, fleet);

  it.each<[string, PlanStep]>([
    ["by its importId", fleetWith({ importId: SECRET })],
    ["by the note of its fleet", fleetWith({}, { __takes: SECRET })],
    ["by the note of an endpoint", creationOf("a", { __takes: SECRET })],
  ])("takes over, and may restart, %s", (_, step) => {
    const { gate } = toReport(planOf([step]), { failOn: ["restart"] });
    expect(gate?.met).toHaveLength(1);
  });

  it.each([SECRET, UNKNOWN])("may be down where a replacement may be disabled", (disabled) => {
    const step = updateOf("main", { type: "read_only", disabled });
    const { gate } = toReport(planOf([{ ...step, op: "replace" }]), { failOn: ["downtime"] });
    expect(gate?.met).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ["the branch that it leaves", SECRET, "br-9"],
    ["the restore that may be undone", "br-1", "[secret]"],
  ])("may undo a restore by %s", (_, branchId, restored) => {
    const step = updateOf("main", { branchId: "br-2" }, stateOf({ branchId }));
    const plan = planOf([step], { "pgcompute:undoRestore": restored });
    expect(toReport(plan, { failOn: ["restore-undo"] }).gate?.met).toHaveLength(1);
  });

  it("may repair what an earlier run left, by its bookkeeping", () => {
    const before = stateOf({ __pgcompute: { v: 2, operations: [{ action: SECRET }] } });
    const { gate } = toReport(planOf([updateOf("main", {}, before)]), { failOn: ["restart"] });
    expect(gate?.met).toHaveLength(1);
  });

  it("is in no seal by its settings", () => {
    const plan = planOf([updateOf("main", { sizeCu: 2 })], { "pgcompute:baseUrl": "[secret]" });
    const { approval } = toReport(plan, { expected: sealOf(plan) });
    expect(approval?.differences).toEqual(["pgcompute:baseUrl is [secret], and in the seal [secret]"]);
    const hosted = planOf([dynamic(updateOf("main", { sizeCu: 2 }))], { "pgcompute:baseUrl": "[secret]" });
    const { gate } = toReport(hosted, { expected: sealOf(hosted), failOn: ["config"] });
    expect(gate).toMatchObject({ undecided: true });
  });

  it("leaves the configuration open where the plan shows nothing of the provider, and names what shows it", () => {
    const report = toReport(planOf([], { "pgcompute:baseUrl": "https://a.test" }), { failOn: ["config"] });
    expect(gateMessages(report)).toEqual([expect.stringContaining("--show-sames")]);
    const hosted = toReport(planOf([dynamic(updateOf("main", { sizeCu: 2 }))]), { failOn: ["config"] });
    expect(gateMessages(hosted)).toEqual([expect.not.stringContaining("--show-sames")]);
  });

  it("is not said to run, nor to be disabled", () => {
    const { endpoints } = toReport(planOf([updateOf("main", { sizeCu: 2 }, stateOf({ disabled: SECRET }))]));
    expect(endpoints[0]?.disabled).not.toHaveProperty("before");
  });
});

const shapes: Record<string, (name: string, before: unknown, after: unknown) => PlanStep> = {
  "an endpoint": single,
  "an endpoint of which the provider names what changes": (name, ...of) => ({
    ...single(name, ...of),
    changed: [name],
  }),
  "a dynamic endpoint": (...of) => dynamic(single(...of)),
  "a member": (...of) => fleet(...of, false),
  "a member by the defaults of its fleet": (...of) => fleet(...of, true),
  "a member of a dynamic fleet": (...of) => dynamic(fleet(...of, false)),
};

describe.each(Object.keys(shapes))("%s", (shape) => {
  it.each(played)("counts for the gate where $name is $what", ({ name, gates, before, after }) => {
    const plan = planOf([(shapes[shape] as (typeof shapes)[string])(name, before, after)]);
    const { gate, endpoints } = toReport(plan, { failOn: gateConditions });
    const isAway = after === undefined || (name === "disabled" && after === false);
    expect(gate?.met.map(({ condition }) => condition)).toEqual(expect.arrayContaining(isAway ? [] : gates));
    expect(endpoints).toHaveLength(1);
    if (!isAway) expect(sealOf(plan).endpoints).toHaveLength(1);
  });
});
