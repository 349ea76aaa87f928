import { type EndpointPoolerMode, EndpointType } from "@neondatabase/api-client";
import { describe, expect, it } from "vitest";
import { type DescribedCall, describedCalls, describedClient, knownDeviations } from "./support/description";
import { freeBranch, type Opened, openEmulator } from "./support/open-emulator";

/**
 * Makes every call of the emulator, in an order that lets each succeed, with a client written for the platform itself.
 * Returns the deviations of the answers from the description.
 */
async function tour(emulator: Opened): Promise<string[]> {
  const { projectId } = emulator;
  const { neon, deviations } = describedClient(emulator);
  neon.instance.interceptors.response.use((answer) => {
    expect(answer.status, `${answer.config.method} ${answer.config.url}`).toBeLessThan(300);
    emulator.admin.advance(10_000);
    return answer;
  });
  const { project } = (await neon.createProject({ project: { name: "tour", branch: { name: "trunk" } } })).data;
  expect((await neon.listProjects({ limit: 1, search: "tour" })).data.projects).toMatchObject([{ id: project.id }]);
  await neon.listSharedProjects({});
  await neon.getCurrentUserOrganizations();
  await neon.getCurrentUserInfo();
  await neon.getActiveRegions({});
  await neon.updateProject(project.id, { project: { name: "t", history_retention_seconds: 0 } });
  await neon.getProject(project.id);
  await neon.getAvailablePreloadLibraries(projectId);
  const noted = { branch: { name: "b" }, annotation_value: { commit: "abc" } };
  const branchId = (await neon.createProjectBranch(projectId, noted)).data.branch.id;
  await neon.listProjectBranches({ projectId, limit: 1 });
  await neon.countProjectBranches({ projectId });
  await neon.getProjectBranch(projectId, branchId);
  await neon.updateProjectBranch(projectId, branchId, { branch: { name: "c" } });
  const wanted = {
    branch_id: branchId,
    type: EndpointType.ReadWrite,
    name: "n",
    pooler_mode: "session" as EndpointPoolerMode,
  };
  const { id } = (await neon.createProjectEndpoint(projectId, { endpoint: wanted })).data.endpoint;
  await neon.listProjectEndpoints(projectId);
  await neon.listProjectBranchEndpoints(projectId, branchId);
  await neon.getProjectEndpoint(projectId, id);
  const moved = { autoscaling_limit_max_cu: 2, branch_id: freeBranch(emulator) };
  await neon.updateProjectEndpoint(projectId, id, { endpoint: moved });
  await neon.startProjectEndpoint(projectId, id);
  await neon.restartProjectEndpoint(projectId, id);
  await neon.suspendProjectEndpoint(projectId, id);
  await neon.updateProjectEndpoint(projectId, id, { endpoint: { disabled: true } });
  await neon.deleteProjectEndpoint(projectId, id);
  await neon.deleteProjectBranch({ projectId, branchId });
  const actions: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { operations, pagination } = (await neon.listProjectOperations({ projectId, limit: 3, cursor })).data;
    actions.push(...operations.map(({ action }) => action));
    if (operations.length < 3) break;
    cursor = pagination?.cursor;
    await neon.getProjectOperation(projectId, operations[0]?.id ?? "");
  }
  expect([actions[0], ...actions.slice(-2)]).toEqual(["delete_timeline", "create_branch", "create_timeline"]);
  emulator.admin.startOperation({ projectId, action: "delete_tenant" });
  await neon.listProjectOperations({ projectId });
  await neon.deleteProject(project.id);
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
    expect(asked.length - outside.length).toBe(39);
    expect(outside).toContainEqual({ method: "GET", path: "/projects/{project_id}/branches/{branch_id}/schema" });
  });
});
