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
