import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileProgram } from "../../tools/demo/program";
import { root } from "../../tools/root.mjs";
import { endpointsOn, useBench } from "./support/platform";

/** What an example needs to run, and what it leaves on its branch. */
interface Case {
  /** Configuration besides the project and the branch, by key without namespace. */
  config: Record<string, string>;
  /** Type and sizes of its endpoints, sorted. */
  endpoints: string[];
}

const examples = join(root, "examples");

// Examples in TypeScript: their host is this process. Each is compiled and evaluated as Pulumi's own host does it.
const cases: Record<string, Case> = {
  pipeline: { config: { minCu: "1", maxCu: "3" }, endpoints: ["read_write 1-3, 0 s"] },
  "preview-environments": { config: {}, endpoints: ["read_write 0.25-0.25, 60 s"] },
  "primary-and-replica": {
    config: { minCu: "1", maxCu: "3", suspendTimeoutSeconds: "120" },
    endpoints: ["read_only 0.5-0.5, 120 s", "read_write 1-3, 120 s"],
  },
};

const bench = useBench();

describe("the examples in TypeScript", () => {
  it("are all run here", () => {
    const folders = readdirSync(examples).filter((folder) => existsSync(join(examples, folder, "index.ts")));
    // The one that needs a Postgres has a test of its own: postgres/app-with-database.test.ts.
    expect(folders.sort()).toEqual(["app-with-database", ...Object.keys(cases).sort()]);
  });

  it.each(Object.entries(cases))("%s is previewed, created, unchanged and destroyed", async (folder, expected) => {
    const { id: branchId } = bench.emulator.admin.seedBranch(bench.projectId, { name: `for-${folder}` });
    // Programs take a branch by its name; the one of a pull request is given its id by the workflow that made it.
    const place = folder === "preview-environments" ? { branchId } : { branch: `for-${folder}` };
    const settings = { projectId: bench.projectId, ...place, ...expected.config };
    const config = Object.entries(settings).map(([key, value]) => [`engine-test:${key}`, value]);
    const project = await bench.project(Object.fromEntries(config));
    const { name, program } = compileProgram(join(examples, folder), project.folders.program);
    expect(name).toBe(folder);
    const stack = project.stack(program);
    const count = expected.endpoints.length;

    expect((await stack.preview()).changes).toMatchObject({ create: count });
    expect(endpointsOn(bench, branchId)).toEqual([]);

    expect((await stack.up()).changes).toMatchObject({ create: count });
    const made = endpointsOn(bench, branchId);
    const figures = made.map(
      (one) =>
        `${one.type} ${one.autoscaling_limit_min_cu}-${one.autoscaling_limit_max_cu}, ${one.suspend_timeout_seconds} s`,
    );
    expect(figures.sort()).toEqual(expected.endpoints);
    const outputs = project.exportState().resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs;
    for (const { host } of made) expect(Object.values(outputs ?? {})).toContain(host);

    expect((await stack.up()).changes).toMatchObject({ same: count, update: 0 });
    expect((await stack.destroy()).changes).toMatchObject({ delete: count });
    expect(endpointsOn(bench, branchId)).toEqual([]);
  });
});
