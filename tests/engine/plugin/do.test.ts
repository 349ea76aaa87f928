import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../../tools/root.mjs";
import { useBench } from "../support/platform";
import { createProject } from "../support/project";

const bench = useBench();
const TYPE = "pgcompute:index:Endpoint";

function openDo() {
  const { apiKey, url } = bench.emulator;
  const project = createProject({ env: { PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url } });
  onTestFinished(() => project.close());
  const plugin = ["do", "--package", join(root, "bin/pulumi-resource-pgcompute"), "--non-interactive"];
  const run = (...args: string[]) => project.cli([...plugin, ...args]);
  return {
    refused: async (...args: string[]) => {
      const { code, text } = await run(...args);
      expect(code, text).not.toBe(0);
      return text;
    },
    done: async (...args: string[]) => {
      const { code, stdout, text } = await run(...args);
      expect(code, text).toBe(0);
      expect(text).not.toMatch(/\berror:|made for/);
      return stdout;
    },
  };
}

describe("pulumi do", () => {
  it("creates, lists, reads, changes and deletes an endpoint, call by call, and takes none for another's leftover", async () => {
    const { projectId } = bench;
    const [a, b] = [bench.branch(), bench.branch()];
    const { done, refused } = openDo();
    const place = (branchId: string) => ["--project-id", projectId, "--branch-id", branchId];
    const create = (...given: string[]) => [TYPE, "create", "--stateless", "--yes", ...given];
    await done(...create(...place(a), "--size-cu", "1"));
    const [made] = bench.on(a);
    const id = `${projectId}/${made?.id}`;
    const list = await done(TYPE, "list", ...place(a));
    expect(JSON.parse(list)).toEqual([{ id, name: made?.name }]);

    const text = await refused(...create(...place(a)));
    expect(text.match(/- branchId: (.*)/)?.[1]).toBe(
      `branch ${a} has the read-write endpoint ${made?.id} (1 CU, active), and a branch has at most one: ` +
        `\`pulumi do\` reads, patches and deletes it by its id, ${id}`,
    );
    expect(text).not.toMatch(/pulumi up|dependsOn|What you can do/);
    // Every call has one and the same URN.
    await done(...create(...place(b), "--dry-run"));
    expect(bench.on(b)).toEqual([]);

    expect(JSON.parse(await done(TYPE, "read", id, "--output", "json"))).toMatchObject({ maxConnections: 450 });
    await done(TYPE, "patch", id, "--stateless", "--yes", "--size-cu", "2");
    expect(bench.on(a)).toMatchObject([{ id: made?.id, autoscaling_limit_max_cu: 2 }]);
    await done(TYPE, "delete", id, "--stateless", "--yes");
    expect(bench.on(a)).toEqual([]);
  });

  it("calls the functions, and says in one line what cannot be", async () => {
    const { projectId, emulator } = bench;
    const { done, refused } = openDo();
    const branch = JSON.parse(await done("pgcompute:index:getBranch", "--project-id", projectId, "--name", "main"));
    expect(branch.id).toBe(emulator.branchId);
    const wrong = await refused(TYPE, "list", "--project-id", projectId, "--type", "writer");
    expect(wrong.trim()).toBe('error: type: has to be "read_write" or "read_only"');
  });
});
