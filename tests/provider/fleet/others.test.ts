import { expect, it } from "vitest";
import { useStack } from "../support/stack";

const _late = { pace: "late" } as const;

it("an endpoint that comes into a fleet by importId is not deleted with the resource that the program no longer has", async () => {
  const { projectId, single, fleet, idsOn, engine, branch } = await useStack();
  const branchId = branch();
  await engine.up({ main: single(branchId) });
  const { main = "" } = engine.ids();
  const { errors, said } = await engine.up({ f: fleet({ a: { branchId, importId: `${projectId}/${main}` } }) });
  expect(errors).toEqual({});
  expect(said.join("\n")).toMatch(
    /becomes the fleet's own; it was created for "main"[\s\S]*spares it only in a run[\s\S]*is not deleted, because "f\/a" .* has it, too/,
  );
  expect([idsOn(branchId), engine.ids()]).toEqual([[main], { "f/a": main }]);
});

it("is refused before the old fleet, or resource, is deleted, where nothing of its plan was refused by a preview", async () => {
  const { projectId, admin, single, fleet, idsOn, engine, branch } = await useStack({ endpointNames: false });
  const [here, there, contested, free] = [branch(), branch(), branch(), branch()];
  await engine.up({ f: fleet({ a: { branchId: here } }), main: single(there), aa: single(contested) });
  const deleteBeforeReplace = true;
  const main = { ...single(contested), deleteBeforeReplace };
  const stopped = await engine.up({ main, aa: single(free) }, { replace: ["main"] });
  expect(stopped.errors.main).toMatch(/already has a read-write endpoint/);
  expect(idsOn(there)).toEqual([engine.ids().main]);

  const other = branch();
  admin.seedEndpoint(projectId, { branch_id: other });
  const f = fleet({ a: { branchId: here }, b: { branchId: other } }, { deleteBeforeReplace });
  expect((await engine.up({ f }, { replace: ["f"] })).errors.f).toMatch(/already has a read-write endpoint/);
  expect(idsOn(here)).toEqual([engine.ids()["f/a"]]);
});
