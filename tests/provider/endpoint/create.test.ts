import { describe, expect, it } from "vitest";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { PartialError } from "../../../provider/platform/errors";
import { neon } from "../../../provider/platform/profiles/profiles";
import { create } from "../../../provider/pulumi/endpoint/lifecycle";
import { useOne } from "./support";

// Specification, section 4.3.

describe("create", () => {
  it("sends the least, waits for the start, and tells what there is", async () => {
    const { run, make, inputs, emulator, bench } = await useOne();
    const { id, state } = await run(make());
    const endpoint = bench.on(inputs.branchId)[0];
    expect(id).toBe(`${emulator.projectId}/${endpoint?.id}`);
    expect(endpoint).toMatchObject({ current_state: "active", autoscaling_limit_min_cu: 0.25 });
    expect(state).toMatchObject({ endpointId: endpoint?.id, maxConnections: 112, branchId: inputs.branchId });
    expect(state[BOOKKEEPING]).toEqual({ v: 2, set: ["projectId", "branchId", "type"] });
    expect(emulator.admin.counts().byRoute["endpoints.create"]).toBe(1);
    expect(emulator.admin.counts().byRoute["endpoints.list"]).toBeUndefined();
  });

  it.each(["skipped", "failed"] as const)(
    "says what a start comes to that the platform has %s",
    async (activeLimit) => {
      const options = { platform: "neon", activeComputes: 1, activeLimit } as const;
      const { run, make, bench, context } = await useOne(options, { profile: neon });
      await run(make());
      const second = make({ branchId: bench.branch() });
      const limit = "Neon has at most 20 ";
      if (activeLimit === "skipped") {
        await run(second);
        expect(context.said.info).toEqual([
          `starts at its first connection: the platform has skipped its start; ${limit}of a project active at a time`,
        ]);
      } else {
        const error = await bench.fails(second);
        expect(error.message).toContain(`${limit}computes of a project active at a time`);
        expect(error.message).toContain("then run `pulumi up` again");
      }
    },
  );

  it("waits an outage out after a lost answer, so that the id is not lost to it", async () => {
    const { run, make, bench, inputs, emulator, clock } = await useOne();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    emulator.admin.addFault({ effect: { kind: "status", status: 502 }, skip: 1 });
    const outage = clock.sleep(45_000).then(() => emulator.admin.clearFaults());
    const [{ id }] = await run(Promise.all([make(), outage]));
    expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
  });
});

it("create that is interrupted still takes the answer of a request that is under way", async () => {
  const { bench, inputs, emulator, context, clock } = await useOne({ operationMs: 60_000 });
  const controller = new AbortController();
  const account = bench.account({ onRequest: () => {} });
  emulator.admin.addFault({ route: "endpoints.create", effect: { kind: "delay", ms: 5_000, when: "after" } });
  const work = create({ ...context, account, signal: controller.signal }, inputs).catch((error: unknown) => error);
  // The platform holds its answer back on its own clock: nothing sleeps on the provider's.
  while (bench.on(inputs.branchId).length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await new Promise((resolve) => setImmediate(resolve));
  emulator.admin.advance(5_000);
  const error = await bench.run(work);
  if (!(error instanceof PartialError)) throw error;
  expect(error.kind).toBe("cancelled");
  expect(error.id).toBe(`${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`);
  expect((error.state[BOOKKEEPING] as { operations: unknown[] }).operations).toHaveLength(1);
  expect(clock.sleeping()).toBe(0);
});
