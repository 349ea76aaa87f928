import { createNeonClient } from "@neon/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../index";
import { neonOn } from "./support/neon-cli";

/** The command line on an emulator with operations that end at once. */
async function openNeonCli(): Promise<(...args: string[]) => Promise<string>> {
  const emulator = await createEmulator({ operationMs: 0 });
  onTestFinished(() => emulator.close());
  return neonOn(emulator);
}

// Tables crash on fields that are missing where JSON does not, so both are looked at.
describe("neon, the command line", { timeout: 300_000 }, () => {
  it("manages projects", async () => {
    const neon = await openNeonCli();
    const created = await neon("projects", "create", "--name", "shop");
    expect(created).toMatch(/^Name +shop$/m);
    const id = /^Id +(\S+)$/m.exec(created)?.[1] ?? "";
    const listed = await neon("projects", "list");
    expect(listed).toMatch(new RegExp(`^${id} +shop +aws-eu-central-1`, "m"));
    expect(listed).toMatch(/^quiet-harbor-12345678 +quiet-harbor/m);
    expect(await neon("projects", "update", id, "--name", "store")).toMatch(/^Name +store$/m);
    expect(JSON.parse(await neon("projects", "get", id, "--output", "json"))).toMatchObject({ id, name: "store" });
    expect(await neon("projects", "delete", id)).toContain(id);
    expect(await neon("me")).toMatch(/^Login +emulated-owner$/m);
    // One project is left: nobody has to name it.
    expect(await neon("branches", "list")).toMatch(/^\[default\] main +br-quiet-harbor-main +ready/m);
  });

  it("manages branches, computes and operations", async () => {
    const neon = await openNeonCli();
    const project = ["--project-id", "quiet-harbor-12345678"];
    const created = await neon("branches", "create", "--name", "preview", ...project);
    const branchId = /^Id +(br-\S+)$/m.exec(created)?.[1] ?? "";
    expect(created).toMatch(/^ep-\S+ +\d{4}-/m);
    await expect(neon("branches", "create", "--name", "preview", ...project)).rejects.toThrow(/already exists/);
    expect(await neon("branches", "rename", "preview", "review", ...project)).toMatch(/^Name +review$/m);
    const listed = await neon("branches", "list", ...project);
    expect(listed).toMatch(new RegExp(`^review +${branchId} +ready`, "m"));
    expect(await neon("branches", "get", "review", ...project)).toMatch(new RegExp(`^Id +${branchId}$`, "m"));
    const compute = await neon("branches", "add-compute", "review", "--type", "read_only", ...project);
    expect(compute).toMatch(/^Host +ep-\S+\.compute\.test$/m);
    expect(await neon("operations", "list", ...project)).toMatch(/^\S+ +start_compute +finished/m);
    expect(await neon("branches", "delete", "review", ...project)).toContain(branchId);
    const operations = JSON.parse(await neon("operations", "list", "--output", "json", ...project));
    expect(operations[0]).toMatchObject({ action: "delete_timeline", branch_id: branchId, status: "finished" });
    const left = JSON.parse(await neon("branches", "list", "--output", "json", ...project));
    expect(left).toMatchObject([{ id: "br-quiet-harbor-main" }]);
  });

  it("looks at a branch, checks it out and writes its variables into a file", async () => {
    const emulator = await createEmulator({ platform: "neon", operationMs: 0 });
    onTestFinished(() => emulator.close());
    const neon = neonOn(emulator);
    await neon("link", "--yes", "--project-id", emulator.projectId);
    await neon("branches", "create", "--name", "preview");
    expect(await neon("checkout", "preview")).toMatch(/^$/);
    expect(await neon("status", "--output", "json")).toMatch(/"name": *"preview"/);
    await neon("env", "pull", "--file", "pulled.env");
    expect(neon.read("pulled.env")).toMatch(
      /^DATABASE_URL="?postgresql:\/\/postgres:\S+-pooler\.eu-central-1\.aws\.compute\.test\/postgres/m,
    );
    expect(neon.read("pulled.env")).toMatch(/^NEON_BRANCH=preview$/m);
    expect(await neon("roles", "list")).toMatch(/^postgres/m);
    expect(await neon("databases", "list")).toMatch(/^postgres +postgres/m);
  });

  it("says which call it misses", async () => {
    const neon = await openNeonCli();
    await expect(neon("branches", "set-default", "main", "--project-id", "quiet-harbor-12345678")).rejects.toThrow(
      /POST \/api\/v2\/projects\/quiet-harbor-12345678\/branches\/br-quiet-harbor-main\/set_as_default: the emulator does not have/,
    );
  });
});

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
