import { describe, expect, it } from "vitest";
import { freeBranch, type Opened, openEmulator, restingEndpoint } from "./support/open-emulator";

// Specification, sections 3.2 and 3.4.
describe("endpoint states", () => {
  it("a created endpoint goes from init to active by a start_compute operation", async () => {
    const emulator = await openEmulator();
    const { body } = await emulator.call("POST", "{p}/endpoints", {
      json: { endpoint: { branch_id: freeBranch(emulator), type: "read_write" } },
    });
    expect(body.endpoint).toMatchObject({ current_state: "init", pending_state: "active" });
    expect(body.operations.map(({ action }) => action)).toEqual(["start_compute"]);
    emulator.admin.advance(1000);
    const { endpoint } = (await emulator.call("GET", `{p}/endpoints/${body.endpoint.id}`)).body;
    expect(endpoint).toMatchObject({ current_state: "active", last_active: "2024-05-01T10:00:01Z" });
    expect(endpoint).not.toHaveProperty("pending_state");
  });

  it.each([
    { seconds: 0, suspendsAfter: 300 },
    { seconds: 1, suspendsAfter: 1 },
    { seconds: 60, suspendsAfter: 60 },
    { seconds: 604_800, suspendsAfter: 604_800 },
  ])("autosuspends after $suspendsAfter s when the delay is $seconds", async ({ seconds, suspendsAfter }) => {
    const emulator = await openEmulator();
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, {
      branch_id: freeBranch(emulator),
      current_state: "active",
      suspend_timeout_seconds: seconds,
    });
    emulator.admin.advance(suspendsAfter * 1000 - 1);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "active" });
    expect(emulator.admin.endpoint(id)).not.toHaveProperty("pending_state");
    emulator.admin.advance(1);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "active", pending_state: "idle" });
    expect(emulator.admin.project(emulator.projectId).operations[0]).toMatchObject({
      action: "suspend_compute",
      endpoint_id: id,
    });
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "idle", suspended_at: expect.any(String) });
  });

  it("never autosuspends with -1, until the delay is changed", async () => {
    const emulator = await openEmulator();
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, {
      branch_id: freeBranch(emulator),
      current_state: "active",
      suspend_timeout_seconds: -1,
    });
    emulator.admin.advance(30 * 86_400_000);
    expect(emulator.admin.endpoint(id).current_state).toBe("active");
    await emulator.call("PATCH", `{p}/endpoints/${id}`, { json: { endpoint: { suspend_timeout_seconds: 60 } } });
    emulator.admin.advance(3000);
    emulator.admin.advance(60_000);
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(id).current_state).toBe("idle");
  });

  it.each([
    ["becomes active", "idle", {}, { current_state: "active" }],
    ["gets a delay", "active", { suspend_timeout_seconds: -1 }, { suspend_timeout_seconds: 300 }],
  ] as const)("autosuspends when it %s behind everybody's back", async (_, current_state, fields, changes) => {
    const emulator = await openEmulator();
    const { admin } = emulator;
    const branch_id = freeBranch(emulator);
    const { id } = admin.seedEndpoint(emulator.projectId, { branch_id, current_state, ...fields });
    admin.changeEndpoint(id, changes);
    admin.advance(299_000);
    expect(admin.endpoint(id).current_state).toBe("active");
    admin.advance(2000);
    expect(admin.endpoint(id).current_state).toBe("idle");
  });

  it("counts the delay from the last access, and not at all while a connection is held", async () => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, "active");
    emulator.admin.advance(200_000);
    emulator.admin.connect({ endpointId: id });
    emulator.admin.advance(299_999);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "active" });
    emulator.admin.connect({ endpointId: id, connections: 2 });
    emulator.admin.advance(86_400_000);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "active", connections: 2 });
    emulator.admin.disconnect({ endpointId: id });
    emulator.admin.advance(301_000);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "idle", connections: 0 });
  });

  it.each([
    ["by a suspend", (emulator: Opened, id: string) => emulator.call("POST", `{p}/endpoints/${id}/suspend`)],
    ["by itself", (emulator: Opened, id: string) => emulator.admin.disconnect({ endpointId: id })],
  ])("autosuspends after another delay where it could not be suspended %s", async (_, begin) => {
    const emulator = await openEmulator();
    const { admin } = emulator;
    const id = restingEndpoint(emulator, "active");
    admin.connect({ endpointId: id, connections: 1 });
    admin.advance(400_000);
    admin.addFault({ on: "operation", action: "suspend_compute", effect: { kind: "fail" } });
    await begin(emulator, id);
    admin.advance(300_500);
    expect(admin.endpoint(id)).toMatchObject({ current_state: "active", connections: 0 });
    expect(admin.faults()).toMatchObject([{ struck: 1 }]);
    admin.clearFaults();
    admin.advance(302_000);
    expect(admin.endpoint(id).current_state).toBe("idle");
  });

  it("wakes on the first access", async () => {
    const emulator = await openEmulator();
    const woken = emulator.admin.connect({ endpointId: emulator.endpointId, connections: 3 });
    expect(woken).toMatchObject({
      current_state: "idle",
      pending_state: "active",
      connections: 0,
      waiting_connections: 3,
    });
    expect(emulator.admin.project(emulator.projectId).operations[0]?.action).toBe("start_compute");
    emulator.admin.connect({ endpointId: emulator.endpointId, connections: 1 });
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(emulator.endpointId)).toMatchObject({ current_state: "active", connections: 4 });
    expect(emulator.admin.project(emulator.projectId).operations).toHaveLength(2);
  });

  it("wakes again an endpoint that is just being suspended", async () => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, "active");
    await emulator.call("POST", `{p}/endpoints/${id}/suspend`);
    emulator.admin.connect({ endpointId: id, connections: 1 });
    emulator.admin.advance(2000);
    expect(emulator.admin.endpoint(id)).toMatchObject({
      current_state: "active",
      connections: 1,
      waiting_connections: 0,
    });
  });

  it("stops when disabled, refuses connections and a start, and is idle when enabled again", async () => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, "active");
    emulator.admin.connect({ endpointId: id, connections: 2 });
    const disabled = await emulator.call("PATCH", `{p}/endpoints/${id}`, { json: { endpoint: { disabled: true } } });
    expect(disabled.body.operations.map(({ action }) => action)).toEqual(["apply_config", "suspend_compute"]);
    expect(disabled.body.endpoint).toMatchObject({ disabled: true, pending_state: "stopped" });
    emulator.admin.advance(2000);
    expect(emulator.admin.endpoint(id)).toMatchObject({
      current_state: "stopped",
      connections: 0,
      dropped_connections: 2,
    });
    expect(() => emulator.admin.connect({ endpointId: id })).toThrow(/disabled/);
    expect((await emulator.call("POST", `{p}/endpoints/${id}/start`)).status).toBe(406);
    expect((await emulator.call("POST", `{p}/endpoints/${id}/restart`)).status).toBe(406);
    await emulator.call("PATCH", `{p}/endpoints/${id}`, { json: { endpoint: { disabled: false } } });
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(id).current_state).toBe("idle");
  });

  it("has nobody wait for it any more once it was disabled while it started", async () => {
    const { admin, endpointId } = await openEmulator();
    admin.connect({ endpointId, connections: 2 });
    admin.changeEndpoint(endpointId, { disabled: true });
    admin.advance(1000);
    expect(admin.endpoint(endpointId)).toMatchObject({ connections: 0, waiting_connections: 0 });
  });

  it("is stopped from the start when created disabled", async () => {
    const emulator = await openEmulator();
    const { body } = await emulator.call("POST", "{p}/endpoints", {
      json: { endpoint: { branch_id: freeBranch(emulator), type: "read_write", disabled: true } },
    });
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(body.endpoint.id).current_state).toBe("stopped");
  });

  it.each([
    ["suspend", "active", ["suspend_compute"], "idle"],
    ["suspend", "idle", [], "idle"],
    ["start", "idle", ["start_compute"], "active"],
    ["start", "active", [], "active"],
    ["restart", "active", ["suspend_compute", "start_compute"], "active"],
    ["restart", "idle", ["start_compute"], "active"],
  ] as const)("%s of an %s endpoint", async (verb, state, actions, after) => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, state);
    const { status, body } = await emulator.call("POST", `{p}/endpoints/${id}/${verb}`);
    expect(status).toBe(200);
    expect(body.operations.map(({ action }) => action)).toEqual(actions);
    emulator.admin.advance(2000);
    expect(emulator.admin.endpoint(id).current_state).toBe(after);
  });

  it("has no restart call on an older platform", async () => {
    const emulator = await openEmulator({ restartCall: false });
    expect((await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/restart`)).status).toBe(404);
  });
});
