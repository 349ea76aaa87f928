/** Tests endpoints that are deleted, undeletable, or moved by a restore: refused, with the commands to go on. */
import { expect, it, vi } from "vitest";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { failed, waysOn } from "./ways";

const bench = useBench();
const { idsOn, open, single } = waysOn(bench);

it("what is gone is created again after a refresh", async () => {
  const { is, branchId, does, onlyId, expectSame, names } = open();
  await is(single(branchId)).up();
  bench.emulator.admin.dropEndpoint(onlyId());
  const declared = single(branchId, { sizeCu: 2 });
  const message = said(await is(declared).up(failed));
  await does(message, "pulumi refresh");
  expect(names()).toEqual([]);
  await does(message, "pulumi up");
  onlyId();
  await expectSame(declared);
});

it("a root branch's endpoint stays", async () => {
  const { is, does, names } = open();
  const seeded = bench.emulator.admin.seedProject({ endpoint: false });
  const stack = is({ main: { args: { projectId: seeded.project.id, branchId: seeded.branches[0]?.id } } });
  await stack.up();
  await does(said(await stack.destroy(failed)), "state forget");
  await is({}).destroy();
  expect(names()).toEqual([]);
});

it("an endpoint goes back to the data of before a restore", async () => {
  const { is, branchId, does, refused, onlyId, expectSame } = open();
  const declared = single(branchId);
  await is(declared).up();
  const id = onlyId();
  const { id: restored } = await restoreInPlace(branchId);
  await is(declared).refresh();
  expect(idsOn(restored)).toEqual([id]);
  await does(await refused(declared), "PGCOMPUTE_UNDO_RESTORE");
  expect(onlyId()).toBe(id);
  await expectSame(declared);
});

/** Restores a snapshot of a branch in its place; gives the branch that has it now. */
async function restoreInPlace(branchId: string): Promise<{ id: string }> {
  const { apiKey, url } = bench.emulator;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const call = async (path: string, body: object = {}) => {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/projects/${bench.projectId}/${path}`, init);
    const isOpen = () =>
      bench.emulator.admin.project(bench.projectId).operations.some(({ status }) => status !== "finished");
    await vi.waitUntil(() => !isOpen(), { timeout: 30_000 });
    return JSON.parse(await answer.text());
  };
  const { snapshot } = await call(`branches/${branchId}/snapshot`);
  return (await call(`snapshots/${snapshot.id}/restore`, { finalize_restore: true })).branch;
}
