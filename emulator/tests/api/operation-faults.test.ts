import { describe, expect, it } from "vitest";
import type { OperationEffect } from "../../index";
import { openEmulator } from "./support/open-emulator";

const PATIENCE_MS = 12_000;

describe("faults of operations", () => {
  it.each<[OperationEffect, string[], string]>([
    [{ kind: "fail" }, ["scheduling 0", "running 0", "failed 1"], "idle"],
    [{ kind: "fail", status: "error", failures: 3 }, ["scheduling 0", "running 0", "error 3"], "idle"],
    [{ kind: "fail", status: "cancelled" }, ["scheduling 0", "running 0", "cancelling 0", "cancelled 0"], "idle"],
    [{ kind: "fail-then-finish" }, ["scheduling 0", "running 0", "failed 1", "running 1", "finished 1"], "active"],
    [
      { kind: "fail-then-finish", failures: 2, retryMs: 500 },
      ["scheduling 0", "running 0", "failed 1", "running 1", "failed 2", "running 2", "finished 2"],
      "active",
    ],
    [{ kind: "hang" }, ["scheduling 0", "running 0"], "idle"],
    [{ kind: "hang", status: "cancelling" }, ["scheduling 0", "cancelling 0"], "idle"],
    [{ kind: "backwards" }, ["scheduling 0", "running 0", "finished 0", "running 0", "finished 0"], "active"],
    [{ kind: "skip" }, ["scheduling 0", "running 0", "skipped 0"], "active"],
    [{ kind: "unknown-status" }, ["scheduling 0", "rebalancing 0", "finished 0"], "active"],
    [{ kind: "slow", operationMs: 10_000 }, ["scheduling 0", "running 0", "finished 0"], "active"],
  ])("%j", async (effect, statuses, state) => {
    const emulator = await openEmulator();
    emulator.admin.addFault({ on: "operation", action: "start_compute", effect });
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    const path = `{p}/operations/${body.operations[0]?.id}`;
    const seen: string[] = [];
    for (let ms = 0; ms < PATIENCE_MS; ms += 125) {
      const { operation } = (await emulator.call("GET", path)).body;
      const look = `${operation.status} ${operation.failures_count}`;
      if (seen.at(-1) !== look) seen.push(look);
      emulator.admin.advance(125);
    }
    expect(seen).toEqual(statuses);
    expect(emulator.admin.endpoint(emulator.endpointId).current_state).toBe(state);
  });

  it("tell why and when the platform tries again", async () => {
    const emulator = await openEmulator();
    const effect = { kind: "fail-then-finish", retryMs: 5000, error: "out of memory" } as const;
    emulator.admin.addFault({ on: "operation", effect });
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    emulator.admin.advance(1000);
    const { operation } = (await emulator.call("GET", `{p}/operations/${body.operations[0]?.id}`)).body;
    expect(operation).toMatchObject({ status: "failed", error: "out of memory", retry_at: "2024-05-01T10:00:06Z" });
  });

  it("vanish: 404 and not in the list, at once or later, while the work is done", async () => {
    const emulator = await openEmulator();
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "vanish", afterMs: 500 } });
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    const id = body.operations[0]?.id;
    const look = async () => (await emulator.call("GET", `{p}/operations/${id}`)).status;
    const list = async () => (await emulator.call("GET", "{p}/operations")).body.operations.map((one) => one.id);
    expect(await look()).toBe(200);
    emulator.admin.advance(500);
    expect(await look()).toBe(404);
    expect(await list()).not.toContain(id);
    emulator.admin.advance(500);
    expect(emulator.admin.endpoint(emulator.endpointId).current_state).toBe("active");
    emulator.admin.addFault({ on: "operation", effect: { kind: "vanish" } });
    const second = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/suspend`);
    expect(second.body.operations).toHaveLength(1);
    expect((await emulator.call("GET", `{p}/operations/${second.body.operations[0]?.id}`)).status).toBe(404);
  });

  it("carry an action that nobody knows, and do the work all the same", async () => {
    const emulator = await openEmulator();
    emulator.admin.addFault({ on: "operation", effect: { kind: "unknown-action", action: "defragment" } });
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    expect(body.operations[0]?.action).toBe("defragment");
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(emulator.endpointId).current_state).toBe("active");
  });

  it("hold the lock while they hang, and free it when they failed", async () => {
    const emulator = await openEmulator();
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "fail" } });
    emulator.admin.addFault({ on: "operation", effect: { kind: "hang" } });
    const path = `{p}/endpoints/${emulator.endpointId}/start`;
    await emulator.call("POST", path);
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(emulator.endpointId)).not.toHaveProperty("pending_state");
    expect((await emulator.call("POST", path)).status).toBe(200);
    emulator.admin.advance(86_400_000);
    expect((await emulator.call("POST", path)).status).toBe(423);
  });

  it("do not strike what is seeded", async () => {
    const { admin } = await openEmulator();
    admin.addFault({ on: "operation", count: 1, effect: { kind: "fail" } });
    const { branches } = admin.seedProject({ id: "calm-bay" });
    expect(admin.faults()).toMatchObject([{ matched: 0, struck: 0 }]);
    expect(branches).toMatchObject([{ current_state: "ready" }]);
    admin.startOperation({ projectId: "calm-bay", action: "check_availability" });
    expect(admin.faults()).toMatchObject([{ matched: 1, struck: 1 }]);
  });

  it("strike by endpoint, branch and action only what they name", async () => {
    const emulator = await openEmulator();
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: emulator.branchId, type: "read_only" });
    const effect = { kind: "skip" } as const;
    emulator.admin.addFault({ on: "operation", endpointId: id, branchId: emulator.branchId, effect });
    emulator.admin.addFault({ on: "operation", action: "suspend_compute", effect });
    for (const endpoint of [id, emulator.endpointId]) await emulator.call("POST", `{p}/endpoints/${endpoint}/start`);
    emulator.admin.advance(1000);
    const { operations } = emulator.admin.project(emulator.projectId);
    expect(operations.slice(0, 2).map(({ status }) => status)).toEqual(["finished", "skipped"]);
    expect(emulator.admin.faults().map(({ matched, struck }) => [matched, struck])).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });

  it.each<[string, object, object]>([
    ["a size", { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 }, { max_connections: 450 }],
    ["settings", { settings: { pg_settings: { work_mem: "8MB" } } }, { max_connections: 112 }],
  ])("leave a compute running as it was before a change of %s, until it is restarted", async (_, endpoint, after) => {
    const emulator = await openEmulator();
    const { admin, endpointId } = emulator;
    await emulator.call("POST", `{p}/endpoints/${endpointId}/start`);
    admin.advance(5000);
    for (const action of ["apply_config", "suspend_compute"]) {
      admin.addFault({ on: "operation", action, effect: { kind: "fail" } });
    }
    await emulator.call("PATCH", `{p}/endpoints/${endpointId}`, { json: { endpoint } });
    admin.advance(5000);
    expect(admin.endpoint(endpointId)).toMatchObject({
      current_state: "active",
      max_connections: 112,
      restart_due: true,
    });
    admin.clearFaults();
    await emulator.call("POST", `{p}/endpoints/${endpointId}/restart`);
    admin.advance(5000);
    expect(admin.endpoint(endpointId)).toMatchObject({ ...after, current_state: "active", restart_due: false });
  });
});
