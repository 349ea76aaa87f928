import { describe, expect, it } from "vitest";
import { freeBranch, type Opened, openEmulator, restingEndpoint } from "./support/open-emulator";

const actionsOf = (answer: { body: { operations: { action: string }[] } }) =>
  answer.body.operations.map(({ action }) => action);

async function patch(emulator: Opened, id: string, endpoint: object) {
  return emulator.call("PATCH", `{p}/endpoints/${id}`, { json: { endpoint } });
}

// Specification, sections 3.3 and 4.5.
describe("changes of a running endpoint", () => {
  const restart = ["apply_config", "suspend_compute", "start_compute"];
  it.each<[string, object, string[], number]>([
    ["a fixed size", { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 }, restart, 0],
    ["an autoscaling maximum", { autoscaling_limit_max_cu: 4 }, restart, 0],
    ["the autosuspend delay", { suspend_timeout_seconds: 60 }, ["apply_config"], 5],
    ["autosuspend switched off", { suspend_timeout_seconds: -1 }, ["apply_config"], 5],
    ["the pooler", { pooler_enabled: true, pooler_mode: "session" }, ["apply_config"], 5],
    ["Postgres settings", { settings: { pg_settings: { work_mem: "8MB" } } }, ["apply_config"], 5],
    ["passwordless access", { passwordless_access: false }, ["apply_config"], 5],
    ["the name", { name: "reporting" }, [], 5],
    ["nothing", {}, [], 5],
    ["what is so already", { autoscaling_limit_max_cu: 0.25, disabled: false, settings: { pg_settings: {} } }, [], 5],
    ["empty texts for what was left out", { pooler_mode: "", provisioner: "" }, [], 5],
  ])("%s", async (_name, change, actions, connections) => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, "active");
    emulator.admin.connect({ endpointId: id, connections: 5 });
    const answer = await patch(emulator, id, change);
    expect(answer.status).toBe(200);
    expect(actionsOf(answer)).toEqual(actions);
    const now = emulator.admin.endpoint(id);
    expect(now).toMatchObject({ connections, dropped_connections: 5 - connections });
    if (actions.length > 0) expect(now.pending_state).toBe("active");
    else expect(now).not.toHaveProperty("pending_state");
    emulator.admin.advance(3000);
    expect(emulator.admin.endpoint(id)).toMatchObject({ current_state: "active" });
    expect(emulator.admin.endpoint(id)).not.toHaveProperty("pending_state");
  });

  it("are in the record at once", async () => {
    const emulator = await openEmulator();
    const change = { autoscaling_limit_max_cu: 4, suspend_timeout_seconds: 60, name: "a", pooler_enabled: true };
    expect((await patch(emulator, emulator.endpointId, change)).body.endpoint).toMatchObject(change);
    expect((await emulator.call("GET", `{p}/endpoints/${emulator.endpointId}`)).body.endpoint).toMatchObject(change);
  });

  it("replace the map of Postgres settings", async () => {
    const emulator = await openEmulator();
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, {
      branch_id: freeBranch(emulator),
      settings: { pg_settings: { work_mem: "8MB" } },
    });
    const { body } = await patch(emulator, id, { settings: { pg_settings: {} } });
    expect(body.endpoint.settings).toEqual({ pg_settings: {} });
  });

  it("of an idle endpoint do not start it", async () => {
    const emulator = await openEmulator();
    const answer = await patch(emulator, emulator.endpointId, { autoscaling_limit_max_cu: 4 });
    expect(actionsOf(answer)).toEqual(["apply_config"]);
    expect(answer.body.endpoint).toMatchObject({ current_state: "idle", pending_state: "idle" });
  });

  it("let connections in while only the configuration is applied, and make them wait for a restart", async () => {
    const emulator = await openEmulator();
    const [one, two] = [restingEndpoint(emulator, "active"), restingEndpoint(emulator, "active")];
    await patch(emulator, one, { suspend_timeout_seconds: 60 });
    expect(emulator.admin.connect({ endpointId: one, connections: 1 })).toMatchObject({ connections: 1 });
    await patch(emulator, two, { autoscaling_limit_max_cu: 4 });
    expect(emulator.admin.connect({ endpointId: two, connections: 1 })).toMatchObject({ waiting_connections: 1 });
    emulator.admin.advance(3000);
    expect(emulator.admin.endpoint(two)).toMatchObject({ connections: 1, waiting_connections: 0 });
  });
});

describe("moves", () => {
  it("suspend the compute, keep its state at first, and free the old branch", async () => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, "active");
    const from = emulator.admin.endpoint(id).branch_id;
    const to = freeBranch(emulator);
    emulator.admin.connect({ endpointId: id, connections: 1 });
    const answer = await patch(emulator, id, { branch_id: to });
    expect(actionsOf(answer)).toEqual(["apply_config", "suspend_compute"]);
    expect(answer.body.endpoint).toMatchObject({ branch_id: to, current_state: "active", pending_state: "idle" });
    expect(emulator.admin.endpoint(id)).toMatchObject({ connections: 0, dropped_connections: 1 });
    expect((await emulator.call("GET", `{p}/branches/${from}/endpoints`)).body.endpoints).toEqual([]);
    expect((await emulator.call("GET", `{p}/branches/${to}/endpoints`)).body.endpoints).toHaveLength(1);
    emulator.admin.advance(2000);
    expect(emulator.admin.endpoint(id).current_state).toBe("idle");
  });

  it("return both operations for an idle endpoint, too", async () => {
    const emulator = await openEmulator();
    const answer = await patch(emulator, restingEndpoint(emulator), { branch_id: freeBranch(emulator) });
    expect(actionsOf(answer)).toEqual(["apply_config", "suspend_compute"]);
    expect(answer.body.endpoint).toMatchObject({ current_state: "idle", pending_state: "idle" });
  });

  it("are none when the endpoint's own branch is sent", async () => {
    const emulator = await openEmulator();
    const answer = await patch(emulator, emulator.endpointId, { branch_id: emulator.branchId });
    expect(answer.status).toBe(200);
    expect(actionsOf(answer)).toEqual([]);
  });

  type Rule = "no-endpoint" | "no-read-write";
  it.each<[Rule, "read_write" | "read_only", "nothing" | "replica" | "writer", number]>([
    ["no-endpoint", "read_write", "nothing", 200],
    ["no-endpoint", "read_write", "replica", 409],
    ["no-endpoint", "read_write", "writer", 409],
    ["no-endpoint", "read_only", "nothing", 200],
    ["no-endpoint", "read_only", "replica", 409],
    ["no-endpoint", "read_only", "writer", 409],
    ["no-read-write", "read_write", "nothing", 200],
    ["no-read-write", "read_write", "replica", 200],
    ["no-read-write", "read_write", "writer", 409],
    ["no-read-write", "read_only", "nothing", 200],
    ["no-read-write", "read_only", "replica", 200],
    ["no-read-write", "read_only", "writer", 409],
  ])("with rule %s: a %s endpoint onto a branch with %s answers %i", async (moveRule, type, target, status) => {
    const emulator = await openEmulator({ moveRule });
    const to = freeBranch(emulator);
    if (target === "replica") emulator.admin.seedEndpoint(emulator.projectId, { branch_id: to, type: "read_only" });
    if (target === "writer") emulator.admin.seedEndpoint(emulator.projectId, { branch_id: to });
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: freeBranch(emulator), type });
    const answer = await patch(emulator, id, { branch_id: to });
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body.code).toBe("ENDPOINTS_LIMIT_EXCEEDED");
  });

  it("onto a branch that does not exist answer 404", async () => {
    const emulator = await openEmulator();
    expect((await patch(emulator, emulator.endpointId, { branch_id: "br-none" })).status).toBe(404);
  });
});
