import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { PartialError } from "../../../provider/platform/errors";
import { neon } from "../../../provider/platform/profiles/profiles";
import { diff, read, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { bookOf, partial, useEndpoint, useOne } from "./support";

describe("update (sections 3.3, 4.5 and 4.7)", () => {
  it.each(["sizeCu", "*"])("leaves what is to be ignored as a failed update has left it (%s)", async (ignored) => {
    const { run, bench, change, changes, live, emulator, inputs } = await useEndpoint({ sizeCu: 1 });
    emulator.admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "fail" } });
    const first = await partial(bench.fails(change({ sizeCu: 2 })));
    emulator.admin.clearFaults();
    emulator.admin.clearLog();
    // The engine keeps the old inputs of a failed update, and puts them back for what it ignores.
    const request = { ...first, inputs, oldInputs: { ...inputs }, ignoreChanges: [ignored] };
    const { state } = await run(update(bench.context(), request));
    expect(changes().map(({ route }) => route)).toEqual(["endpoints.start"]);
    expect(live()).toMatchObject({ autoscaling_limit_max_cu: 2 });
    expect(state).toMatchObject({ sizeCu: 2 });
    expect(bookOf(state).operations).toBeUndefined();
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

it("a comparison needs no platform", async () => {
  const { run, context, stored, inputs, emulator } = await useEndpoint();
  emulator.admin.addFault({ effect: { kind: "status", status: 401 } });
  expect((await run(diff(context, { ...stored, inputs: { ...inputs, sizeCu: 2 } }))).changes).toBe(true);
});

it("a comparison shows no change where the stack is for another platform by now, whose figures the next refresh has", async () => {
  const { run, bench, stored, inputs } = await useEndpoint({ sizeCu: 4 });
  const context = bench.context({ account: bench.account({ profile: neon }, { profile: neon }) });
  expect(stored.state.maxConnections).toBe(1802);
  expect((await run(diff(context, { ...stored, inputs: { ...inputs } }))).changes).toBe(false);
  expect(context.said.warnings).toEqual([]);
  expect((await run(read(context, stored)))?.state.maxConnections).toBe(1678);
});

// The engine's hook `onError` has a change made again within the run. It keeps only what the last try told.

const startFails: Fault = { on: "operation", action: "start_compute", effect: { kind: "fail" } };

const inTheWay: [string, Fault, string][] = [
  ["the endpoint cannot be read", { route: "endpoints.get", effect: { kind: "status", status: 500 } }, "server"],
  ["the key is refused", { route: "operations.*", effect: { kind: "status", status: 401 } }, "unauthorized"],
];

it.each(inTheWay)("a create that is repeated within the run keeps its endpoint where %s", async (_, fault, kind) => {
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
  it.each([
    // The start is sent when the suspend has been seen to end.
    ["a trigger", { restartTrigger: "one" }, "restarted: away for 7.0 s"],
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

  it("says what it waits for once a second, though it looks more often", async () => {
    const { run, context, change } = await useEndpoint({}, { operationMs: 3_000 });
    context.said.status.length = 0;
    await run(change({ restartTrigger: "one" }));
    const lines = context.said.status;
    expect(lines).toContain("start_compute scheduling, 2 s");
    expect(lines.at(-1)).toBe("start_compute done");
    expect(new Set(lines).size).toBe(lines.length);
  });
});
