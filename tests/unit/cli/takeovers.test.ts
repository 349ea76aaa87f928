import { expect, it } from "vitest";
import { expandFleets } from "../../../cli/review/fleet";
import { groupSteps } from "../../../cli/review/group";
import { readPlan, withTakeovers } from "../../../cli/review/plan";
import type { PlanState, PlanStep } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { encodeMembers, importMark, withSpent } from "../../../provider/fleet/state";
import { branches, rowOf, sideOf, states, type, updateOf, urn } from "./support/fleets";
import { planOf, stateOf, stepFor, updateOf as updateOfOne } from "./support/plans";

const fates = (steps: readonly PlanStep[]) =>
  groupSteps(withTakeovers(expandFleets(steps, false)))
    .changing.map(
      ({ action, step: { urn: of, before, after } }) =>
        `${of.split("::")[3]}: ${action} ${before?.id ?? after?.id ?? "-"}`,
    )
    .sort();

const provider = "urn:pulumi:prod::shop::pulumi:providers:pgcompute::default::1";
const own: PlanState = { ...stateOf(), provider };
/** The same endpoint as the program has it, which takes over one of this id. */
const taking = (takes: string): PlanState => ({ inputs: { ...own.inputs, __takes: takes }, outputs: {}, provider });

it.each<[string, PlanStep[], string[]]>([
  [
    "made anew where nothing is there",
    [stepFor("main", "create", { after: { inputs: own.inputs, outputs: {} } })],
    ["main: create -"],
  ],
  ["what is there", [stepFor("main", "create", { after: taking("ep-7") })], ["main: adopt p-1/ep-7"]],
  [
    "what another resource leaves",
    [stepFor("main", "create", { after: taking("ep-1") }), stepFor("old", "delete", { before: own })],
    ["main: adopt p-1/ep-1"],
  ],
  [
    "what a resource of another provider deletes all the same",
    [
      stepFor("main", "create", { after: taking("ep-1") }),
      stepFor("old", "delete", { before: { ...own, provider: "another" } }),
    ],
    ["main: adopt p-1/ep-1", "old: delete p-1/ep-1"],
  ],
  [
    "its own endpoint where it is replaced, as one step tells",
    [stepFor("main", "replace", { before: own, after: taking("ep-1") })],
    ["main: adopt p-1/ep-1"],
  ],
  [
    "its own endpoint where it is replaced, as three steps tell",
    ["create-replacement", "replace", "delete-replaced"].map((op) =>
      stepFor("main", op, { before: own, ...(op !== "delete-replaced" && { after: taking("ep-1") }) }),
    ),
    ["main: adopt p-1/ep-1"],
  ],
  [
    "nothing where its own endpoint goes first",
    ["delete-replaced", "replace", "create-replacement"].map((op) =>
      stepFor("main", op, { before: own, ...(op !== "delete-replaced" && { after: taking("ep-1") }) }),
    ),
    ["main: replace p-1/ep-1"],
  ],
  [
    "another endpoint than its own",
    [stepFor("main", "replace", { before: own, after: taking("ep-2") })],
    ["main: adopt p-1/ep-2", "main: replace p-1/ep-1"],
  ],
])("finds that a resource takes over %s", (_, steps, expected) => {
  expect(fates(steps)).toEqual(expected);
});

const forced = (takes?: Record<string, unknown>) => {
  const { before, after } = updateOf(["a", "b", "c"], branches("a", "b", "d", "e"));
  const inputs = { ...after?.inputs, ...(takes && { __takes: takes }) };
  return [{ op: "replace", urn, type, before, after: { outputs: {}, ...after, inputs } } as PlanStep];
};

/** A fleet whose member "named" had its importId taken over, and whose endpoint has gone. */
const spent = (importId: string, ...rows: PlanStep[]): PlanStep[] => {
  const before = sideOf(states("a"), branches("a"));
  const members = withSpent(new Map(), new Map([["named", importMark("p-1/ep-n")]]));
  const outputs = { ...encodeMembers(members) };
  const wanted = { named: { branchId: "br-named", importId } };
  return [...rows, { ...updateOf([], wanted), before: { ...before, outputs } }];
};

it.each<[string, PlanStep[], string[]]>([
  [
    "are all told where it is replaced",
    forced({ a: "ep-a", d: "ep-c", e: "ep-9" }),
    ["previews/b: replace p-1/ep-b", "previews/d: update p-1/ep-c", "previews/e: adopt p-1/ep-9"],
  ],
  [
    "may take over another endpoint than their own where it is replaced",
    forced({ a: "ep-9", d: "ep-c" }),
    [
      "previews/a: adopt p-1/ep-9",
      "previews/a: replace p-1/ep-a",
      "previews/b: replace p-1/ep-b",
      "previews/d: update p-1/ep-c",
      "previews/e: create -",
    ],
  ],
  ["cannot be told where its provider says nothing", forced(), []],
  [
    "are told of a new one",
    [
      {
        op: "create",
        urn,
        type,
        after: {
          inputs: {
            ...updateOf([], { ...branches("a"), b: { branchId: "br-b", adoptExisting: true } }).after?.inputs,
            __takes: { b: "ep-8" },
          },
          outputs: {},
        },
      },
    ],
    ["previews/a: create -", "previews/b: adopt p-1/ep-8"],
  ],
  [
    "may be any where a person has said so",
    [
      {
        ...updateOf(["a"], branches("a", "b")),
        after: { inputs: { ...updateOf(["a"], branches("a", "b")).after?.inputs, __takes: { b: true } }, outputs: {} },
      },
    ],
    ["previews/b: adopt -"],
  ],
  ["are created where their importId is spent", spent("p-1/ep-n"), ["previews/named: create -"]],
  ["are taken over by an importId that is not", spent("p-1/ep-m"), ["previews/named: adopt p-1/ep-m"]],
  ["are created where their row says so", spent("p-1/ep-m", rowOf("named", "create")), ["previews/named: create -"]],
])("a fleet's members %s", (_, steps, expected) => {
  expect(fates(steps)).toEqual(expected);
});

it.each(["delete", "delete-replaced"])(
  "counts what is left over of an earlier replacement as a deletion besides the change (%s)",
  (op) => {
    const leftover = stepFor("a", op, { before: { ...stateOf(), id: "p-1/ep-old", delete: true } });
    const update = updateOfOne("a", { sizeCu: 2 });
    for (const steps of [
      [update, leftover],
      [leftover, update],
    ]) {
      const report = toReport(planOf(steps), { failOn: ["delete"] });
      const found = report.endpoints.map(({ action, id }) => `${action} ${id}`);
      expect(found.sort()).toEqual(["delete p-1/ep-old", "update p-1/ep-1"]);
      expect(report.gate?.met).toMatchObject([{ condition: "delete" }]);
    }
    const gone = toReport(planOf([leftover, stepFor("a", "delete", { before: stateOf() })]));
    expect(gone.endpoints.map(({ id }) => id).sort()).toEqual(["p-1/ep-1", "p-1/ep-old"]);
  },
);

it("takes what is left over, and kept, for released", () => {
  const before = { ...stateOf(), id: "p-1/ep-old", delete: true, retainOnDelete: true };
  const report = toReport(planOf([stepFor("a", "delete-replaced", { before })]), { failOn: ["delete"] });
  expect(report.endpoints.map(({ action }) => action)).toEqual(["release"]);
  expect(report.gate?.met).toEqual([]);
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
