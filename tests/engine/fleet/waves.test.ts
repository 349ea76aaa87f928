/** A fleet in waves, by the real engine; what waits until nobody uses the endpoint is examples/nightly (plugin/examples.test.ts). */
import { expect, it } from "vitest";
import { pluginHost as host } from "../support/hosts";
import { endpointsOn, useBench } from "../support/platform";

const OPERATION_MS = 200;

const bench = useBench({ operationMs: OPERATION_MS });

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
});
