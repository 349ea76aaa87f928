import { expect, it } from "vitest";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { diff } from "../../../provider/pulumi/lifecycle";
import { useEndpoint } from "../endpoint/support";
import { useFleet } from "../fleet/support";

async function planned(moves: "inPlace" | "replace", news: Record<string, unknown>) {
  const { bench, context, stored, inputs } = await useEndpoint({}, {}, { moves });
  return bench.run(diff(context, { ...stored, inputs: { ...inputs, ...news }, oldInputs: { ...inputs } }));
}

it("is a replacement while the branch is not known, where the platform has no moves", async () => {
  const { properties, replaces, messages } = await planned("replace", { branchId: UNKNOWN });
  const why = "replaced: branchId is not known yet, and the platform is configured to have no moves (pgcompute:moves)";
  expect(replaces).toBe(true);
  expect(properties.branchId?.replaces).toBe(why);
  expect(messages.join()).toContain("host name changes");
});

it("is a member's replacement in the same words", async () => {
  const { fleet, program, branches } = await useFleet({}, { moves: "replace" });
  const [branchId, other] = branches(2);
  await fleet.up(program({ a: { branchId } }));
  for (const [next, unknown] of [
    [UNKNOWN, "branchId is not known yet, and "],
    [other, ""],
  ]) {
    const { rows } = await fleet.preview(program({ a: { branchId: next } }, { maxDeletions: 1 }));
    const why = `a: replaced: ${String(unknown)}the platform is configured to have no moves (pgcompute:moves)`;
    expect(rows.map(({ message }) => message)).toContainEqual(expect.stringContaining(why));
  }
});

it("may be a replacement while the branch is not known, where the endpoint can move, and says so", async () => {
  const { replaces, messages } = await planned("inPlace", { branchId: UNKNOWN });
  expect(replaces).toBe(false);
  expect(messages.join()).toMatch(/branchId is not known yet: .* it is replaced, and the host name changes/);
});

it("says nothing of a branch that is known, or of one that another project makes a replacement anyway", async () => {
  expect((await planned("inPlace", { sizeCu: 2 })).messages.join()).not.toContain("not known yet");
  const { messages } = await planned("inPlace", { branchId: UNKNOWN, projectId: UNKNOWN });
  expect(messages.join()).not.toContain("moves in place");
});
