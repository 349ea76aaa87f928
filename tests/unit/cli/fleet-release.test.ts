import { describe, expect, it } from "vitest";
import { expandFleets } from "../../../cli/review/fleet";
import { type PlanStep, SECRET } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import { sealOf } from "../../../cli/review/seal";
import { branches, rowOf, sideOf, states, type, updateOf, urn } from "./support/fleets";
import { planOf } from "./support/plans";

/** With the row of the member that stays, which tells what a replacement takes up. */
const reportOf = (step: PlanStep) =>
  toReport(planOf(expandFleets([rowOf("b", "import"), rowOf("a", "replace"), step], false)), { failOn: ["delete"] });
const fateOf = (step: PlanStep) => reportOf(step).endpoints.map(({ name, action }) => `${name}: ${action}`);

/** Fleet steps in which `a` leaves; `said` is what the program of the last run said, `kept` what the state keeps. */
function withoutA(op: string, has: { said?: object; kept?: object; fleet?: object; secret?: boolean }): PlanStep {
  const { said, kept = {}, fleet, secret } = has;
  const { outputs, ...side } = sideOf(
    states("a", "b"),
    { ...branches("b"), a: { branchId: "br-a", ...said } },
    {},
    { a: { ...kept } },
  );
  const before = { ...side, outputs: { ...outputs, ...(secret && { __pgcompute: SECRET }) }, ...fleet };
  const after = { ...sideOf({}, branches("b")), outputs: {} };
  return { op, urn, type, before, ...(op !== "delete" && { after }) };
}

const retains = { retainOnDelete: true };

describe("a member that leaves its fleet", () => {
  it.each<[string, PlanStep, "delete" | "release"]>([
    ["without any option", withoutA("update", {}), "delete"],
    [
      "with the fleet's own option, which an update's provider never hears of",
      withoutA("update", { fleet: retains }),
      "delete",
    ],
    ["with an option that the state keeps", withoutA("update", { kept: retains }), "release"],
    ["with one that a run which failed in part has taken back", withoutA("update", { said: retains }), "delete"],
    ["with one that such a run has set", withoutA("update", { said: {}, kept: retains }), "release"],
    [
      "with what the program said, where the state is secret",
      withoutA("update", { said: retains, secret: true }),
      "release",
    ],
    ["with the whole fleet", withoutA("delete", {}), "delete"],
    ["with the whole fleet, of which the engine deletes nothing", withoutA("delete", { fleet: retains }), "release"],
    ["with the whole fleet, and its own option", withoutA("delete", { kept: retains }), "release"],
    ["when the fleet is replaced by force, and kept", withoutA("delete-replaced", { fleet: retains }), "release"],
  ])("%s", (_, step, action) => {
    const report = reportOf(step);
    expect(fateOf(step)).toContain(`previews/a: ${action}`);
    const deleted = report.gate?.met.flatMap(({ endpoints }) => endpoints) ?? [];
    expect(deleted.includes("previews/a")).toBe(action === "delete");
    const sealed = sealOf(planOf(expandFleets([rowOf("b", "import"), step], false))).endpoints.map(({ name }) => name);
    expect(sealed.includes("previews/a")).toBe(action === "delete");
  });

  it.each([
    [{ fleet: retains }, false],
    [{ kept: retains }, true],
  ])("is said to keep its old endpoint when it is replaced only where it does: %j", (has, keeps) => {
    const { before } = withoutA("update", has);
    const step = { ...updateOf(["a", "b"], { ...branches("b"), a: { branchId: "br-a", type: "read_only" } }) };
    const [one] = reportOf({ ...step, ...(before && { before }) }).endpoints;
    expect(one).toMatchObject({ name: "previews/a", action: "replace" });
    expect(one?.notes.join().includes("retainOnDelete keeps the old endpoint")).toBe(keeps);
  });
});
