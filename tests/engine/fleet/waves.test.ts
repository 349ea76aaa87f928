/** Changes at the right moment, by the real engine: one that waits until nobody uses the endpoint, and a fleet in waves. */
import { describe, expect, it } from "vitest";
import { pluginHost as host } from "./support/hosts";
import { endpointsOn, useBench } from "./support/platform";

const OPERATION_MS = 200;

const bench = useBench({ operationMs: OPERATION_MS });

describe("at the right moment", () => {
  it("a change waits until nobody uses the endpoint", async () => {
    const program = await bench.program(host);
    const branchId = bench.branch();
    const sized = (sizeCu: number) => ({
      main: {
        args: { projectId: bench.projectId, branchId, sizeCu, suspendTimeoutSeconds: 1, restartWhen: "idle" },
        options: { customTimeouts: { update: "1m" } },
      },
    });
    await program.is(sized(1)).up();
    const [endpoint] = endpointsOn(bench, branchId);
    const endpointId = endpoint?.id ?? "";
    bench.emulator.admin.connect({ endpointId, connections: 3 });
    const preview = await program.is(sized(2)).preview();
    expect(preview.text).toContain("waits for an idle moment, then restarts the endpoint");
    bench.emulator.admin.clearLog();
    const leaving = setInterval(() => {
      // Once the wait has begun.
      if (bench.emulator.admin.log({ route: "endpoints.list" }).length > 1)
        bench.emulator.admin.disconnect({ endpointId });
    }, OPERATION_MS);
    await program
      .is(sized(2))
      .up()
      .finally(() => clearInterval(leaving));
    expect(endpointsOn(bench, branchId)).toMatchObject([{ autoscaling_limit_max_cu: 2, dropped_connections: 0 }]);
    expect((await program.is(sized(2)).preview()).changes).toMatchObject({
      create: 0,
      update: 0,
      replace: 0,
      delete: 0,
    });
    await program.is({}).destroy();
  });

  it("the members of a fleet go in waves", async () => {
    const program = await bench.program(host);
    const branches = Array.from({ length: 4 }, () => bench.branch());
    const endpoints = Object.fromEntries(branches.map((branchId, at) => [`pr-${at}`, { branchId }]));
    const fleet = (sizeCu: number, rollout?: object) => ({
      previews: {
        isFleet: true as const,
        args: { projectId: bench.projectId, defaults: { sizeCu }, endpoints, ...(rollout && { rollout }) },
      },
    });
    await program.is(fleet(1)).up();
    const rollout = { maxUnavailable: "25%", canary: ["pr-2"], maxFailures: 1 };
    expect((await program.is(fleet(1, rollout)).preview()).changes).toMatchObject({
      create: 0,
      update: 0,
      replace: 0,
      delete: 0,
    });
    bench.emulator.admin.clearLog();
    await program.is(fleet(2, rollout)).up();
    const sent = bench.emulator.admin.log({ route: "endpoints.update" });
    const ids = branches.map((branchId) => endpointsOn(bench, branchId)[0]?.id ?? "");
    expect(sent).toHaveLength(4);
    expect(sent[0]?.path).toContain(ids[2]);
    // Each begins when the one before has suspended and started again.
    for (const [at, { at: sentMs }] of sent.entries()) {
      const before = sent[at - 1];
      if (before) expect(sentMs - before.at).toBeGreaterThanOrEqual(2 * OPERATION_MS);
    }
    expect(branches.flatMap((branchId) => endpointsOn(bench, branchId))).toMatchObject(
      branches.map(() => ({ autoscaling_limit_max_cu: 2 })),
    );
    await program.is({}).destroy();
  });
});
