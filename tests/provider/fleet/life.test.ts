import { describe, expect, it } from "vitest";
import { useFleet } from "./support";

const MANY = 1_000;

describe("a fleet", () => {
  it("is created, left alone, changed and deleted, a call for each change", async () => {
    const { bench, fleet } = await useFleet({ operationMs: 2_000 });
    const { admin, projectId } = bench.emulator;
    const branches = Array.from({ length: MANY }, () => bench.branch());
    const program = (suspendTimeoutSeconds: number) => ({
      projectId,
      defaults: { sizeCu: 0.25, suspendTimeoutSeconds },
      endpoints: Object.fromEntries(branches.map((branchId, at) => [`pr-${at}`, { branchId }])),
    });
    const counted = async (work: () => Promise<{ error?: Error }>) => {
      admin.clearLog();
      const began = bench.clock.now();
      const run = await work();
      expect(run.error).toBeUndefined();
      const { byRoute } = admin.counts();
      const seconds = (bench.clock.now() - began) / 1_000;
      return { byRoute, seconds, calls: Object.values(byRoute).reduce((sum, count) => sum + count, 0) };
    };

    const preview = await counted(() => fleet.preview(program(300)));
    expect(preview.byRoute).toEqual({ "endpoints.list": 1, "branches.list": 1 });
    const created = await counted(() => fleet.up(program(300)));
    expect(created.byRoute).toMatchObject({ "endpoints.create": MANY });
    expect(created.calls).toBeLessThanOrEqual(MANY + 20);
    expect(created.seconds).toBeLessThanOrEqual(8);
    expect(Object.keys(fleet.endpoints)).toHaveLength(MANY);
    expect(fleet.stored?.id).toMatch(/^fleet-[0-9a-f]{8}$/);
    expect(JSON.stringify(fleet.stored).length).toBeLessThan(1_000_000);

    const same = await fleet.preview(program(300));
    expect(same.isChanged).toBe(false);
    expect(same.rows).toEqual([]);
    const refreshed = await counted(() => fleet.refresh());
    expect(refreshed.calls).toBeLessThanOrEqual(1);
    expect((await fleet.preview(program(300))).isChanged).toBe(false);

    const updated = await counted(() => fleet.up(program(600)));
    expect(updated.byRoute).toMatchObject({ "endpoints.update": MANY });
    expect(updated.calls).toBeLessThanOrEqual(MANY + 20);
    expect(fleet.endpoints["pr-1"]).toMatchObject({ suspendTimeoutSeconds: 600 });

    const deleted = await counted(() => fleet.destroy());
    expect(deleted.byRoute).toMatchObject({ "endpoints.delete": MANY });
    expect(admin.project(projectId).endpoints).toHaveLength(1);
  });
});
