import { createApiClient, EndpointState, EndpointType } from "@neondatabase/api-client";
import { describe, expect, it } from "vitest";
import { openEmulator } from "./support/open-emulator";

// A client that was written for the platform itself and knows nothing of the emulator.
describe("@neondatabase/api-client", () => {
  it("creates a branch, drives an endpoint through its life, and pages through the operations", async () => {
    const emulator = await openEmulator();
    const { projectId } = emulator;
    const neon = createApiClient({ apiKey: emulator.apiKey, baseURL: emulator.url });
    const settled = () => emulator.admin.advance(5000);

    expect((await neon.getProject(projectId)).data.project.id).toBe(projectId);
    const created = await neon.createProjectBranch(projectId, { branch: { name: "preview" } });
    expect(created.status).toBe(201);
    const branchId = created.data.branch.id;
    settled();
    expect((await neon.listProjectBranches({ projectId })).data.branches).toHaveLength(2);
    expect((await neon.getProjectBranch(projectId, branchId)).data.branch.name).toBe("preview");

    const { data } = await neon.createProjectEndpoint(projectId, {
      endpoint: { branch_id: branchId, type: EndpointType.ReadWrite, autoscaling_limit_max_cu: 1 },
    });
    const id = data.endpoint.id;
    expect(data.endpoint.current_state).toBe(EndpointState.Init);
    settled();
    expect((await neon.listProjectEndpoints(projectId)).data.endpoints).toHaveLength(2);
    expect((await neon.listProjectBranchEndpoints(projectId, branchId)).data.endpoints[0]?.id).toBe(id);
    expect((await neon.getProjectEndpoint(projectId, id)).data.endpoint.current_state).toBe(EndpointState.Active);

    const update = { endpoint: { autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 60, name: "p" } };
    const updated = await neon.updateProjectEndpoint(projectId, id, update);
    expect(updated.data.endpoint).toMatchObject(update.endpoint);
    settled();
    const suspended = await neon.suspendProjectEndpoint(projectId, id);
    expect(suspended.data.operations[0]?.action).toBe("suspend_compute");
    settled();
    expect((await neon.getProjectEndpoint(projectId, id)).data.endpoint.current_state).toBe(EndpointState.Idle);
    const started = await neon.startProjectEndpoint(projectId, id);
    settled();
    const operationId = started.data.operations[0]?.id ?? "";
    expect((await neon.getProjectOperation(projectId, operationId)).data.operation.status).toBe("finished");
    expect((await neon.restartProjectEndpoint(projectId, id)).data.operations).toHaveLength(2);
    settled();
    expect((await neon.deleteProjectEndpoint(projectId, id)).data.endpoint.id).toBe(id);
    settled();
    expect((await neon.listProjectEndpoints(projectId)).data.endpoints).toHaveLength(1);

    const actions: string[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await neon.listProjectOperations({ projectId, limit: 3, ...(cursor && { cursor }) });
      actions.push(...page.data.operations.map(({ action }) => action));
      cursor = page.data.pagination?.cursor;
      if (page.data.operations.length < 3) break;
    }
    expect(actions.reverse()).toEqual([
      "create_timeline",
      "create_branch",
      "start_compute",
      "apply_config",
      "suspend_compute",
      "start_compute",
      "suspend_compute",
      "start_compute",
      "suspend_compute",
      "start_compute",
      "suspend_compute",
    ]);
  });

  it("manages projects and branches", async () => {
    const emulator = await openEmulator();
    const neon = createApiClient({ apiKey: emulator.apiKey, baseURL: emulator.url });
    const { data: created } = await neon.createProject({ project: { name: "shop", pg_version: 16 } });
    const projectId = created.project.id;
    expect(created.operations.map(({ action }) => action)).toEqual(["create_timeline", "start_compute"]);
    emulator.admin.advance(5000);
    expect((await neon.listProjects({ search: "shop" })).data.projects[0]?.id).toBe(projectId);
    expect((await neon.listSharedProjects({})).data.projects).toEqual([]);
    expect((await neon.updateProject(projectId, { project: { name: "store" } })).data.project.name).toBe("store");
    const body = { branch: { name: "b" }, annotation_value: { ref: "main" } };
    const { data } = await neon.createProjectBranch(projectId, body);
    expect([data.roles, data.databases]).toEqual([[], []]);
    emulator.admin.advance(5000);
    const branchId = data.branch.id;
    const listed = (await neon.listProjectBranches({ projectId, search: "b", limit: 1 })).data;
    expect(listed.annotations[branchId]?.value).toEqual({ ref: "main" });
    expect((await neon.countProjectBranches({ projectId })).data.count).toBe(2);
    await neon.updateProjectBranch(projectId, branchId, { branch: { name: "c" } });
    expect((await neon.getProjectBranch(projectId, branchId)).data).toMatchObject({
      branch: { name: "c" },
      annotation: { value: { ref: "main" } },
    });
    const deleted = await neon.deleteProjectBranch({ projectId, branchId });
    expect(deleted.data.operations.map(({ action }) => action)).toEqual(["delete_timeline"]);
    expect((await neon.deleteProject(projectId)).data.project.id).toBe(projectId);
  });

  it("meets the errors it knows", async () => {
    const emulator = await openEmulator();
    const statusOf = (call: Promise<{ status: number }>) =>
      call.then(
        ({ status }) => status,
        (error) => error.status,
      );
    const stranger = createApiClient({ apiKey: "wrong", baseURL: emulator.url });
    expect(await statusOf(stranger.getProject(emulator.projectId))).toBe(401);
    const neon = createApiClient({ apiKey: emulator.apiKey, baseURL: emulator.url });
    expect(await statusOf(neon.getProject("none"))).toBe(404);
    const endpoint = { branch_id: emulator.branchId, type: EndpointType.ReadWrite };
    expect(await statusOf(neon.createProjectEndpoint(emulator.projectId, { endpoint }))).toBe(409);
    expect(await statusOf(neon.deleteProjectEndpoint(emulator.projectId, emulator.endpointId))).toBe(422);
  });
});
