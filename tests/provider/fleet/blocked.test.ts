/** A fleet of which the platform still works on every member when another process deletes it. */
import { expect, it } from "vitest";
import { useFleet } from "./support";

const MEMBERS = 500;
const OPERATION_MS = 15_000;
const LIST = 1;

it("deletes 500 members whose changes still run, side by side, as soon as those have ended", async () => {
  const { bench, fleet } = await useFleet({ operationMs: OPERATION_MS });
  const { admin, projectId } = bench.emulator;
  const branches = Array.from({ length: MEMBERS }, () => bench.branch());
  const endpoints = Object.fromEntries(branches.map((branchId, at) => [`pr-${at}`, { branchId }]));
  expect((await fleet.up({ projectId, endpoints })).error).toBeUndefined();
  fleet.restart();
  const changedMs = bench.clock.elapsedMs();
  await fleet.killed({ projectId, endpoints, defaults: { sizeCu: 1 } }, { call: LIST + MEMBERS, moment: "after" });
  const { operations } = admin.project(projectId);
  expect(operations.filter(({ status }) => status !== "finished")).toHaveLength(3 * MEMBERS);

  admin.clearLog();
  expect((await fleet.destroy()).error).toBeUndefined();
  // Three operations of the change one after the other, that of the delete, and what their ends are seen late.
  expect(bench.clock.elapsedMs() - changedMs).toBeLessThan(4 * OPERATION_MS + 10_000);
  const { byRoute, byStatus } = admin.counts();
  expect(byStatus["423"]).toBe(MEMBERS);
  expect(byRoute["endpoints.delete"]).toBe(2 * MEMBERS);
  // Pages of the looks, of all members together.
  expect(byRoute["operations.list"]).toBeLessThan(150);
});
