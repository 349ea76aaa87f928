/**
 * Tests a thousand members on the virtual clock: the number of calls, and the effects of a rate limit or open
 * operations.
 */
import { expect, it } from "vitest";
import { useStack } from "../../engine-model/stack";

const MANY = 1_000;

/** A fleet, a program of it with so many members, and what a run of it costs. */
async function open(options: Parameters<typeof useStack>[0], members = MANY) {
  const { bench, stack, admin, projectId, ...used } = await useStack(options);
  const endpoints = used.members(members);
  const program = (suspendTimeoutSeconds: number, sizeCu = 0.25) =>
    used.program(endpoints, { defaults: { sizeCu, suspendTimeoutSeconds } });
  const counted = async (work: () => Promise<{ error?: Error }>) => {
    admin.clearLog();
    const beganMs = bench.clock.elapsedMs();
    expect((await work()).error).toBeUndefined();
    const { byRoute, byStatus } = admin.counts();
    return { byRoute, byStatus, calls: admin.log().length, ms: bench.clock.elapsedMs() - beganMs };
  };
  return { bench, stack, admin, projectId, program, counted };
}

it("a fleet of a thousand costs hardly a call more than changes", async () => {
  const mostMs = 8_000;
  const { stack, admin, projectId, program, counted } = await open({ operationMs: 2_000 });
  const preview = await counted(() => stack.preview(program(300)));
  // A page has a hundred branches; three are read by id before the rest of the list is.
  const aboutBranches = { "branches.list": MANY / 100 + 1, "branches.get": 3 };
  expect(preview.byRoute).toEqual({ "endpoints.list": 1, ...aboutBranches });
  const created = await counted(() => stack.up(program(300)));
  expect(created.byRoute).toMatchObject({ "endpoints.create": MANY });
  expect(created.byRoute).toMatchObject(aboutBranches);
  expect(created.calls).toBeLessThanOrEqual(MANY + 34);
  expect(created.ms).toBeLessThanOrEqual(mostMs);
  expect(Object.keys(stack.endpoints())).toHaveLength(MANY);
  expect(stack.stored()?.id).toMatch(/^fleet-[0-9a-f]{8}$/);
  expect(JSON.stringify(stack.stored()).length).toBeLessThan(1_000_000);

  const same = await stack.preview(program(300));
  expect([same.isChanged, same.rows]).toEqual([false, []]);
  expect((await counted(() => stack.refresh())).calls).toBeLessThanOrEqual(1);
  expect((await stack.preview(program(300))).isChanged).toBe(false);

  const updated = await counted(() => stack.up(program(600)));
  expect(updated.byRoute).toMatchObject({ "endpoints.update": MANY });
  expect(updated.calls).toBeLessThanOrEqual(MANY + 20);
  expect(stack.endpoints()["pr-1"]).toMatchObject({ suspendTimeoutSeconds: 600 });
  const deleted = await counted(() => stack.destroy());
  expect(deleted.byRoute).toMatchObject({ "endpoints.delete": MANY });
  expect(deleted.calls).toBeLessThanOrEqual(MANY + 20);
  expect(admin.project(projectId).endpoints).toHaveLength(1);
  expect(stack.stored()).toBeUndefined();
});

it("deletes 500 members whose changes still run, side by side, as soon as those have ended", async () => {
  const [members, operationMs] = [500, 15_000];
  const { bench, stack, admin, projectId, program, counted } = await open({ operationMs }, members);
  await counted(() => stack.up(program(300)));
  const changedMs = bench.clock.elapsedMs();
  // All changes are sent after the list.
  await stack.up(program(300, 1), { death: { call: 1 + members, moment: "after" } });
  const { operations } = admin.project(projectId);
  expect(operations.filter(({ status }) => status !== "finished")).toHaveLength(3 * members);

  const { byRoute, byStatus } = await counted(() => stack.destroy());
  // Three operations of the change one after the other, that of the delete, and what their ends are seen late.
  expect(bench.clock.elapsedMs() - changedMs).toBeLessThan(4 * operationMs + 10_000);
  expect(byStatus["423"]).toBe(members);
  expect(byRoute["endpoints.delete"]).toBe(2 * members);
  // Pages of the looks, of all members together.
  expect(byRoute["operations.list"]).toBeLessThan(150);
});
