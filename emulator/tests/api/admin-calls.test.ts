import { describe, expect, it } from "vitest";
import { openEmulator, restingEndpoint, START } from "./support/open-emulator";

describe("admin calls", () => {
  it("seed projects, branches, endpoints, fleets and operations", async () => {
    const emulator = await openEmulator();
    const p = `/projects/${emulator.projectId}`;
    const seeds: [string, object | undefined][] = [
      ["/projects", { id: "calm-bay", plan: "free", endpoint: false }],
      ["/projects", undefined],
      [`${p}/branches`, { id: "br-one", name: "one", endpoint: { id: "ep-one", autoscaling_limit_max_cu: 2 } }],
      [`${p}/endpoints`, { branch_id: "br-one", type: "read_only", current_state: "active" }],
      [`${p}/fleet`, { count: 3 }],
      [`${p}/fleet`, { count: 2, type: "read_only" }],
      [`${p}/operations`, { action: "check_availability", count: 4 }],
    ];
    for (const [path, json] of seeds) expect((await emulator.admin_("POST", path, json)).status).toBe(201);
    const { projects } = emulator.admin.state();
    const counts = projects.map(({ branches, endpoints, operations }) => [
      branches.length,
      endpoints.length,
      operations.length,
    ]);
    expect(counts).toEqual([
      [5, 8, 5],
      [1, 0, 1],
      [1, 1, 1],
    ]);
    expect(projects.map(({ plan }) => plan)).toEqual(["paid", "free", "paid"]);
    expect(emulator.admin.endpoint("ep-one").autoscaling_limit_max_cu).toBe(2);
  });

  it.each([
    ["/projects", { id: "quiet-harbor-12345678" }, 409],
    ["/projects", { id: "Not An Id" }, 400],
    ["/projects", { branchId: "main" }, 400],
    ["/projects", { typo: 1 }, 400],
    ["/projects", { endpoint: { autoscaling_limit_max_cu: 9 } }, 400],
    ["/projects/none/branches", {}, 404],
    ["/projects/quiet-harbor-12345678/branches", { parentId: "br-none" }, 404],
    ["/projects/quiet-harbor-12345678/endpoints", { branch_id: "br-quiet-harbor-main" }, 409],
    ["/projects/quiet-harbor-12345678/endpoints", { branch_id: "br-quiet-harbor-main", dissabled: true }, 400],
    ["/projects/quiet-harbor-12345678/fleet", { count: 0 }, 400],
    ["/projects/quiet-harbor-12345678/operations", { action: "" }, 400],
    ["/clock", { mode: "slow" }, 400],
    ["/clock", { advanceMs: 1e15 }, 400],
    ["/clock", { advanceMs: -1e15 }, 400],
    ["/clock", { at: -1 }, 400],
    ["/faults", { effect: { kind: "fire" } }, 400],
    ["/faults", { path: "operations", effect: { kind: "reset" } }, 400],
    ["/faults", { path: `*${"*a".repeat(600)}`, effect: { kind: "reset" } }, 400],
    ["/faults", { on: "operation", effect: { kind: "reset" } }, 400],
    ["/endpoints/ep-none/connect", {}, 404],
    ["/endpoints/ep-quiet-harbor-main/connect", { connections: -1 }, 400],
    ["/endpoints/ep-quiet-harbor-main/connect", { connections: 113 }, 429],
    ["/refuse", {}, 400],
    ["/nothing", {}, 404],
  ])("POST %s %j is refused with %i", async (path, json, status) => {
    const emulator = await openEmulator();
    const before = JSON.stringify(emulator.admin.state());
    const answer = await emulator.admin_("POST", path, json);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ message: expect.any(String) });
    expect(JSON.stringify(emulator.admin.state())).toBe(before);
  });

  it("steer the clock", async () => {
    const emulator = await openEmulator();
    expect((await emulator.admin_("POST", "/clock", { advanceMs: 5000 })).body).toEqual({
      mode: "manual",
      now: START + 5000,
    });
    expect((await emulator.admin_("POST", "/clock", { mode: "manual", at: 1e12 })).body).toMatchObject({ now: 1e12 });
    expect((await emulator.admin_("POST", "/clock", { mode: "real" })).body).toMatchObject({ mode: "real" });
    expect((await emulator.admin_("GET", "/clock")).body).toMatchObject({ mode: "real" });
  });

  it("connect and disconnect", async () => {
    const emulator = await openEmulator();
    const path = `/endpoints/${emulator.endpointId}`;
    expect((await emulator.admin_("POST", `${path}/connect`, { connections: 2 })).body.endpoint).toMatchObject({
      waiting_connections: 2,
    });
    await emulator.admin_("POST", "/clock", { advanceMs: 1000 });
    expect((await emulator.admin_("GET", path)).body.endpoint).toMatchObject({ connections: 2 });
    await emulator.admin_("POST", `${path}/disconnect`, { connections: 0 });
    expect(emulator.admin.endpoint(emulator.endpointId).connections).toBe(2);
    await emulator.admin_("POST", `${path}/disconnect`, { connections: 1 });
    expect(emulator.admin.endpoint(emulator.endpointId).connections).toBe(1);
    await emulator.admin_("POST", `${path}/disconnect`);
    expect(emulator.admin.endpoint(emulator.endpointId).connections).toBe(0);
  });

  it("interfere behind everybody's back, without an operation", async () => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator);
    const branchId = emulator.admin.endpoint(id).branch_id;
    const drift = { suspend_timeout_seconds: 77, current_state: "active" };
    expect((await emulator.admin_("PATCH", `/endpoints/${emulator.endpointId}`, drift)).body.endpoint).toMatchObject(
      drift,
    );
    expect((await emulator.admin_("DELETE", `/projects/${emulator.projectId}/branches/${branchId}`)).status).toBe(200);
    expect((await emulator.admin_("DELETE", `/endpoints/${id}`)).status).toBe(404);
    expect((await emulator.admin_("DELETE", `/endpoints/${emulator.endpointId}`)).status).toBe(200);
    const project = emulator.admin.project(emulator.projectId);
    expect(project).toMatchObject({
      endpoints: [],
      operations: [expect.objectContaining({ action: "create_timeline" })],
    });
    expect((await emulator.admin_("DELETE", `/projects/${emulator.projectId}`)).status).toBe(200);
  });

  it("give the log and the counts of the API's calls, and no others", async () => {
    const emulator = await openEmulator();
    await emulator.call("GET", "{p}/operations?limit=5");
    await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, { json: { endpoint: {} } });
    await emulator.call("GET", "/nowhere");
    expect((await emulator.admin_("GET", "/counts")).body).toEqual({
      total: 3,
      byRoute: { "operations.list": 1, "endpoints.update": 1, unknown: 1 },
      byStatus: { 200: 2, 404: 1 },
    });
    const { body } = await emulator.admin_("GET", "/log?route=endpoints.update");
    expect(body).toEqual({
      log: [
        {
          sequence: 2,
          at: START,
          method: "PATCH",
          route: "endpoints.update",
          path: `/api/v2/projects/${emulator.projectId}/endpoints/${emulator.endpointId}`,
          status: 200,
          durationMs: expect.any(Number),
          requestBytes: 15,
          answerBytes: expect.any(Number),
          faults: [],
        },
      ],
    });
    expect(emulator.admin.log({ after: 2 })).toHaveLength(1);
    expect(emulator.admin.log({ status: 404, method: "get" })).toHaveLength(1);
    await emulator.admin_("DELETE", "/log");
    expect(emulator.admin.counts()).toEqual({ total: 0, byRoute: {}, byStatus: {} });
  });

  it("keep a bounded log and count all", async () => {
    const emulator = await openEmulator({ logLimit: 4 });
    for (let call = 0; call < 12; call++) await emulator.call("GET", "{p}");
    expect(emulator.admin.log().map(({ sequence }) => sequence)).toEqual([9, 10, 11, 12]);
    expect(emulator.admin.counts().total).toBe(12);
  });

  it("add, list and remove faults", async () => {
    const emulator = await openEmulator();
    const fault = { route: "projects.get", count: 1, effect: { kind: "status", status: 503 } };
    const added = await emulator.admin_("POST", "/faults", fault);
    expect(added.body).toEqual({ id: "fault-1" });
    expect((await emulator.call("GET", "{p}")).status).toBe(503);
    expect((await emulator.admin_("GET", "/faults")).body).toEqual({
      faults: [{ id: "fault-1", matched: 1, struck: 1, fault }],
    });
    expect((await emulator.admin_("DELETE", "/faults/fault-1")).status).toBe(200);
    expect((await emulator.admin_("DELETE", "/faults/fault-1")).status).toBe(404);
    await emulator.admin_("POST", "/faults", fault);
    await emulator.admin_("DELETE", "/faults");
    expect(emulator.admin.faults()).toEqual([]);
  });

  it("change settings", async () => {
    const emulator = await openEmulator();
    const changed = await emulator.admin_("PATCH", "/settings", { lock: "project", operationMs: 5, maxCu: 56 });
    expect(changed.body).toMatchObject({ lock: "project", operationMs: 5, maxCu: 56, plan: "paid" });
    expect((await emulator.admin_("GET", "/settings")).body).toEqual(changed.body);
    expect((await emulator.admin_("PATCH", "/settings", { lokc: "none" })).status).toBe(400);
  });

  it("return everything to the seed on reset", async () => {
    const emulator = await openEmulator();
    const before = emulator.admin.state();
    await emulator.call("POST", "{p}/branches", { json: { endpoints: [{ type: "read_write" }] } });
    emulator.admin.addFault({ effect: { kind: "reset" } });
    emulator.admin.configure({ plan: "free", operationMs: 9 });
    emulator.admin.advance(1234);
    expect((await emulator.admin_("POST", "/reset")).status).toBe(200);
    expect(emulator.admin.state()).toEqual(before);
    expect(emulator.admin.settings()).toMatchObject({ plan: "paid", operationMs: 1000 });
    expect(emulator.admin.faults()).toEqual([]);
    expect(emulator.admin.counts().total).toBe(0);
  });

  it("cut down the operations of the state", async () => {
    const emulator = await openEmulator();
    emulator.admin.startOperation({ projectId: emulator.projectId, action: "check_availability", count: 9 });
    const { body } = await emulator.admin_("GET", "/state?operations=2");
    expect(body).toMatchObject({ projects: [{ operations: [{}, {}] }] });
  });
});
