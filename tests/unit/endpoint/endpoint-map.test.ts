import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { useBench } from "../../support/bench";
import { type Declared, endpointMap } from "../../support/endpoint-map";

// One resource that manages a map of endpoints would stand on the lifecycle functions alone; so does this map.
describe("a map of endpoints", () => {
  it("is created, changed, replaced and deleted with a concurrency of its own", async () => {
    const { run, map, branches, place, bench, clock } = await setUp(12);
    const first = named(branches.slice(0, 10), (branchId) => place(branchId, { sizeCu: 1 }));
    const created = await run(map.apply(first, {}));
    expect(created.errors).toEqual({});
    expect(Object.keys(created.stored)).toHaveLength(10);
    // Four at once, each until its operation has been seen to end.
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(3 * 1_000);

    const [kept, resized, retyped, dropped] = ["e0", "e1", "e2", "e3"] as const;
    const second: Record<string, EndpointInputs> = { ...first, added: place(branches[10] ?? "") };
    second[resized] = place(branches[1] ?? "", { sizeCu: 2 });
    second[retyped] = place(branches[2] ?? "", { sizeCu: 1, type: "read_only" });
    delete second[dropped];
    const plan = await run(map.plan(second, created.stored));
    expect(plan.failures).toEqual({});
    expect(plan.steps).toMatchObject({
      [kept]: "same",
      [resized]: "update",
      [retyped]: "replace",
      [dropped]: "delete",
      added: "create",
    });
    bench.emulator.admin.clearLog();
    const changed = await run(map.apply(second, created.stored));
    expect(changed.errors).toEqual({});
    expect(bench.emulator.admin.counts().byRoute).toMatchObject({
      "endpoints.create": 2,
      "endpoints.update": 1,
      "endpoints.delete": 2,
    });
    expect(bench.on(branches[1] ?? "")[0]?.autoscaling_limit_max_cu).toBe(2);
    expect(bench.on(branches[2] ?? "").map(({ type }) => type)).toEqual(["read_only"]);
    expect(bench.on(branches[3] ?? "")).toEqual([]);

    expect(await run(map.apply({}, changed.stored))).toEqual({ stored: {}, errors: {} });
    for (const branchId of branches) expect(bench.on(branchId)).toEqual([]);
  });

  it("plans with every failure at once, and a failed endpoint leaves the others alone", async () => {
    const { run, map, branches, place, bench } = await setUp(8);
    const declared = { ...named(branches, (branchId) => place(branchId)), twin: place(branches[0] ?? "") };
    const { failures } = await run(map.plan({ ...declared, wrong: place(branches[1] ?? "", { sizeCu: 99 }) }, {}));
    expect(Object.keys(failures).sort()).toEqual(["twin", "wrong"]);

    // The fourth operation to start fails; the next run resumes that endpoint and creates none again.
    bench.emulator.admin.addFault({ on: "operation", skip: 3, count: 1, effect: { kind: "fail", error: "no room" } });
    const fleet = named(branches, (branchId) => place(branchId));
    const first = await run(map.apply(fleet, {}));
    expect(Object.values(first.errors)).toMatchObject([{ kind: "operation_failed" }]);
    expect(Object.keys(first.stored)).toHaveLength(branches.length);
    const [failed = ""] = Object.keys(first.errors);
    expect(first.stored[failed]?.state[BOOKKEEPING]).toMatchObject({ operations: [{ status: "failed" }] });
    bench.emulator.admin.clearLog();
    const second = await run(map.apply(fleet, first.stored));
    expect(second.errors).toEqual({});
    expect(bench.emulator.admin.counts().byRoute["endpoints.create"]).toBeUndefined();
    for (const branchId of branches) expect(bench.on(branchId)).toMatchObject([{ current_state: "active" }]);
  });

  it("meets what somebody else does meanwhile by the platform's answer, and says who is there", async () => {
    const { run, map, branches, place, bench } = await setUp(6);
    const { admin, projectId } = bench.emulator;
    const fleet = named(branches, (branchId) => place(branchId));
    // The plan's snapshot is taken; then somebody else takes one of the branches.
    await run(map.plan(fleet, {}));
    const stranger = admin.seedEndpoint(projectId, { branch_id: branches[2] ?? "" });
    const created = await run(map.apply(fleet, {}));
    expect(created.errors).toMatchObject({
      e2: { kind: "conflict", message: expect.stringContaining(stranger.id) },
    });
    expect(Object.keys(created.stored).sort()).toEqual(["e0", "e1", "e3", "e4", "e5"]);

    // Somebody else deletes one that is to be changed, and one that is to be deleted.
    const [changed = "", deleted = ""] = ["e0", "e1"].map((name) => String(created.stored[name]?.state.endpointId));
    admin.dropEndpoint(changed);
    admin.dropEndpoint(deleted);
    const { e0: _, e1: __, ...rest } = fleet;
    const second = await run(map.apply({ ...rest, e0: place(branches[0] ?? "", { sizeCu: 2 }) }, created.stored));
    expect(second.errors).toMatchObject({
      e0: { kind: "not_found", message: expect.stringContaining(changed) },
      e2: { message: expect.stringContaining(stranger.id) },
    });
    expect(second.stored.e1).toBeUndefined();
  });

  it("is interrupted at once, with everything known kept, and goes on from there", async () => {
    const controller = new AbortController();
    const { run, map, mapWith, branches, place, bench, clock } = await setUp(20, { operationMs: 60_000 });
    const fleet = named(branches, (branchId) => place(branchId));
    const interrupted = mapWith(controller.signal).apply(fleet, {});
    await clock.pass(90_000);
    controller.abort();
    const first = await run(interrupted);
    expect(clock.elapsedMs()).toBe(90_000);
    expect(new Set(Object.values(first.errors).map((error) => Object(error).kind))).toEqual(new Set(["cancelled"]));
    const made = branches.filter((branchId) => bench.on(branchId).length > 0).length;
    expect(Object.keys(first.stored)).toHaveLength(made);
    expect(made).toBeLessThan(branches.length);

    const second = await run(map.apply(fleet, first.stored));
    expect(second.errors).toEqual({});
    for (const branchId of branches) expect(bench.on(branchId)).toMatchObject([{ current_state: "active" }]);
  });
});

async function setUp(count: number, options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const { projectId } = bench.emulator;
  const context = bench.context({ account: bench.account() });
  const mapWith = (signal: AbortSignal) => endpointMap({ ...context, signal }, 4);
  return {
    bench,
    run: bench.run,
    clock: bench.clock,
    branches: Array.from({ length: count }, () => bench.branch()),
    place: (branchId: string, more: Partial<EndpointInputs> = {}): EndpointInputs => ({
      projectId,
      branchId,
      type: "read_write",
      ...more,
    }),
    mapWith,
    map: mapWith(context.signal),
  };
}

function named(branches: readonly string[], inputs: (branchId: string) => EndpointInputs): Declared {
  return Object.fromEntries(branches.map((branchId, at) => [`e${at}`, inputs(branchId)]));
}
