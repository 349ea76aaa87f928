import { describe, expect, it } from "vitest";
import { freeBranch, openEmulator, restingEndpoint } from "./support/open-emulator";

// Specification, sections 1, 4.3, 4.4, 4.6 and 4.7.
describe("create", () => {
  it("takes every field", async () => {
    const emulator = await openEmulator();
    const fields = {
      branch_id: freeBranch(emulator),
      type: "read_only",
      region_id: "aws-eu-central-1",
      name: "reports",
      autoscaling_limit_min_cu: 0.5,
      autoscaling_limit_max_cu: 3,
      suspend_timeout_seconds: 120,
      pooler_enabled: true,
      pooler_mode: "transaction",
      disabled: false,
      passwordless_access: false,
      provisioner: "k8s-pod",
      settings: { pg_settings: { work_mem: "8MB" }, preload_libraries: { use_defaults: true } },
    };
    const answer = await emulator.call("POST", "{p}/endpoints", { json: { endpoint: fields } });
    expect(answer.status).toBe(201);
    expect(answer.body.endpoint).toMatchObject(fields);
  });

  it("takes empty texts for what was left out", async () => {
    const emulator = await openEmulator();
    const endpoint = {
      branch_id: freeBranch(emulator),
      type: "read_write",
      region_id: "",
      pooler_mode: "",
      provisioner: "",
    };
    const answer = await emulator.call("POST", "{p}/endpoints", { json: { endpoint } });
    expect(answer.status).toBe(201);
    expect(answer.body.endpoint).toMatchObject({ region_id: "aws-eu-central-1", pooler_mode: "transaction" });
  });

  it("allows one read-write endpoint a branch and many replicas", async () => {
    const emulator = await openEmulator();
    const create = (type: string) =>
      emulator.call("POST", "{p}/endpoints", { json: { endpoint: { branch_id: emulator.branchId, type } } });
    const second = await create("read_write");
    expect(second.status).toBe(409);
    expect(second.body.code).toBe("ENDPOINTS_LIMIT_EXCEEDED");
    expect(second.body.message).toContain("read_write endpoint already exists");
    for (let replica = 0; replica < 3; replica++) expect((await create("read_only")).status).toBe(201);
    expect((await emulator.call("GET", `{p}/branches/${emulator.branchId}/endpoints`)).body.endpoints).toHaveLength(4);
  });

  it("answers 404 for an unknown branch or project", async () => {
    const emulator = await openEmulator();
    const json = { endpoint: { branch_id: "br-none", type: "read_write" } };
    expect((await emulator.call("POST", "{p}/endpoints", { json })).status).toBe(404);
    expect((await emulator.call("POST", "/projects/none/endpoints", { json })).status).toBe(404);
  });
});

describe("delete", () => {
  it.each([
    ["idle", []],
    ["active", ["suspend_compute"]],
  ] as const)("of an %s endpoint returns it with its operations", async (state, actions) => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, state);
    const { status, body } = await emulator.call("DELETE", `{p}/endpoints/${id}`);
    expect(status).toBe(200);
    expect(body.endpoint.id).toBe(id);
    expect(body.operations.map(({ action }) => action)).toEqual(actions);
    expect((await emulator.call("GET", `{p}/endpoints/${id}`)).status).toBe(404);
    emulator.admin.advance(1000);
    expect(emulator.admin.project(emulator.projectId).operations[0]?.status).toBe("finished");
  });

  it("frees the branch", async () => {
    const emulator = await openEmulator();
    const id = restingEndpoint(emulator, "active");
    const branchId = emulator.admin.endpoint(id).branch_id;
    await emulator.call("DELETE", `{p}/endpoints/${id}`);
    const json = { endpoint: { branch_id: branchId, type: "read_write" } };
    expect((await emulator.call("POST", "{p}/endpoints", { json })).status).toBe(201);
  });

  it("is refused with 422 for the read-write endpoint of a root branch, not for its replicas", async () => {
    const emulator = await openEmulator();
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: emulator.branchId, type: "read_only" });
    expect((await emulator.call("DELETE", `{p}/endpoints/${emulator.endpointId}`)).status).toBe(422);
    expect((await emulator.call("DELETE", `{p}/endpoints/${id}`)).status).toBe(200);
  });

  it.each([
    [404, /not found/],
    [204, /^$/],
  ] as const)("of what is gone answers %i", async (goneStatus, text) => {
    const emulator = await openEmulator({ goneStatus });
    const answer = await emulator.call("DELETE", "{p}/endpoints/ep-gone");
    expect(answer.status).toBe(goneStatus);
    expect(answer.text).toMatch(text);
  });
});

describe("branches", () => {
  it("grow from the primary branch, or from the one named, with the endpoints asked for", async () => {
    const emulator = await openEmulator();
    const { status, body } = await emulator.call("POST", "{p}/branches", {
      json: {
        branch: { name: "preview", parent_id: emulator.branchId },
        endpoints: [{ type: "read_write", autoscaling_limit_max_cu: 1 }, { type: "read_only" }],
        annotation_value: {},
      },
    });
    expect(status).toBe(201);
    expect(body.branch).toMatchObject({ name: "preview", parent_id: emulator.branchId, current_state: "init" });
    expect(body.operations.map(({ action }) => action)).toEqual(["create_branch", "start_compute", "start_compute"]);
    expect(body.endpoints.map(({ branch_id }) => branch_id)).toEqual([body.branch.id, body.branch.id]);
    emulator.admin.advance(1000);
    expect((await emulator.call("GET", `{p}/branches/${body.branch.id}`)).body.branch.current_state).toBe("ready");
    expect(emulator.admin.endpoint(body.endpoints[0]?.id ?? "").current_state).toBe("init");
    emulator.admin.advance(1000);
    for (const { id } of body.endpoints) expect(emulator.admin.endpoint(id).current_state).toBe("active");
  });

  it.each([
    ["an unknown parent", { branch: { parent_id: "br-none" } }, 404],
    ["two read-write endpoints", { endpoints: [{ type: "read_write" }, { type: "read_write" }] }, 400],
    ["an endpoint without a type", { endpoints: [{}] }, 400],
    ["an endpoint with a typo", { endpoints: [{ type: "read_write", dissabled: true }] }, 400],
    ["an endpoint with a branch", { endpoints: [{ type: "read_write", branch_id: "br-x" }] }, 400],
    ["a name that is no text", { branch: { name: 5 } }, 400],
    ["a list", [], 400],
  ])("are refused with %s", async (_name, json, status) => {
    const emulator = await openEmulator();
    expect((await emulator.call("POST", "{p}/branches", { json })).status).toBe(status);
    expect(emulator.admin.project(emulator.projectId).branches).toHaveLength(1);
  });

  it("that do not exist answer 404", async () => {
    const emulator = await openEmulator();
    expect((await emulator.call("GET", "{p}/branches/br-none")).status).toBe(404);
    expect((await emulator.call("GET", "{p}/branches/br-none/endpoints")).status).toBe(404);
  });
});
