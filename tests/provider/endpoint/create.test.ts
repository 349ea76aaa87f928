import { describe, expect, it } from "vitest";
import type { CallEffect } from "../../../emulator";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { PartialError } from "../../../provider/platform/errors";
import { neon } from "../../../provider/platform/profiles/profiles";
import { create } from "../../../provider/pulumi/lifecycle";
import { partial, useOne } from "./support";

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

  it.each<[type: "read_write" | "read_only", CallEffect]>([
    ["read_write", { kind: "reset", when: "after" }],
    ["read_only", { kind: "status", status: 503, when: "after" }],
  ])("finds its endpoint behind lists that are old, by its operation (%s, %j)", async (type, effect) => {
    const { run, make, bench, inputs, emulator } = await useOne();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect });
    emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "stale-list", ageMs: 180_000 } });
    emulator.admin.addFault({ route: "branches.endpoints", effect: { kind: "stale-list", ageMs: 180_000 } });
    const { id } = await run(make({ type }));
    expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
  });

  it("names the duplicate that a repeat made while all lists were minutes behind, and deletes nothing", async () => {
    const { run, make, bench, inputs, emulator, context } = await useOne();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    // The first list of endpoints is that of planning, and as time stands still, of the first look as well.
    for (const [route, count] of [
      ["endpoints.list", 3],
      ["branches.endpoints", 3],
      ["operations.list", 3],
    ] as const) {
      emulator.admin.addFault({ route, count, effect: { kind: "stale-list", ageMs: 180_000 } });
    }
    const { id } = await run(make({ type: "read_only" }));
    expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(2);
    const ids = bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`);
    expect(ids).toHaveLength(2);
    const [duplicate] = ids.filter((one) => one !== id);
    expect(context.said.warnings.join()).toContain(`run: npx --no-install pgcompute endpoints delete ${duplicate}`);
  });

  it("knows its own endpoint in a conflict after a lost answer, and a stranger's in any other", async () => {
    const { run, make, bench, inputs, emulator } = await useOne({ lock: "none" });
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    for (const route of ["endpoints.list", "branches.endpoints", "operations.list"]) {
      emulator.admin.addFault({ route, count: 1, effect: { kind: "stale-list", ageMs: 180_000 } });
    }
    await run(make());
    expect(bench.on(inputs.branchId)).toHaveLength(1);
    expect(emulator.admin.log({ route: "endpoints.create" }).map(({ status }) => status)).toEqual([0, 409]);

    const error = await bench.fails(make());
    expect(error).toMatchObject({ kind: "conflict" });
    expect(error.message).toContain(bench.on(inputs.branchId)[0]?.id);
  });

  it("passes on the platform's own words where it refuses one more replica", async () => {
    const { make, bench, emulator } = await useOne();
    const { projectId, branchId } = emulator;
    const full = {
      kind: "status",
      status: 409,
      code: "ENDPOINTS_LIMIT_EXCEEDED",
      message: "20 replicas at most",
    } as const;
    emulator.admin.addFault({ route: "endpoints.create", effect: full });
    const error = await bench.fails(make({ projectId, branchId, type: "read_only" }));
    expect(error).toMatchObject({ kind: "conflict", message: expect.stringContaining("20 replicas at most") });
    expect(error.message).not.toMatch(/adoptExisting|read-write/);
  });

  it("waits an outage out after a lost answer, so that the id is not lost to it", async () => {
    const { run, make, bench, inputs, emulator, clock } = await useOne();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    emulator.admin.addFault({ effect: { kind: "status", status: 502 }, skip: 1 });
    const outage = clock.sleep(45_000).then(() => emulator.admin.clearFaults());
    const [{ id }] = await run(Promise.all([make(), outage]));
    expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
  });

  it("keeps the id of a found endpoint whose operations cannot be looked at", async () => {
    const { make, bench, inputs, emulator } = await useOne();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    emulator.admin.addFault({ route: "operations.list", effect: { kind: "status", status: 403 } });
    const error = await partial(bench.fails(make()));
    expect(error.id).toBe(`${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`);
  });

  it("reports a start that fails after the answer was lost, though the list of operations is behind", async () => {
    const { make, bench, emulator } = await useOne();
    emulator.admin.addFault({ on: "operation", effect: { kind: "fail" } });
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    emulator.admin.addFault({ route: "operations.list", effect: { kind: "stale-list", ageMs: 3_000 } });
    expect(await bench.fails(make())).toMatchObject({ kind: "operation_failed" });
  });
});

describe("create that is interrupted", () => {
  it("still takes the answer of a request that is under way", async () => {
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
});
