/**
 * Tests a forced replacement that adopts the old endpoint in a run that ends before the delete: the state has it twice.
 */
import { expect, it } from "vitest";
import { justBefore, useStack, type Values } from "../../engine-model/stack";

/** A stack whose endpoint was replaced so; a failing takeover fails by its own operation, or by one already running. */
async function useTakenOver({ isImported = false, fails = false as boolean | "before", first = {} as Values } = {}) {
  const used = await useStack();
  const { stack, admin, single, projectId } = used;
  const branchId = used.branch();
  const program = (sizeCu: number) => ({
    main: single(branchId, { ...first, sizeCu, ...(isImported && { adoptExisting: true }) }),
  });
  await stack.up({ main: single(branchId, { ...first, sizeCu: 1 }) });
  const { main: id = "" } = stack.ids();
  if (isImported) {
    admin.changeEndpoint(id, { name: "" });
    await stack.import("main", `${projectId}/${id}`);
  }

  // The fault strikes the next operation to start.
  if (fails) admin.addFault({ on: "operation", count: 1, effect: { kind: "fail" } });
  if (fails === "before") admin.startOperation({ projectId, action: "start_compute", endpointId: id });
  const beforeStep = justBefore("delete", () => {
    throw new Error("ended before the delete");
  });
  const { ok } = await stack.up(program(2), { replace: ["main"], adoptInterrupted: !isImported, beforeStep });
  const pending = [...stack.engine.toDelete];
  expect(ok).toBe(false);
  expect(stack.stored("main")?.unfinished).toBe(fails !== false);
  expect([stack.ids().main, ...pending.map((one) => one.id)]).toEqual([id, `${projectId}/${id}`]);
  return { ...used, branchId, program, pending, id };
}

it.each([
  { isImported: false, fails: false },
  { isImported: false, fails: true },
  { isImported: false, fails: "before" as const },
  { isImported: true, fails: false },
  { isImported: true, fails: true },
])("is not deleted by a later run (imported $isImported, the takeover fails $fails)", async (how) => {
  const { stack, program, pending, idsOn, branchId, id } = await useTakenOver(how);
  const { messages, said } = await stack.up(program(2));
  expect(messages).toEqual([]);
  expect(idsOn(branchId)).toEqual([id]);
  expect(said.join()).toContain("not deleted");

  // Nor by one that also updates it, which the pending delete has outlived.
  stack.engine.toDelete.splice(0, stack.engine.toDelete.length, ...pending);
  expect((await stack.up(program(1))).messages).toEqual([]);
  expect(idsOn(branchId)).toEqual([id]);
});

it("is deleted where the resource goes", async () => {
  const { stack, idsOn, branchId } = await useTakenOver();
  expect((await stack.destroy()).messages).toEqual([]);
  expect(idsOn(branchId)).toEqual([]);
});

it("is deleted where a later replacement by force has a new one", async () => {
  const { stack, program, idsOn, branchId, id } = await useTakenOver({ first: { type: "read_only" } });
  expect((await stack.up(program(2), { replace: ["main"] })).messages).toEqual([]);
  expect(idsOn(branchId)).toEqual([stack.ids().main]);
  expect(stack.ids().main).not.toBe(id);
});
