import { describe, expect, it } from "vitest";
import { openEmulator, restingEndpoint } from "./support/open-emulator";

const ID = /^[a-z0-9-]{1,60}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// Specification, section 2.
describe("records", () => {
  it("gives an operation the fields of specification, section 2.1", async () => {
    const emulator = await openEmulator();
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    expect(body.operations).toEqual([
      {
        id: expect.stringMatching(UUID),
        project_id: emulator.projectId,
        branch_id: emulator.branchId,
        endpoint_id: emulator.endpointId,
        action: "start_compute",
        status: "scheduling",
        failures_count: 0,
        total_duration_ms: 0,
        created_at: expect.stringMatching(TIME),
        updated_at: expect.stringMatching(TIME),
      },
    ]);
  });

  it("leaves the endpoint out of a create_branch operation", async () => {
    const emulator = await openEmulator();
    const { body, status } = await emulator.call("POST", "{p}/branches");
    expect(status).toBe(201);
    expect(body.operations).toHaveLength(1);
    expect(body.operations[0]?.action).toBe("create_branch");
    expect(body.operations[0]).not.toHaveProperty("endpoint_id");
    expect(body.operations[0]?.branch_id).toBe(body.branch.id);
  });

  it("gives an endpoint the fields of specification, section 2.3", async () => {
    const emulator = await openEmulator({ regionId: "aws-us-east-2", serviceDomain: "db.example" });
    const branch = emulator.admin.seedBranch(emulator.projectId);
    const { body } = await emulator.call("POST", "{p}/endpoints", {
      json: { endpoint: { branch_id: branch.id, type: "read_write" } },
    });
    const { endpoint } = body;
    expect(endpoint.id).toMatch(/^ep-/);
    expect(endpoint.id).toMatch(ID);
    expect(endpoint).toMatchObject({
      project_id: emulator.projectId,
      branch_id: branch.id,
      host: `${endpoint.id}.us-east-2.aws.db.example`,
      proxy_host: "us-east-2.aws.db.example",
      region_id: "aws-us-east-2",
      type: "read_write",
      current_state: "init",
      pending_state: "active",
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 0.25,
      suspend_timeout_seconds: 0,
      settings: { pg_settings: {} },
      pooler_enabled: false,
      pooler_mode: "transaction",
      disabled: false,
      passwordless_access: expect.any(Boolean),
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
    });
    expect(endpoint).not.toHaveProperty("last_active");
  });

  it("is born with a project, its primary branch and the read-write endpoint of that", async () => {
    const emulator = await openEmulator();
    expect((await emulator.call("GET", "{p}")).body.project.id).toBe("quiet-harbor-12345678");
    const { branches } = (await emulator.call("GET", "{p}/branches")).body;
    expect(branches).toEqual([expect.objectContaining({ id: "br-quiet-harbor-main", primary: true })]);
    const { endpoints } = (await emulator.call("GET", "{p}/endpoints")).body;
    expect(endpoints).toEqual([
      expect.objectContaining({ id: "ep-quiet-harbor-main", branch_id: "br-quiet-harbor-main", type: "read_write" }),
    ]);
    const { operations } = (await emulator.call("GET", "{p}/operations")).body;
    expect(operations).toEqual([expect.objectContaining({ action: "create_timeline", status: "finished" })]);
  });

  it("makes ids that fit the pattern and are the same in every run", async () => {
    const [one, two] = [await openEmulator({ seed: 7 }), await openEmulator({ seed: 7 })];
    const ids = Array.from({ length: 200 }, () => restingEndpoint(one));
    for (const id of ids) expect(id).toMatch(ID);
    expect(new Set(ids).size).toBe(200);
    expect(Array.from({ length: 200 }, () => restingEndpoint(two))).toEqual(ids);
  });

  it("surprises with fields, values and actions that nobody knows when told to", async () => {
    const emulator = await openEmulator({ surprise: true });
    const { body } = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`);
    expect(body.endpoint).toHaveProperty("x_placement");
    expect(body.endpoint).toHaveProperty("provisioner", "k8s-next");
    expect(body.operations.map((operation) => operation.action)).toEqual(["start_compute", "prewarm_cache"]);
    emulator.admin.advance(3000);
    const { operations } = (await emulator.call("GET", "{p}/operations")).body;
    expect(operations.every((operation) => operation.status === "finished")).toBe(true);
  });
});
