import { createNeonClient } from "@neon/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../index";

// The successor of @neondatabase/api-client, which waits for operations by itself.
describe("@neon/sdk", () => {
  it("creates a project and a branch, waits, drives an endpoint through its life, and cleans up", async () => {
    const emulator = await createEmulator({ operationMs: 20 });
    onTestFinished(() => emulator.close());
    const wait = { pollIntervalMs: 10, timeoutMs: 30_000 };
    const neon = createNeonClient({
      apiKey: emulator.apiKey,
      baseUrl: emulator.url,
      throwOnError: true,
      waitForReadiness: true,
      wait,
    });
    const project = await neon.projects.create({ name: "shop" });
    const projectId = project.id;
    expect((await neon.projects.list({ limit: 1 }).all()).map(({ name }) => name).sort()).toEqual([
      "quiet-harbor",
      "shop",
    ]);
    expect(await neon.projects.update({ projectId, name: "store" })).toMatchObject({ name: "store" });

    const main = await neon.branches.getDefault({ projectId });
    const branch = await neon.branches.create({ projectId, name: "preview", noCompute: true });
    expect(branch).toMatchObject({ name: "preview", parent_id: main.id });
    const branchId = branch.id;
    expect((await neon.branches.list({ projectId, limit: 1 }).all()).map(({ id }) => id)).toEqual([branchId, main.id]);
    await neon.branches.update({ projectId, branchId, name: "review" });

    const created = await neon.postgres.endpoints.create({ projectId, branch_id: branchId, type: "read_write" });
    const place = { projectId, endpointId: created.id };
    expect(await neon.postgres.endpoints.get(place)).toMatchObject({ current_state: "active" });
    await neon.postgres.endpoints.update({ ...place, autoscaling_limit_max_cu: 2 });
    await neon.postgres.endpoints.suspend(place);
    expect(await neon.postgres.endpoints.get(place)).toMatchObject({
      current_state: "idle",
      autoscaling_limit_max_cu: 2,
    });
    await neon.postgres.endpoints.start(place);
    await neon.postgres.endpoints.restart(place);
    await neon.postgres.endpoints.delete(place);
    expect((await neon.operations.list({ projectId }).all()).length).toBeGreaterThan(8);

    await neon.branches.delete({ projectId, branchId });
    await neon.projects.delete({ projectId });
    const gone = await neon.branches.get({ projectId: emulator.projectId, branchId }, { throwOnError: false });
    expect(gone.error).toMatchObject({ kind: "not_found", status: 404 });
  });
});
