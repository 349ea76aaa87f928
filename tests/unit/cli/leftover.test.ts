import { expect, it } from "vitest";
import { readPlan } from "../../../cli/review/plan";
import { toReport } from "../../../cli/review/report";
import { planOf, stateOf, stepFor, updateOf } from "./support/plans";

it.each(["delete", "delete-replaced"])(
  "counts what is left over of an earlier replacement as a deletion besides the change (%s)",
  (op) => {
    const leftover = stepFor("a", op, { before: { ...stateOf(), id: "p-1/ep-old", delete: true } });
    const update = updateOf("a", { sizeCu: 2 });
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
