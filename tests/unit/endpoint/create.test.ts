import { describe, expect, it } from "vitest";
import type { CallEffect, EmulatorOptions } from "../../../emulator";
import type { AccountSettings } from "../../../provider/account/account";
import { PartialError } from "../../../provider/api/errors";
import type { Context } from "../../../provider/endpoint/context";
import { create } from "../../../provider/endpoint/create";
import { newMark } from "../../../provider/endpoint/mark";
import type { EndpointInputs } from "../../../provider/endpoint/model";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { urnOf, useBench } from "../../support/bench";

const lost: [string, CallEffect][] = [
  ["reset", { kind: "reset", when: "after" }],
  ["500", { kind: "status", status: 500, when: "after" }],
  ["503", { kind: "status", status: 503, when: "after" }],
  ["page for browsers", { kind: "html", when: "after" }],
  ["truncated answer", { kind: "truncate-body" }],
];

describe("create", () => {
  it("sends the least, waits for the start, and tells what there is", async () => {
    const { run, make, inputs, emulator, bench } = await setUp();
    const { id, state } = await run(make());
    const endpoint = bench.on(inputs.branchId)[0];
    expect(id).toBe(`${emulator.projectId}/${endpoint?.id}`);
    expect(endpoint).toMatchObject({ current_state: "active", autoscaling_limit_min_cu: 0.25 });
    expect(state).toMatchObject({ endpointId: endpoint?.id, maxConnections: 112, branchId: inputs.branchId });
    expect(state[BOOKKEEPING]).toEqual({ set: ["projectId", "branchId", "type"] });
    expect(emulator.admin.counts().byRoute["endpoints.create"]).toBe(1);
    expect(emulator.admin.counts().byRoute["endpoints.list"]).toBeUndefined();
  });

  it.each(lost)("finds its endpoint again when the answer was lost (%s)", async (_, effect) => {
    for (const type of ["read_write", "read_only"] as const) {
      const { run, make, bench, inputs, emulator } = await setUp();
      emulator.admin.addFault({ route: "endpoints.create", count: 1, effect });
      const { id } = await run(make({ type }));
      expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
      expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(1);
      expect(bench.on(inputs.branchId)[0]?.current_state).toBe("active");
    }
  });

  it.each(lost)("finds it behind lists that are old, by its operation (%s)", async (_, effect) => {
    for (const type of ["read_write", "read_only"] as const) {
      const { run, make, bench, inputs, emulator } = await setUp();
      emulator.admin.addFault({ route: "endpoints.create", count: 1, effect });
      emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "stale-list", ageMs: 180_000 } });
      emulator.admin.addFault({ route: "branches.endpoints", effect: { kind: "stale-list", ageMs: 180_000 } });
      const { id } = await run(make({ type }));
      expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
    }
  });

  it("sees through lists that are seconds behind, all of them", async () => {
    const { run, make, bench, inputs, emulator } = await setUp();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    for (const route of ["endpoints.list", "branches.endpoints", "operations.list"]) {
      emulator.admin.addFault({ route, effect: { kind: "stale-list", ageMs: 4_000 } });
    }
    const { id } = await run(make({ type: "read_only" }));
    expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
  });

  it("deletes the twin that a repeat made while all lists were minutes behind", async () => {
    const { run, make, bench, inputs, emulator, context } = await setUp();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    // The first list of endpoints is that of planning.
    for (const [route, count] of [
      ["endpoints.list", 4],
      ["branches.endpoints", 3],
      ["operations.list", 3],
    ] as const) {
      emulator.admin.addFault({ route, count, effect: { kind: "stale-list", ageMs: 180_000 } });
    }
    const { id } = await run(make({ type: "read_only" }));
    expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(2);
    expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
    expect(context.said.warnings.join()).toMatch(/was created twice over/);
  });

  it("knows its own endpoint in a conflict after a lost answer, and a stranger's in any other", async () => {
    const { run, make, bench, inputs, emulator } = await setUp({ lock: "project" });
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    for (const route of ["endpoints.list", "branches.endpoints", "operations.list"]) {
      emulator.admin.addFault({ route, count: 1, effect: { kind: "stale-list", ageMs: 180_000 } });
    }
    await run(make());
    expect(bench.on(inputs.branchId)).toHaveLength(1);
    // The repeat met the lock of its own start first, then the conflict.
    expect(emulator.admin.log({ route: "endpoints.create" }).map(({ status }) => status)).toEqual([0, 423, 409]);

    const error = await bench.fails(make());
    expect(error).toMatchObject({ kind: "conflict" });
    expect(error.message).toContain(bench.on(inputs.branchId)[0]?.id);
  });

  it("waits an outage out after a lost answer, so that the id is not lost to it", async () => {
    const { run, make, bench, inputs, emulator, clock } = await setUp();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    emulator.admin.addFault({ effect: { kind: "status", status: 502 }, skip: 1 });
    const outage = clock.sleep(45_000).then(() => emulator.admin.clearFaults());
    const [{ id }] = await run(Promise.all([make(), outage]));
    expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
  });

  it("says under which name an endpoint may exist when nothing can be seen at all", async () => {
    const { make, bench, inputs, emulator } = await setUp();
    emulator.admin.addFault({ effect: { kind: "reset", when: "after" } });
    const error = await bench.fails(make());
    const name = bench.on(inputs.branchId)[0]?.name ?? "none";
    expect(error.message).toContain(name);
    expect(error.message).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof setUp>>["emulator"]["admin"]["addFault"]>[0], string, number]>([
    ["fails", { on: "operation", effect: { kind: "fail" } }, "operation_failed", 1],
    ["hangs", { on: "operation", effect: { kind: "hang" } }, "operation_timeout", 1],
    ["vanishes", { on: "operation", effect: { kind: "vanish" } }, "operation_vanished", 0],
    ["cannot be seen", { route: "operations.*", effect: { kind: "status", status: 401 } }, "unauthorized", 1],
  ])("keeps the id and the state when its start %s", async (_, fault, kind, operations) => {
    const { make, bench, inputs, emulator } = await setUp();
    emulator.admin.addFault(fault);
    const error = await bench.fails(make({ sizeCu: 2 }));
    if (!(error instanceof PartialError)) throw error;
    expect(error.kind).toBe(kind);
    expect(error.id).toBe(`${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`);
    expect(error.state).toMatchObject({ sizeCu: 2, endpointId: bench.on(inputs.branchId)[0]?.id });
    const book = error.state[BOOKKEEPING] as { operations?: unknown[] };
    expect(book.operations ?? []).toHaveLength(operations);
  });

  it("keeps the id of a found endpoint whose operations cannot be looked at", async () => {
    const { make, bench, inputs, emulator } = await setUp();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } });
    emulator.admin.addFault({ route: "operations.list", effect: { kind: "status", status: 403 } });
    const error = await bench.fails(make());
    if (!(error instanceof PartialError)) throw error;
    expect(error.id).toBe(`${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`);
  });

  it("reports a start that failed while the answer was lost", async () => {
    const { make, bench, emulator } = await setUp();
    emulator.admin.addFault({ on: "operation", effect: { kind: "fail" } });
    emulator.admin.addFault({
      route: "endpoints.create",
      count: 1,
      effect: { kind: "status", status: 504, when: "after" },
    });
    emulator.admin.addFault({ route: "branches.endpoints", count: 4, effect: { kind: "status", status: 502 } });
    expect(await bench.fails(make())).toMatchObject({ kind: "operation_failed" });
  });
});

describe("create that is interrupted", () => {
  it("still takes the answer of a request that is under way", async () => {
    const { bench, inputs, emulator, context, clock } = await setUp({ operationMs: 60_000 });
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

  it("looks once for what a lost answer may have made, and does not repeat it", async () => {
    const { bench, inputs, emulator, context } = await setUp();
    const controller = new AbortController();
    const account = bench.account({
      onRequest: ({ method }) => {
        if (method === "POST") controller.abort();
      },
    });
    emulator.admin.addFault({ route: "endpoints.create", effect: { kind: "reset", when: "after" } });
    const error = await bench.fails(create({ ...context, account, signal: controller.signal }, inputs));
    if (!(error instanceof PartialError)) throw error;
    expect(error.id).toBe(`${emulator.projectId}/${bench.on(inputs.branchId)[0]?.id}`);
    expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(1);
  });

  it("makes nothing when it was interrupted before", async () => {
    const { make, bench, inputs } = await setUp();
    const controller = new AbortController();
    controller.abort();
    expect(await bench.fails(make({}, { signal: controller.signal }))).toMatchObject({ kind: "cancelled" });
    expect(bench.on(inputs.branchId)).toEqual([]);
  });
});

describe("create by taking over", () => {
  it("takes the branch's endpoint as it is, and says that it will not be deleted", async () => {
    const { run, make, emulator, context } = await setUp();
    const { projectId, branchId, endpointId } = emulator;
    const { id, state } = await run(make({ branchId, adoptExisting: true }));
    expect(id).toBe(`${projectId}/${endpointId}`);
    expect(state[BOOKKEEPING]).toMatchObject({ adopted: true });
    expect(context.said.info.join()).toMatch(/released, not deleted/);
    expect(emulator.admin.log({ method: "PATCH" })).toEqual([]);
    expect(context.plan.wasTakenOver(endpointId)).toBe(true);
  });

  it("changes only what the program says otherwise", async () => {
    const { run, make, emulator } = await setUp();
    const { branchId, endpointId } = emulator;
    await run(make({ branchId, adoptExisting: true, sizeCu: 2, poolerEnabled: false }));
    expect(emulator.admin.endpoint(endpointId)).toMatchObject({
      autoscaling_limit_min_cu: 2,
      autoscaling_limit_max_cu: 2,
    });
    expect(emulator.admin.log({ method: "PATCH" })).toHaveLength(1);
  });

  it("keeps what it took over when the change fails", async () => {
    const { make, bench, emulator } = await setUp();
    emulator.admin.addFault({ route: "endpoints.update", effect: { kind: "status", status: 500 } });
    const error = await bench.fails(make({ branchId: emulator.branchId, adoptExisting: true, sizeCu: 2 }));
    if (!(error instanceof PartialError)) throw error;
    expect(error.state).toMatchObject({ sizeCu: 0.25, [BOOKKEEPING]: { adopted: true } });
  });

  it("creates one where there is none, or where only an old list still shows one", async () => {
    const { run, make, bench, inputs, emulator, context } = await setUp();
    const { state } = await run(make({ adoptExisting: true }));
    expect(state[BOOKKEEPING]).not.toHaveProperty("adopted");

    const other = bench.branch();
    const gone = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: other }).id;
    await run(context.account.project(inputs.projectId).directory.picture({ maxAgeMs: 0 }));
    emulator.admin.dropEndpoint(gone);
    const made = await run(make({ branchId: other, adoptExisting: true }));
    expect(made.id).not.toContain(gone);
    expect(bench.on(other)).toHaveLength(1);
  });

  it.each(["read_write", "read_only"] as const)(
    "takes up what an interrupted run left, when told to (%s)",
    async (type) => {
      const { run, make, bench, inputs, emulator } = await setUp({}, { adoptInterrupted: true });
      const { projectId } = emulator;
      const leftover = emulator.admin.seedEndpoint(projectId, {
        branch_id: inputs.branchId,
        type,
        name: newMark(urnOf("main")),
      });
      const { id, state } = await run(make({ type, sizeCu: 2 }));
      expect(id).toBe(`${projectId}/${leftover.id}`);
      expect(state[BOOKKEEPING]).not.toHaveProperty("adopted");
      expect(bench.on(inputs.branchId)).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    },
  );

  it("names every replica that earlier runs left, and creates another", async () => {
    const { run, make, bench, inputs, emulator, context } = await setUp();
    const { projectId } = emulator;
    const leftovers = [1, 2].map(
      () =>
        emulator.admin.seedEndpoint(projectId, {
          branch_id: inputs.branchId,
          type: "read_only",
          name: newMark(urnOf("main")),
        }).id,
    );
    const { id } = await run(make({ type: "read_only" }));
    expect(bench.on(inputs.branchId)).toHaveLength(3);
    for (const leftover of leftovers) {
      expect(id).not.toContain(leftover);
      expect(context.said.warnings.join("\n")).toContain(leftover);
    }
  });
});

async function setUp(options: EmulatorOptions = {}, settings: Partial<AccountSettings> = {}) {
  const bench = await useBench(options);
  const account = bench.account({}, settings);
  const context = bench.context({ account });
  const inputs: EndpointInputs = {
    projectId: bench.emulator.projectId,
    branchId: bench.branch(),
    type: "read_write",
  };
  return {
    ...bench,
    bench,
    context,
    inputs,
    make: (changes: Partial<EndpointInputs> = {}, part: Partial<Context> = {}) =>
      create({ ...context, ...part }, { ...inputs, ...changes }),
  };
}
