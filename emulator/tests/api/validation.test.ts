import { describe, expect, it } from "vitest";
import { freeBranch, openEmulator } from "./support/open-emulator";

// Specification, sections 2.3, 2.4, 5, 7 and 8.
describe("an endpoint's fields", () => {
  it.each<[string, object, string]>([
    ["a typo", { autoscaling_limit_mni_cu: 1 }, "endpoint.autoscaling_limit_mni_cu: unknown field"],
    ["camel case", { suspendTimeoutSeconds: 1 }, "endpoint.suspendTimeoutSeconds: unknown field"],
    ["a state", { current_state: "active" }, "endpoint.current_state: unknown field"],
    ["an id", { id: "ep-mine" }, "endpoint.id: unknown field"],
    ["text for a number", { autoscaling_limit_min_cu: "1" }, "endpoint.autoscaling_limit_min_cu: "],
    ["text for a boolean", { disabled: "true" }, "endpoint.disabled: "],
    ["null", { pooler_enabled: null }, "endpoint.pooler_enabled: "],
    ["a size of 9", { autoscaling_limit_max_cu: 9 }, "endpoint.autoscaling_limit_max_cu: 9 is no compute size"],
    ["a size of 0.3", { autoscaling_limit_min_cu: 0.3 }, "endpoint.autoscaling_limit_min_cu: 0.3 is no compute size"],
    ["a size of 0", { autoscaling_limit_min_cu: 0 }, "endpoint.autoscaling_limit_min_cu: 0 is no compute size"],
    ["a minimum above the maximum", { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 1 }, "above"],
    ["a delay of -2", { suspend_timeout_seconds: -2 }, "endpoint.suspend_timeout_seconds: "],
    ["a delay of 7 days and a second", { suspend_timeout_seconds: 604_801 }, "endpoint.suspend_timeout_seconds: "],
    ["a delay of 1.5", { suspend_timeout_seconds: 1.5 }, "endpoint.suspend_timeout_seconds: "],
    ["an unknown pooler mode", { pooler_mode: "magic" }, "endpoint.pooler_mode: must be one of"],
    [
      "a Postgres setting that is no text",
      { settings: { pg_settings: { a: 1 } } },
      "endpoint.settings.pg_settings.a: ",
    ],
    ["unknown settings", { settings: { pg_settings: {}, x: 1 } }, "endpoint.settings.x: unknown field"],
    ["an empty name", { name: "" }, "endpoint.name: "],
    ["a name of 65", { name: "n".repeat(65) }, "endpoint.name: "],
  ])("refuse %s with 400, on create and on update", async (_name, fields, message) => {
    const emulator = await openEmulator();
    const whole = { branch_id: freeBranch(emulator), type: "read_write", ...fields };
    const created = await emulator.call("POST", "{p}/endpoints", { json: { endpoint: whole } });
    expect(created.status).toBe(400);
    expect(created.body.message).toContain(message);
    const updated = await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, {
      json: { endpoint: fields },
    });
    expect(updated.status).toBe(400);
    expect(updated.body.message).toContain(message);
    expect(emulator.admin.project(emulator.projectId).endpoints).toHaveLength(1);
  });

  it.each([
    ["no body", {}, "body: required"],
    ["no endpoint", { json: {} }, "endpoint: required"],
    ["no branch", { json: { endpoint: { type: "read_write" } } }, "endpoint.branch_id: required"],
    ["no type", { json: { endpoint: { branch_id: "br-x" } } }, "endpoint.type: "],
    ["an unknown type", { json: { endpoint: { branch_id: "br-x", type: "read" } } }, "endpoint.type: "],
    ["something beside the endpoint", { json: { endpoint: {}, extra: 1 } }, "extra: unknown field"],
    ["another region", { json: { endpoint: { branch_id: "B", type: "read_only", region_id: "gcp-x" } } }, "region_id"],
    ["an array", { json: [] }, "body: "],
    ["text", { json: "endpoint" }, "body: "],
  ])("refuse a create with %s", async (_name, init, message) => {
    const emulator = await openEmulator();
    const text = JSON.stringify(init).replace('"B"', `"${emulator.branchId}"`);
    const answer = await emulator.call("POST", "{p}/endpoints", JSON.parse(text));
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });

  it("name every failure at once", async () => {
    const emulator = await openEmulator();
    const answer = await emulator.call("POST", "{p}/endpoints", { json: { endpoint: { typo: 1, disabled: 2 } } });
    for (const field of ["branch_id", "type", "typo", "disabled"]) expect(answer.body.message).toContain(field);
  });

  it("refuse a change of type or region", async () => {
    const emulator = await openEmulator();
    for (const endpoint of [{ type: "read_only" }, { region_id: "aws-eu-central-1" }]) {
      const path = `{p}/endpoints/${emulator.endpointId}`;
      expect((await emulator.call("PATCH", path, { json: { endpoint } })).status).toBe(400);
    }
  });

  it.each([0.25, 0.5, 1, 2, 3, 4, 5, 6, 7])("accept a size of %d", async (cu) => {
    const emulator = await openEmulator();
    const endpoint = { autoscaling_limit_min_cu: cu, autoscaling_limit_max_cu: cu };
    const path = `{p}/endpoints/${emulator.endpointId}`;
    expect((await emulator.call("PATCH", path, { json: { endpoint } })).status).toBe(200);
  });

  it("accept larger sizes and ask for longer delays where the platform is another", async () => {
    const emulator = await openEmulator({ maxCu: 56, minSuspendTimeoutSeconds: 60, lock: "none" });
    const patch = async (endpoint: object) =>
      (await emulator.call("PATCH", `{p}/endpoints/${emulator.endpointId}`, { json: { endpoint } })).status;
    const size = (min: number, max: number) => ({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });
    expect(await patch(size(56, 56))).toBe(200);
    expect(await patch(size(17, 17))).toBe(400);
    expect(await patch(size(8, 16))).toBe(200);
    expect(await patch(size(7, 16))).toBe(400);
    expect(await patch(size(16, 18))).toBe(400);
    expect(await patch({ suspend_timeout_seconds: 59 })).toBe(400);
    expect(await patch({ suspend_timeout_seconds: 60 })).toBe(200);
  });

  it("take one limit alone", async () => {
    const emulator = await openEmulator({ defaultCu: 1 });
    const create = async (fields: object) => {
      const endpoint = { branch_id: freeBranch(emulator), type: "read_write", ...fields };
      const { body } = await emulator.call("POST", "{p}/endpoints", { json: { endpoint } });
      return [body.endpoint.autoscaling_limit_min_cu, body.endpoint.autoscaling_limit_max_cu];
    };
    expect(await create({})).toEqual([1, 1]);
    expect(await create({ autoscaling_limit_min_cu: 2 })).toEqual([2, 2]);
    expect(await create({ autoscaling_limit_max_cu: 0.5 })).toEqual([0.5, 0.5]);
    expect(await create({ autoscaling_limit_max_cu: 4 })).toEqual([1, 4]);
  });
});

describe("what else has published bounds", () => {
  const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, ""]));

  it.each<[string, string, string, object | undefined, string | undefined]>([
    ["50 annotations", "POST", "{p}/branches", { annotation_value: texts(50) }, undefined],
    ["51 annotations", "POST", "{p}/branches", { annotation_value: texts(51) }, "annotation_value: must have at most"],
    [
      "51 of a project's branch",
      "POST",
      "/projects",
      { project: { branch: { annotations: texts(51) } } },
      "project.branch.annotations: must have at most",
    ],
    ["a time", "POST", "{p}/branches", { branch: { expires_at: "2030-06-09T18:02:16Z" } }, undefined],
    ["a day", "POST", "{p}/branches", { branch: { expires_at: "2030-06-09" } }, "branch.expires_at: must be a time"],
    ["an update to a day", "PATCH", "{b}", { branch: { expires_at: "soon" } }, "branch.expires_at: must be a time"],
    ["an update to never", "PATCH", "{b}", { branch: { expires_at: null } }, undefined],
    ["an organization", "POST", "/projects", { project: { org_id: "org-calm-river-1" } }, undefined],
    ["no organization's id", "POST", "/projects", { project: { org_id: "Org 1" } }, "project.org_id: must match"],
    ["a search for none", "GET", "/projects?org_id=Org", undefined, "org_id: must match"],
    ["a timeout", "GET", "/projects?timeout=100", undefined, undefined],
    ["too short a timeout", "GET", "/projects?timeout=99", undefined, "timeout: "],
    ["too long a timeout", "GET", "/projects/shared?timeout=30001", undefined, "timeout: "],
  ])("takes or refuses %s", async (_name, method, path, json, message) => {
    const emulator = await openEmulator();
    const target = path.replace("{b}", `{p}/branches/${emulator.branchId}`);
    const answer = await emulator.call(method, target, json && { json });
    expect([answer.status < 300 ? "taken" : answer.status, answer.body.message]).toEqual(
      message === undefined ? ["taken", undefined] : [400, expect.stringContaining(message)],
    );
  });
});

describe("the free plan", () => {
  it.each<[string, object, number]>([
    ["the default size", { type: "read_write" }, 201],
    ["0.25 CU", { type: "read_write", autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 }, 201],
    ["0.5 CU", { type: "read_write", autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5 }, 400],
    ["autoscaling", { type: "read_write", autoscaling_limit_max_cu: 2 }, 400],
    ["a read replica", { type: "read_only" }, 400],
  ])("answers a create with %s", async (_name, fields, status) => {
    const emulator = await openEmulator({ plan: "free" });
    const endpoint = { branch_id: freeBranch(emulator), ...fields };
    const answer = await emulator.call("POST", "{p}/endpoints", { json: { endpoint } });
    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body).toMatchObject({ code: "PLAN_LIMIT", message: expect.stringContaining("plan") });
  });

  it("is a project's own", async () => {
    const emulator = await openEmulator();
    const { project, branches, endpoints } = emulator.admin.seedProject({ plan: "free" });
    const path = `/projects/${project.id}/endpoints/${endpoints[0]?.id}`;
    const size = { autoscaling_limit_max_cu: 1 };
    expect((await emulator.call("PATCH", path, { json: { endpoint: size } })).status).toBe(400);
    expect(branches).toHaveLength(1);
  });
});

describe("limits of connections", () => {
  it.each([
    [0.25, 112],
    [0.5, 225],
    [1, 450],
    [2, 901],
    [3, 1351],
    [4, 1802],
    [5, 2253],
    [6, 2703],
    [7, 3154],
  ])("%d CU takes %i", async (cu, limit) => {
    const emulator = await openEmulator();
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, {
      branch_id: freeBranch(emulator),
      current_state: "active",
      autoscaling_limit_min_cu: cu,
      autoscaling_limit_max_cu: 7,
    });
    expect(emulator.admin.endpoint(id).max_connections).toBe(limit);
    expect(() => emulator.admin.connect({ endpointId: id, connections: limit + 1 })).toThrow(/at most/);
    emulator.admin.connect({ endpointId: id, connections: limit });
    expect(() => emulator.admin.connect({ endpointId: id, connections: 10_001 - limit, pooled: true })).toThrow(
      /10000/,
    );
    emulator.admin.connect({ endpointId: id, connections: 10_000 - limit, pooled: true });
    expect(emulator.admin.endpoint(id).connections).toBe(10_000);
  });
});

describe("requests that cannot be read", () => {
  const json = { "content-type": "application/json" };
  it.each([
    ["broken JSON", "POST", "{p}/endpoints", { raw: "{", headers: json }, 400],
    ["a poisoned prototype", "POST", "{p}/endpoints", { raw: '{"__proto__":{"x":1}}', headers: json }, 400],
    ["another type", "POST", "{p}/endpoints", { raw: "<x/>", headers: { "content-type": "text/xml" } }, 415],
    ["plain text", "POST", "{p}/endpoints", { raw: "x", headers: { "content-type": "text/plain" } }, 415],
    ["a body of 2 MiB", "POST", "{p}/endpoints", { raw: `"${"x".repeat(2 << 20)}"`, headers: json }, 413],
    ["a form of 2000 fields", "POST", "{p}/endpoints", { form: "a=1&".repeat(2000) }, 400],
    ["a form 9 deep", "POST", "{p}/endpoints", { form: "a[b][c][d][e][f][g][h][i]=1" }, 400],
    ["a path that cannot be decoded", "GET", "/projects/%zz", {}, 400],
    ["a method that does not fit", "PUT", "{p}/endpoints", {}, 405],
    ["a path that is none", "GET", "{p}/nothing", {}, 404],
    ["an id of 500 characters", "GET", `/projects/${"x".repeat(500)}`, {}, 404],
  ])("answer %s", async (_name, method, path, init, status) => {
    const emulator = await openEmulator();
    const headers = { authorization: `Bearer ${emulator.apiKey}`, ...("headers" in init ? init.headers : {}) };
    const answer = await emulator.call(method, path, { ...init, headers });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code: "", message: expect.any(String), request_id: expect.any(String) });
    expect(answer.text.length).toBeLessThan(1000);
  });

  it("name the methods that fit", async () => {
    const emulator = await openEmulator();
    const answer = await emulator.call("PUT", `{p}/endpoints/${emulator.endpointId}`);
    expect(answer.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE");
  });

  it("do not exist for calls without a body, whatever their type says", async () => {
    const emulator = await openEmulator();
    const headers = { authorization: `Bearer ${emulator.apiKey}`, ...json };
    const answer = await emulator.call("POST", `{p}/endpoints/${emulator.endpointId}/start`, { headers });
    expect(answer.status).toBe(200);
  });
});
