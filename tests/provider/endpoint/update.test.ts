import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { PartialError } from "../../../provider/platform/errors";
import { diff, update } from "../../../provider/pulumi/lifecycle";
import { bookOf, mend, partial, useEndpoint, useOne } from "./support";

describe("update (sections 3.3, 4.5 and 4.7)", () => {
  it("sends only what differs, and waits", async () => {
    const { run, change, live, changes } = await useEndpoint({ sizeCu: 1, poolerEnabled: true });
    const { state } = await run(change({ sizeCu: 2, poolerEnabled: true }));
    expect(live()).toMatchObject({ autoscaling_limit_min_cu: 2, pooler_enabled: true, current_state: "active" });
    expect(changes()).toHaveLength(1);
    expect(state).toMatchObject({ sizeCu: 2, maxConnections: 901 });
    expect(bookOf(state)).toEqual({ v: 2, set: ["projectId", "branchId", "type", "sizeCu", "poolerEnabled"] });
  });

  it("sends nothing where nothing differs", async () => {
    const { run, change, emulator } = await useEndpoint({ sizeCu: 1 });
    await run(change({ autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 }));
    expect(emulator.admin.counts().total).toBe(0);
  });

  it("changes libraries and settings each without the other, and leaves what it does not know of either", async () => {
    const { run, change, live, emulator, endpointId } = await useEndpoint({
      preloadLibraries: ["pg_prewarm"],
      pgSettings: { work_mem: "4MB" },
    });
    const shown = () => live().settings;
    expect(shown()).toEqual({
      pg_settings: { work_mem: "4MB" },
      preload_libraries: { enabled_libraries: ["pg_prewarm"] },
    });
    emulator.admin.changeEndpoint(endpointId, {
      settings: {
        pg_settings: { work_mem: "4MB" },
        preload_libraries: { use_defaults: true, enabled_libraries: ["pg_prewarm"] },
      },
    });
    const both = { preloadLibraries: ["auto_explain", "pg_prewarm"], pgSettings: { work_mem: "4MB" } };
    const first = await run(change(both));
    const preload_libraries = { use_defaults: true, enabled_libraries: ["auto_explain", "pg_prewarm"] };
    expect(shown()).toEqual({ pg_settings: { work_mem: "4MB" }, preload_libraries });
    const from = { from: first, oldInputs: { ...both } };
    const second = await run(change({ ...both, pgSettings: { work_mem: "8MB" } }, from));
    expect(shown()).toEqual({ pg_settings: { work_mem: "8MB" }, preload_libraries });
    await run(change({ preloadLibraries: undefined, pgSettings: { work_mem: "8MB" } }, { ...from, from: second }));
    expect(shown()).toEqual({
      pg_settings: { work_mem: "8MB" },
      preload_libraries: { use_defaults: true, enabled_libraries: [] },
    });
  });

  it.each(["sizeCu", "*"])("leaves what is to be ignored as a failed update has left it (%s)", async (ignored) => {
    const { run, bench, change, changes, live, emulator, inputs } = await useEndpoint({ sizeCu: 1 });
    emulator.admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "fail" } });
    const first = await partial(bench.fails(change({ sizeCu: 2 })));
    mend(emulator);
    // The engine keeps the old inputs of a failed update, and puts them back for what it ignores.
    const request = { ...first, inputs, oldInputs: { ...inputs }, ignoreChanges: [ignored] };
    const { state } = await run(update(bench.context(), request));
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.start"]);
    expect(live()).toMatchObject({ autoscaling_limit_max_cu: 2 });
    expect(state).toMatchObject({ sizeCu: 2 });
    expect(bookOf(state).operations).toBeUndefined();
  });

  it("sends them back where the list does not tell them", async () => {
    const { run, change, live, clock, emulator, context, inputs, endpointId } = await useEndpoint({
      pgSettings: { work_mem: "4MB" },
    });
    const pgbouncer_settings = { default_pool_size: "20" };
    await clock.pass(10_000);
    emulator.admin.changeEndpoint(endpointId, { settings: { pg_settings: { work_mem: "4MB" }, pgbouncer_settings } });
    const { settings: _, ...told } = live();
    emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "json", body: { endpoints: [told] } } });
    await run(context.account.project(inputs.projectId).cache.snapshot({ sinceMs: clock.now() }));
    await run(change({ pgSettings: { work_mem: "8MB" } }));
    expect(live().settings).toEqual({ pg_settings: { work_mem: "8MB" }, pgbouncer_settings });
  });

  it("does not take a branch that does not exist for an endpoint that is gone", async () => {
    const { run, bench, change, context, inputs, endpointId } = await useEndpoint();
    const error = await bench.fails(change({ branchId: "br-nowhere" }));
    expect(error).toMatchObject({ kind: "not_found" });
    expect(error.message).not.toMatch(/no longer exists/);
    const { cache } = context.account.project(inputs.projectId);
    expect(await run(cache.endpoint(endpointId))).toBeDefined();
  });

  it("says who is in the way of a move", async () => {
    const { bench, change, emulator, inputs, live } = await useEndpoint();
    const branchId = bench.branch();
    const other = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId }).id;
    const error = await bench.fails(change({ branchId }));
    expect(error).toMatchObject({ kind: "conflict" });
    expect(error.message).toContain(other);
    expect(error).not.toBeInstanceOf(PartialError);
    expect(live().branch_id).toBe(inputs.branchId);
  });
});

describe("a comparison", () => {
  it("moves a replica that a run has moved already and could not record", async () => {
    const { bench, context, stored, inputs, endpointId, emulator } = await useEndpoint({ type: "read_only" });
    const branchId = bench.branch();
    emulator.admin.changeEndpoint(endpointId, { branch_id: branchId });
    await bench.run(context.account.project(inputs.projectId).cache.snapshot({ sinceMs: bench.clock.now() }));
    const planned = await bench.run(diff(context, { ...stored, inputs: { ...inputs, branchId } }));
    expect(planned.properties).toEqual({ branchId: { change: "update", before: inputs.branchId, after: branchId } });
  });

  it("needs no platform", async () => {
    const { run, context, stored, inputs, emulator } = await useEndpoint();
    emulator.admin.addFault({ effect: { kind: "status", status: 401 } });
    expect((await run(diff(context, { ...stored, inputs: { ...inputs, sizeCu: 2 } }))).changes).toBe(true);
  });
});

describe("update after an operation that did not end well", () => {
  it("goes on waiting for one that is still open, without sending anything again", async () => {
    const { run, bench, change, changes, live, emulator } = await useEndpoint({ sizeCu: 1 });
    emulator.admin.addFault({ on: "operation", effect: { kind: "slow", operationMs: 120_000 } });
    const error = await partial(bench.fails(change({ sizeCu: 2 }, { timeoutMs: 10_000 })));
    expect(bookOf(error.state).operations?.length).toBeGreaterThan(0);
    emulator.admin.clearLog();
    const { state } = await run(change({ sizeCu: 2 }, { from: error }));
    expect(changes()).toEqual([]);
    expect(bookOf(state).operations).toBeUndefined();
    expect(live().pending_state).toBeUndefined();
  });

  it("makes the change again where one has vanished while it was waited for", async () => {
    const { run, bench, change, changes, live, emulator } = await useEndpoint({ sizeCu: 1 }, { operationMs: 60_000 });
    emulator.admin.addFault({ on: "operation", effect: { kind: "vanish", afterMs: 12_000 } });
    const error = await partial(bench.fails(change({ sizeCu: 2 }, { timeoutMs: 5_000 })));
    mend(emulator);
    const { state } = await run(change({ sizeCu: 2 }, { from: error }));
    expect(changes().map(({ route }) => route)).toContain("endpoints.update");
    expect(bookOf(state).operations).toBeUndefined();
    expect(live()).toMatchObject({ autoscaling_limit_min_cu: 2, current_state: "active" });
  });
});

// The engine's hook `onError` has a change made again within the run. It keeps only what the last try told.

const startFails: Fault = { on: "operation", action: "start_compute", effect: { kind: "fail" } };

const inTheWay: [string, Fault, string][] = [
  ["the endpoint cannot be read", { route: "endpoints.get", effect: { kind: "status", status: 500 } }, "server"],
  ["the key is refused", { route: "operations.*", effect: { kind: "status", status: 401 } }, "unauthorized"],
];

describe("a create that is repeated within the run", () => {
  it.each(inTheWay)("keeps its endpoint where %s", async (_, fault, kind) => {
    const { run, make, bench, emulator, inputs } = await useOne();
    emulator.admin.addFault(startFails);
    const first = await partial(bench.fails(make({ type: "read_only" })));
    emulator.admin.clearFaults();
    emulator.admin.addFault(fault);
    const second = await partial(bench.fails(make({ type: "read_only" })));
    expect(second).toMatchObject({ kind, id: first.id });
    expect(bookOf(second.state).operations).toEqual(bookOf(first.state).operations);

    emulator.admin.clearFaults();
    expect((await run(make({ type: "read_only" }))).id).toBe(first.id);
    expect(bench.on(inputs.branchId)).toHaveLength(1);
  });
});

it("an update that is repeated within the run keeps the operation that failed", async () => {
  const { bench, change, emulator } = await useEndpoint({ sizeCu: 1 });
  emulator.admin.addFault(startFails);
  const first = await partial(bench.fails(change({ sizeCu: 2 })));
  for (const [, fault, kind] of inTheWay) {
    emulator.admin.clearFaults();
    emulator.admin.addFault(fault);
    // The engine shows the same old state as it did the first time.
    const second = await partial(bench.fails(change({ sizeCu: 2 })));
    expect(second).toMatchObject({ kind, id: first.id, state: { sizeCu: 2 } });
    expect(bookOf(second.state).operations).toEqual(bookOf(first.state).operations);
  }
});

describe("restart", () => {
  it("suspends and starts for a new trigger, and only then", async () => {
    const { run, change, changes, live, emulator } = await useEndpoint();
    const first = await run(change({ restartTrigger: "one" }));
    expect(changes().map(({ path }) => path.split("/").at(-1))).toEqual(["suspend", "start"]);
    expect(live().current_state).toBe("active");
    emulator.admin.clearLog();
    await run(change({ restartTrigger: "one" }, { from: first }));
    expect(changes()).toEqual([]);
  });

  it.each([
    ["a trigger", { restartTrigger: "one" }, "restarted: away for 6.0 s"],
    ["a new size", { sizeCu: 2 }, "restarted: away for 6.0 s"],
    ["a delay", { suspendTimeoutSeconds: 60 }, undefined],
    ["a switch-off", { disabled: true }, undefined],
  ])("tells how long it was away for %s", async (_, news, line) => {
    const { run, context, change } = await useEndpoint({ sizeCu: 1 }, { operationMs: 3_000 });
    context.said.info.length = 0;
    await run(change(news));
    expect(context.said.info).toEqual(line === undefined ? [] : [line]);
  });

  it("does not tell how long a restart was that an earlier run began, of which it has not seen all", async () => {
    const { run, bench, context, change, clock } = await useEndpoint({ sizeCu: 1 }, { operationMs: 3_000 });
    const stopped = await partial(bench.fails(change({ sizeCu: 2 }, { timeoutMs: 1_000 })));
    await clock.pass(4_000);
    context.said.info.length = 0;
    await run(change({ sizeCu: 2 }, { from: stopped }));
    expect(context.said.info).toEqual([]);
  });

  it("counts the trigger only when the restart is done", async () => {
    const { run, bench, change, changes, live, emulator } = await useEndpoint();
    emulator.admin.addFault({ route: "endpoints.start", effect: { kind: "status", status: 500 } });
    const error = await partial(bench.fails(change({ restartTrigger: "one" })));
    expect(error.state).not.toHaveProperty("restartTrigger");
    mend(emulator);
    const { state } = await run(change({ restartTrigger: "one" }, { from: error }));
    expect(changes().length).toBeGreaterThan(0);
    expect(live().current_state).toBe("active");
    expect(state.restartTrigger).toBe("one");
  });

  it("says what it waits for once a second, though it looks more often", async () => {
    const { run, context, change } = await useEndpoint({}, { operationMs: 3_000 });
    context.said.status.length = 0;
    await run(change({ restartTrigger: "one" }));
    const lines = context.said.status;
    expect(lines).toContain("start_compute, 2 s");
    expect(lines.at(-1)).toBe("start_compute done");
    expect(new Set(lines).size).toBe(lines.length);
  });
});
