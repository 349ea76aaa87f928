/** Refused replacements, with the commands that lead on. */
import { expect, it } from "vitest";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { failed, waysOn } from "./ways";

const bench = useBench();
const { idsOn, open, single } = waysOn(bench);

it("one's own is left out of the program for one run, where it is replaced by force", async () => {
  const { is, branchId, refused, onlyId, urn } = open();
  await is(single(branchId)).up();
  const old = onlyId();
  expect(await refused(single(branchId), "--replace", urn("main"))).toContain(
    "leave it out of the program for one run",
  );
  await is({}).up();
  expect(idsOn(branchId)).toEqual([]);
  await is(single(branchId)).up();
  expect(onlyId()).not.toBe(old);
});

it("what was taken over is deleted first, where it is replaced", async () => {
  const { is, branchId, does, onlyId, expectSame } = open();
  const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
  const args = { projectId: bench.projectId, branchId, adoptExisting: true };
  const declared = (replacementTrigger: string) => ({
    main: { args, options: { replacementTrigger, deleteBeforeReplace: true } },
  });
  await is(declared("one")).up();
  const message = said(await is(declared("two")).up(failed));
  // Other cases leave endpoints of resources of the same name, which this names as well.
  await does(message, `endpoints delete ${bench.projectId}/${id}`, " --yes");
  await does(message, "pulumi up --refresh");
  expect(onlyId()).not.toBe(id);
  await expectSame(declared("two"));
});
