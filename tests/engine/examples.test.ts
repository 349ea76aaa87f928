import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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
};

const bench = useBench();

describe("the examples in TypeScript", () => {
  it("are all run here", () => {
    const folders = readdirSync(examples).filter((folder) => existsSync(join(examples, folder, "index.ts")));
    // Those with a test of their own: the two that need a Postgres (in postgres), and the demo's (demo.test.ts).
    const apart = ["app-with-database", "drain", "primary-and-replica"];
    expect(folders.sort()).toEqual([...apart, ...Object.keys(cases), "fleet"].sort());
  });

  it.each(Object.entries(cases))("%s is created, unchanged and destroyed", async (folder, expected) => {
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

describe("the examples of fleets", () => {
  /** Runs the program of an example's folder; what it has made is told by branch. */
  async function open(folder: string, config: Record<string, string>) {
    const settings = { projectId: bench.projectId, ...config };
    const keys = Object.entries(settings).map(([key, value]) => [`engine-test:${key}`, value]);
    const project = await bench.project(Object.fromEntries(keys));
    const { program } = compileProgram(join(examples, folder), project.folders.program);
    const set = (key: string, value: string) => project.setConfig({ [`engine-test:${key}`]: value });
    const outputs = () => project.exportState().resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs;
    return { stack: project.stack(program), set, outputs, folder: project.folders.program };
  }

  const branchOf = (name: string) => bench.emulator.admin.seedBranch(bench.projectId, { name }).id;
  const sizesOn = (branchId: string) =>
    endpointsOn(bench, branchId).map((one) => `${one.type} ${one.autoscaling_limit_min_cu}`);

  it("fleet is one resource, with a primary and its replica on one branch", async () => {
    const [orders, search] = [branchOf("orders"), branchOf("search")];
    const { stack, outputs, folder } = await open("fleet", {});
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
    expect(sizesOn(orders).sort()).toEqual(["read_only 0.5", "read_write 1"]);
    expect(sizesOn(search)).toEqual(["read_write 0.5"]);
    expect(Object.keys(outputs()?.hosts ?? {}).sort()).toEqual(["orders", "orders-reports", "search"]);
    expect((await stack.up()).changes).toMatchObject({ same: 1, update: 0 });

    // As the page says of the member that is protected.
    const refused = await stack.destroy({ expectFailure: true });
    expect(refused.failure).toMatch(/orders.*protected/s);
    expect([...sizesOn(orders), ...sizesOn(search)]).toHaveLength(3);
    const list = join(folder, "fleet.json");
    writeFileSync(list, readFileSync(list, "utf8").replace('"protect": true', '"protect": false'));
    expect((await stack.up()).changes).toMatchObject({ update: 1 });
    await stack.destroy();
    expect([...sizesOn(orders), ...sizesOn(search)]).toEqual([]);
  });

  it("preview-environments/fleet follows the list of open pull requests, and refuses one that has lost too many", async () => {
    const branches = [1, 2, 3, 4, 5, 6, 7].map((number) => branchOf(`preview/pr-${number}`));
    const { stack, set } = await open("preview-environments/fleet", { open: "[1,2,3,4,5,6]" });
    const there = () => branches.map((branchId) => endpointsOn(bench, branchId).length);
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
    expect(there()).toEqual([1, 1, 1, 1, 1, 1, 0]);

    await set("open", "[2,3,4,5,6,7,99]");
    const followed = await stack.up();
    expect(followed.changes).toMatchObject({ update: 1 });
    expect(followed.text).toContain("pull request 99 has no endpoint: the project has no branch preview/pr-99");
    expect(there()).toEqual([0, 1, 1, 1, 1, 1, 1]);

    await set("open", "[]");
    const refused = await stack.preview({ expectFailure: true });
    expect(refused.text).toMatch(/of 6 members the plan deletes 6 .* no more than 5 may go at a time/s);
    await stack.destroy();
    expect(there()).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});
