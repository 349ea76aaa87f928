import { describe, expect, it } from "vitest";
import { type DescribedCall, describedCalls, deviationsOf } from "./support/description";
import { knownDeviations } from "./support/deviations";
import { freeBranch, type Opened, openEmulator } from "./support/open-emulator";

/** Every call that the emulator has, in an order that lets each succeed. `call` itself holds the answers to the description. */
async function tour(emulator: Opened): Promise<string[]> {
  const deviations: string[] = [];
  const call = async (method: string, path: string, json?: unknown) => {
    const answer = await emulator.call(method, path, json === undefined ? {} : { json });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    const whole = path.replace("{p}", `/projects/${emulator.projectId}`);
    const found = deviationsOf({ method, path: whole, status: answer.status, body: answer.body });
    expect(found, `${method} ${path} is described`).toBeDefined();
    deviations.push(...(found ?? []));
    emulator.admin.advance(10_000);
    return answer.body;
  };
  const { project } = await call("POST", "/projects", { project: { name: "tour", branch: { name: "trunk" } } });
  await call("GET", "/projects?limit=1&search=tour");
  await call("GET", "/projects/shared");
  await call("GET", "/users/me/organizations");
  await call("GET", "/users/me");
  await call("GET", "/regions");
  await call("PATCH", `/projects/${project.id}`, { project: { name: "t", history_retention_seconds: 0 } });
  await call("GET", `/projects/${project.id}`);
  await call("GET", "{p}/available_preload_libraries");
  const value = { commit: "abc" };
  const { branch } = await call("POST", "{p}/branches", { branch: { name: "b" }, annotation_value: value });
  await call("GET", `{p}/branches?limit=1`);
  await call("GET", "{p}/branches/count");
  await call("GET", `{p}/branches/${branch.id}`);
  await call("PATCH", `{p}/branches/${branch.id}`, { branch: { name: "c" } });
  const body = { endpoint: { branch_id: branch.id, type: "read_write", name: "n", pooler_mode: "session" } };
  const { endpoint } = await call("POST", "{p}/endpoints", body);
  const path = `{p}/endpoints/${endpoint.id}`;
  await call("GET", "{p}/endpoints");
  await call("GET", `{p}/branches/${branch.id}/endpoints`);
  await call("GET", path);
  await call("PATCH", path, { endpoint: { autoscaling_limit_max_cu: 2, branch_id: freeBranch(emulator) } });
  await call("POST", `${path}/start`);
  await call("POST", `${path}/restart`);
  await call("POST", `${path}/suspend`);
  await call("PATCH", path, { endpoint: { disabled: true } });
  await call("DELETE", path);
  await call("DELETE", `{p}/branches/${branch.id}`);
  const { operations } = await call("GET", "{p}/operations?limit=5");
  await call("GET", `{p}/operations/${operations[0]?.id}`);
  emulator.admin.startOperation({ projectId: emulator.projectId, action: "delete_tenant" });
  await call("GET", "{p}/operations");
  await call("DELETE", `/projects/${project.id}`);
  return deviations;
}

describe("the published description", () => {
  it("is what every call answers, but for the deviations that are known, each of which is still there", async () => {
    const emulator = await openEmulator();
    const found = await tour(emulator);
    const { byRoute } = emulator.admin.counts();
    const routes = "branches.count branches.create branches.delete branches.endpoints branches.get branches.list";
    expect(Object.keys(byRoute).sort()).toEqual([
      ...`${routes} branches.update`.split(" "),
      ..."create delete get list restart start suspend update".split(" ").map((verb) => `endpoints.${verb}`),
      ..."operations.get operations.list organizations.list projects.create projects.delete projects.get".split(" "),
      ..."projects.list projects.preloadLibraries projects.shared projects.update regions.list users.me".split(" "),
    ]);
    for (const { name, pattern } of knownDeviations) {
      expect(
        found.some((one) => pattern.test(one)),
        name,
      ).toBe(true);
    }
  });

  it("is kept without any deviation where the settings are today's platform's", async () => {
    const emulator = await openEmulator({
      disabledState: "idle",
      firstOperation: "running",
      idleChange: "start-and-suspend",
      emptySettings: true,
      endpointNames: false,
      lock: "none",
    });
    const found = await tour(emulator);
    expect(found.filter((one) => !/pooler_mode|delete_tenant/.test(one))).toEqual([]);
  });

  it("is not kept where the settings say so: the check sees it", async () => {
    const emulator = await openEmulator({ operationDurations: false, removedFields: "ignored" });
    const path = `/projects/${emulator.projectId}/endpoints/${emulator.endpointId}`;
    const { status, body } = await emulator.call("POST", `${path}/start`);
    expect(deviationsOf({ method: "POST", path: `${path}/start`, status, body })).toEqual([
      "endpoint.pooler_enabled: required",
      "endpoint.pooler_mode: required",
      "endpoint.proxy_host: required",
      "operations.total_duration_ms: required",
    ]);
    const unlike = { endpoint: { ...body.endpoint, current_state: 3, created_at: "yesterday" }, operations: {} };
    expect(deviationsOf({ method: "POST", path: `${path}/start`, status, body: unlike })).toEqual(
      expect.arrayContaining([
        expect.stringContaining("endpoint.current_state: must be string"),
        expect.stringContaining("endpoint.created_at: must match format"),
        expect.stringContaining("operations: must be array"),
      ]),
    );
  });

  it("has further calls, each of which answers 501 with its method and path", async () => {
    const emulator = await openEmulator();
    const ours = new Set(["GET /projects/shared", "GET /users/me/organizations", "GET /users/me", "GET /regions"]);
    const asked = describedCalls.filter((call) => !ours.has(`${call.method} ${call.path}`));
    const outside: DescribedCall[] = [];
    for (const { method, path } of asked) {
      const target = path.replace("{project_id}", "none").replace(/\{\w+\}/g, "x");
      const { status, body } = await emulator.call(method, target);
      if (status === 501) {
        outside.push({ method, path });
        expect(body.message).toContain(`${method} /api/v2${target}: `);
      } else {
        // One of ours: it is there, and misses the project or its body.
        expect([200, 400, 404], `${method} ${target}`).toContain(status);
        expect(body.message ?? "", `${method} ${target}`).not.toMatch(/no such call/);
      }
    }
    expect(asked.length - outside.length).toBe(27);
    expect(outside).toContainEqual({ method: "GET", path: "/projects/{project_id}/branches/{branch_id}/roles" });
    expect(outside).toContainEqual({ method: "GET", path: "/projects/{project_id}/connection_uri" });
  });
});
