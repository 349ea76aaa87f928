import { describe, expect, it } from "vitest";
import { freeBranch, openEmulator, restingEndpoint } from "./support/open-emulator";

// What platforms of the family differ in: each is a setting.
describe("a platform", () => {
  it("whose operations tell no duration", async () => {
    const emulator = await openEmulator({ operationDurations: false });
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    emulator.admin.advance(1000);
    const { operation } = (await emulator.call("GET", `{p}/operations/${body.operations[0]?.id}`)).body;
    expect(operation.status).toBe("finished");
    for (const one of [body.operations[0], operation]) expect(one).not.toHaveProperty("total_duration_ms");
  });

  it("whose changes run at once", async () => {
    const emulator = await openEmulator({ firstOperation: "running" });
    const id = restingEndpoint(emulator, "active");
    const { body } = await emulator.call("POST", `{p}/endpoints/${id}/restart`);
    expect(body.operations.map(({ status }) => status)).toEqual(["running", "scheduling"]);
    const statuses = () => emulator.admin.project(emulator.projectId).operations.map((one) => one.status);
    emulator.admin.advance(999);
    expect(statuses().slice(0, 2)).toEqual(["scheduling", "running"]);
    emulator.admin.advance(1);
    expect(statuses().slice(0, 2)).toEqual(["scheduling", "finished"]);
    emulator.admin.advance(1000);
    expect(statuses().slice(0, 2)).toEqual(["finished", "finished"]);
    const { operations } = (await emulator.call("GET", "{p}/operations?limit=1")).body;
    expect(operations[0]?.total_duration_ms).toBe(2000);
  });

  it("on which faults of operations that run at once are the same", async () => {
    const emulator = await openEmulator({ firstOperation: "running" });
    emulator.admin.addFault({ on: "operation", effect: { kind: "fail", error: "no room" } });
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    expect(body.operations[0]).toMatchObject({ status: "running" });
    emulator.admin.advance(1000);
    const { operation } = (await emulator.call("GET", `{p}/operations/${body.operations[0]?.id}`)).body;
    expect(operation).toMatchObject({ status: "failed", error: "no room" });
  });

  it("without the state stopped", async () => {
    const emulator = await openEmulator({ disabledState: "idle" });
    const id = restingEndpoint(emulator, "active");
    const disable = { json: { endpoint: { disabled: true } } };
    expect((await emulator.call("PATCH", `{p}/endpoints/${id}`, disable)).body.endpoint.pending_state).toBe("idle");
    emulator.admin.advance(2000);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "idle", disabled: true });
    const born = { branch_id: freeBranch(emulator), type: "read_write", disabled: true };
    const { body } = await emulator.call("POST", "{p}/endpoints", { json: { endpoint: born } });
    expect(body.endpoint.pending_state).toBe("idle");
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(body.endpoint.id).current_state).toBe("idle");
    expect((await emulator.call("POST", `{p}/endpoints/${id}/start`)).status).toBe(406);
  });

  it.each([false, true])(
    "that wakes an endpoint for a change and suspends it again (disabled: %s)",
    async (disabled) => {
      const emulator = await openEmulator({ idleChange: "start-and-suspend" });
      const branch_id = freeBranch(emulator);
      const { id, current_state } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id, disabled });
      const json = { endpoint: { suspend_timeout_seconds: 60 } };
      const { body } = await emulator.call("PATCH", `{p}/endpoints/${id}`, { json });
      expect(body.operations.map(({ action }) => action)).toEqual(["apply_config", "suspend_compute"]);
      expect(body.endpoint).toMatchObject({ current_state, pending_state: current_state });
      emulator.admin.advance(250);
      expect(emulator.admin.endpoint(id).current_state).toBe("active");
      emulator.admin.advance(2000);
      expect(emulator.admin.endpoint(id)).toMatchObject({ current_state, suspend_timeout_seconds: 60 });
      expect(emulator.admin.endpoint(id)).not.toHaveProperty("pending_state");
    },
  );

  it("that keeps no names of endpoints", async () => {
    const emulator = await openEmulator({ endpointNames: false });
    const endpoint = { branch_id: freeBranch(emulator), type: "read_write", name: "mine" };
    const { status, body } = await emulator.call("POST", "{p}/endpoints", { json: { endpoint } });
    expect(status).toBe(201);
    const path = `{p}/endpoints/${body.endpoint.id}`;
    emulator.admin.advance(1000);
    const renamed = await emulator.call("PATCH", path, { json: { endpoint: { name: "other" } } });
    for (const one of [body, renamed.body, (await emulator.call("GET", path)).body])
      expect(one.endpoint).not.toHaveProperty("name");
    expect((await emulator.call("GET", "{p}/endpoints")).text).not.toContain('"name"');
  });

  it("whose answers tell the time of its own clock, or none", async () => {
    const emulator = await openEmulator();
    emulator.admin.advance(86_400_000);
    const dateOf = async (path: string) => (await emulator.call("GET", path)).headers.get("date");
    expect(await dateOf("{p}")).toBe(new Date(emulator.admin.now()).toUTCString());
    expect(await dateOf("{p}/endpoints/ep-none")).toBe(new Date(emulator.admin.now()).toUTCString());
    emulator.admin.configure({ dateHeader: false });
    expect(await dateOf("{p}")).toBeNull();
    emulator.admin.configure({ dateHeader: true });
    expect(await dateOf("{p}")).not.toBeNull();
  });

  it("whose answers show settings as {}", async () => {
    const emulator = await openEmulator({ emptySettings: true });
    const endpoint = { settings: { pg_settings: { work_mem: "8MB" } } };
    const path = `{p}/endpoints/${emulator.endpointId}`;
    expect((await emulator.call("PATCH", path, { json: { endpoint } })).body.endpoint.settings).toEqual({});
    expect(emulator.admin.endpoint(emulator.endpointId)).toMatchObject(endpoint);
  });

  it("that takes fields and does nothing with them", async () => {
    const emulator = await openEmulator({ ignoredFields: ["passwordless_access", "branch_id"] });
    const endpoint = { branch_id: freeBranch(emulator), type: "read_write", passwordless_access: false };
    const { body } = await emulator.call("POST", "{p}/endpoints", { json: { endpoint } });
    expect(body.endpoint).toMatchObject({ branch_id: endpoint.branch_id, passwordless_access: true });
    emulator.admin.advance(1000);
    const json = { endpoint: { branch_id: freeBranch(emulator), passwordless_access: false } };
    const updated = await emulator.call("PATCH", `{p}/endpoints/${body.endpoint.id}`, { json });
    expect(updated.body).toMatchObject({ endpoint: { branch_id: endpoint.branch_id }, operations: [] });
    const wrong = { endpoint: { passwordless_access: "maybe" } };
    expect((await emulator.call("PATCH", `{p}/endpoints/${body.endpoint.id}`, { json: wrong })).status).toBe(400);
  });

  describe("that has removed what is deprecated", () => {
    const deprecated = [
      { pooler_enabled: true },
      { pooler_mode: "transaction" },
      { settings: { pg_settings: {}, pgbouncer_settings: { a: "b" } } },
    ];

    it.each(["refused", "ignored"] as const)("does not show it (%s)", async (removedFields) => {
      const emulator = await openEmulator({ removedFields });
      emulator.admin.changeEndpoint(emulator.endpointId, {
        pooler_enabled: true,
        settings: { pgbouncer_settings: {} },
      });
      const { endpoint } = (await emulator.call("GET", `{p}/endpoints/${emulator.endpointId}`)).body;
      for (const field of ["pooler_enabled", "pooler_mode", "proxy_host"]) expect(endpoint).not.toHaveProperty(field);
      expect(endpoint.settings).toEqual({ pg_settings: {} });
      const { branch } = (await emulator.call("GET", `{p}/branches/${emulator.branchId}`)).body;
      for (const field of ["primary", "cpu_used_sec"]) expect(branch).not.toHaveProperty(field);
      expect(branch.default).toBe(true);
    });

    it.each([...deprecated, { branch_id: "br-quiet-harbor-main" }])("refuses %j", async (endpoint) => {
      for (const unknownFields of ["refuse", "accept"] as const) {
        const emulator = await openEmulator({ removedFields: "refused", unknownFields });
        const json = { endpoint };
        const updated = await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, { json });
        expect(updated.status).toBe(400);
        expect(updated.body.message).toMatch(/^endpoint\.[a-z_.]+: unknown field$/);
      }
    });

    it.each(deprecated)("or takes %j and forgets it", async (endpoint) => {
      const emulator = await openEmulator({ removedFields: "ignored" });
      const before = emulator.admin.endpoint(emulator.endpointId);
      const json = { endpoint: { ...endpoint, branch_id: freeBranch(emulator) } };
      const updated = await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, { json });
      expect(updated.body.operations).toEqual([]);
      expect(emulator.admin.endpoint(emulator.endpointId)).toEqual(before);
    });
  });

  it("that asks for pg_settings", async () => {
    const emulator = await openEmulator({ pgSettingsRequired: true });
    const endpoint = { branch_id: freeBranch(emulator), type: "read_write", settings: {} };
    const created = await emulator.call("POST", "{p}/endpoints", { json: { endpoint } });
    const json = { endpoint: { settings: {} } };
    for (const { status, body } of [
      created,
      await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, { json }),
    ]) {
      expect(status).toBe(400);
      expect(body.message).toContain("endpoint.settings.pg_settings: required");
    }
  });

  it("that does not ask for pg_settings keeps those that are there", async () => {
    const emulator = await openEmulator({ lock: "none" });
    const patch = async (settings: object) =>
      (await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, { json: { endpoint: { settings } } })).body;
    await patch({ pg_settings: { work_mem: "8MB" }, preload_libraries: { use_defaults: true } });
    const { endpoint } = await patch({});
    expect(endpoint.settings).toEqual({ pg_settings: { work_mem: "8MB" } });
    expect((await patch({})).operations).toEqual([]);
    expect((await patch({ pg_settings: {} })).endpoint.settings).toEqual({ pg_settings: {} });
  });

  it("that accepts fields it does not know", async () => {
    const emulator = await openEmulator({ unknownFields: "accept" });
    const endpoint = { branch_id: freeBranch(emulator), type: "read_write", colour: "red", settings: { shade: 1 } };
    const { status, text } = await emulator.call("POST", "{p}/endpoints", { json: { endpoint, extra: 1 } });
    expect(status).toBe(201);
    expect(text).not.toMatch(/colour|shade|extra/);
  });
});

describe("today's public platform", () => {
  const create = async (options: object, fields: object) => {
    const emulator = await openEmulator({ platform: "neon", ...options });
    const endpoint = { branch_id: freeBranch(emulator), type: "read_write", ...fields };
    return { emulator, answer: await emulator.call("POST", "{p}/endpoints", { json: { endpoint } }) };
  };
  const size = (min: number, max = min) => ({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });

  it.each([
    ["free", size(2), 201],
    ["free", size(0.25, 2), 201],
    ["free", size(3), 400],
    ["free", { suspend_timeout_seconds: 300 }, 201],
    ["free", { suspend_timeout_seconds: -1 }, 400],
    ["launch", size(8, 16), 201],
    ["launch", size(18), 400],
    ["launch", { suspend_timeout_seconds: -1 }, 201],
    ["launch", { suspend_timeout_seconds: 600 }, 400],
    ["scale", size(56), 201],
    ["scale", size(12, 18), 400],
    ["scale", { suspend_timeout_seconds: 59 }, 400],
    ["paid", size(56), 201],
  ] as const)("on its %s plan answers a create with %j", async (plan, fields, status) => {
    expect((await create({ plan }, fields)).answer.status).toBe(status);
  });

  it("has the larger size's connections, never suspends it, and can be told otherwise", async () => {
    const { emulator, answer } = await create({}, { ...size(18), suspend_timeout_seconds: 60 });
    const { id } = answer.body.endpoint;
    emulator.admin.advance(10_000_000);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "active", max_connections: 4000 });
    emulator.admin.configure({ connectionsBy: "minimum", alwaysActiveAboveCu: 56 });
    const small = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: freeBranch(emulator), ...size(1, 4) });
    expect(small.max_connections).toBe(450);
    emulator.admin.configure({ platform: "neon" });
    expect(emulator.admin.endpoint(small.id).max_connections).toBe(1678);
  });

  it.each([
    ["skipped", "skipped"],
    ["failed", "failed"],
  ] as const)("ends the start of one compute too many as %s", async (activeLimit, status) => {
    const emulator = await openEmulator({ platform: "neon", activeComputes: 2, activeLimit });
    const made = [];
    for (let count = 0; count < 3; count++) {
      const endpoint = { branch_id: freeBranch(emulator), type: "read_write" };
      made.push((await emulator.call("POST", "{p}/endpoints", { json: { endpoint } })).body);
      emulator.admin.advance(1000);
    }
    const { operation } = (await emulator.call("GET", `{p}/operations/${made[2]?.operations[0]?.id}`)).body;
    expect(operation.status).toBe(status);
    const states = made.map(({ endpoint }) => emulator.admin.endpoint(endpoint.id).current_state);
    expect(states).toEqual(["active", "active", "idle"]);
    expect((await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`)).status).toBe(200);
    emulator.admin.advance(1000);
    expect(emulator.admin.endpoint(emulator.endpointId).current_state).toBe("active");
  });
});
