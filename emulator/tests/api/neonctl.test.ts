import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../index";
import { neonctlOn } from "./support/neonctl";

/** The command line on an emulator with operations that end at once. */
async function openNeonctl(): Promise<(...args: string[]) => Promise<string>> {
  const emulator = await createEmulator({ operationMs: 0 });
  onTestFinished(() => emulator.close());
  return neonctlOn(emulator);
}

// Tables crash on fields that are missing where JSON does not, so both are looked at.
describe("neonctl", { timeout: 300_000 }, () => {
  it("manages projects", async () => {
    const neonctl = await openNeonctl();
    const created = await neonctl("projects", "create", "--name", "shop");
    expect(created).toMatch(/^Name +shop$/m);
    const id = /^Id +(\S+)$/m.exec(created)?.[1] ?? "";
    const listed = await neonctl("projects", "list");
    expect(listed).toMatch(new RegExp(`^${id} +shop +aws-eu-central-1`, "m"));
    expect(listed).toMatch(/^quiet-harbor-12345678 +quiet-harbor/m);
    expect(await neonctl("projects", "update", id, "--name", "store")).toMatch(/^Name +store$/m);
    expect(JSON.parse(await neonctl("projects", "get", id, "--output", "json"))).toMatchObject({ id, name: "store" });
    expect(await neonctl("projects", "delete", id)).toContain(id);
    expect(await neonctl("me")).toMatch(/^Login +emulated-owner$/m);
    // One project is left: nobody has to name it.
    expect(await neonctl("branches", "list")).toMatch(/^\[default\] main +br-quiet-harbor-main +ready/m);
  });

  it("manages branches, computes and operations", async () => {
    const neonctl = await openNeonctl();
    const project = ["--project-id", "quiet-harbor-12345678"];
    const created = await neonctl("branches", "create", "--name", "preview", ...project);
    const branchId = /^Id +(br-\S+)$/m.exec(created)?.[1] ?? "";
    expect(created).toMatch(/^ep-\S+ +\d{4}-/m);
    await expect(neonctl("branches", "create", "--name", "preview", ...project)).rejects.toThrow(/already exists/);
    expect(await neonctl("branches", "rename", "preview", "review", ...project)).toMatch(/^Name +review$/m);
    const listed = await neonctl("branches", "list", ...project);
    expect(listed).toMatch(new RegExp(`^review +${branchId} +ready`, "m"));
    expect(await neonctl("branches", "get", "review", ...project)).toMatch(new RegExp(`^Id +${branchId}$`, "m"));
    const compute = await neonctl("branches", "add-compute", "review", "--type", "read_only", ...project);
    expect(compute).toMatch(/^Host +ep-\S+\.compute\.test$/m);
    expect(await neonctl("operations", "list", ...project)).toMatch(/^\S+ +start_compute +finished/m);
    expect(await neonctl("branches", "delete", "review", ...project)).toContain(branchId);
    const operations = JSON.parse(await neonctl("operations", "list", "--output", "json", ...project));
    expect(operations[0]).toMatchObject({ action: "delete_timeline", branch_id: branchId, status: "finished" });
    const left = JSON.parse(await neonctl("branches", "list", "--output", "json", ...project));
    expect(left).toMatchObject([{ id: "br-quiet-harbor-main" }]);
  });

  it("says which call it misses", async () => {
    const neonctl = await openNeonctl();
    await expect(neonctl("roles", "list", "--project-id", "quiet-harbor-12345678")).rejects.toThrow(
      /GET \/api\/v2\/projects\/quiet-harbor-12345678\/branches\/br-quiet-harbor-main\/roles: the emulator does not have/,
    );
  });
});
