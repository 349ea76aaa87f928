/** Tests that commands read the platform's lists to their end: what they are asked for stands on the last of five pages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { useBench } from "../support/bench";
import { temporaryFolder } from "../support/temporary-folder";
import { stepFor } from "../unit/cli/support/plans";
import { runCommand, type ShellOptions } from "./support/open-shell";

const MANY = 250;

/** The branch that was created first, beside the primary one. */
const OLDEST = "preview-0";

/** A platform of many projects, one of them with many branches, which answers with 60 at most. */
async function setUp() {
  const bench = await useBench({ maxPageSize: 60 });
  const { admin, projectId } = bench.emulator;
  const names = Array.from({ length: MANY - 1 }, (_, at) => `preview-${at}`);
  const [oldest] = names.map((name) => admin.seedBranch(projectId, { name }));
  const { id } = admin.seedEndpoint(projectId, { branch_id: oldest?.id ?? "" });
  const projects = Array.from({ length: MANY - 1 }, (_, at) => admin.seedProject({ id: `shop-${at}` }).project.id);
  const folder = join(temporaryFolder(), "shop");

  const ran = async (args: readonly string[], options: ShellOptions = {}) => {
    admin.clearLog();
    const { code, out, err } = await runCommand(bench, args, options);
    expect([code, err]).toEqual([0, expect.anything()]);
    return { out, err, calls: admin.counts().byRoute };
  };
  return { admin, names, oldest, id, projectId, projects, folder, ran };
}

const fiveOfBranches = { "branches.list": 5 };

/** The last page of projects has a cursor as well, so that an empty one follows. */
const sixOfProjects = { "projects.list": 6 };

it("branches and projects list all", async () => {
  const { ran, names, projects, projectId } = await setUp();
  const branches = await ran(["branches", "--json"]);
  const listed = JSON.parse(branches.out).branches as { name: string }[];
  expect(listed.map(({ name }) => name)).toEqual(["main", ...names].reverse());
  expect(branches.calls).toMatchObject(fiveOfBranches);

  const all = await ran(["projects", "--json"]);
  const ids = (JSON.parse(all.out).projects as { id: string }[]).map(({ id }) => id);
  expect(ids.sort()).toEqual([projectId, ...projects].sort());
  expect(all.calls).toEqual(sixOfProjects);
});

it.each([
  ["the primary branch, unasked", [], {}, "main"],
  ["a branch by name", ["--branch", OLDEST], {}, OLDEST],
  ["a branch by an answer", [], { terminal: true, answers: [OLDEST] }, OLDEST],
  ["a branch by its number", [], { terminal: true, answers: [String(MANY - 1)] }, OLDEST],
] satisfies [string, string[], ShellOptions, string][])("init takes %s", async (_, more, options, branch) => {
  const { ran, folder, projectId } = await setUp();
  const { err, calls } = await ran(["init", folder, "--language", "yaml", ...more], options);
  expect(err).toContain(`for branch ${branch} of project ${projectId}`);
  expect(parse(readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8")).config).toMatchObject({ "shop:branch": branch });
  // Both branches have their endpoint, which the list of branches does not tell.
  expect(readFileSync(join(folder, "Pulumi.yaml"), "utf8")).toContain("adoptExisting: true");
  expect(calls).toMatchObject(fiveOfBranches);
});

it("init offers all projects", async () => {
  const { ran, folder, projects } = await setUp();
  const last = projects.at(-1) ?? "";
  const options = { env: { PGCOMPUTE_PROJECT_ID: "" }, terminal: true, answers: [last] };
  const { err, calls } = await ran(["init", folder], options);
  expect(err).toContain(`of project ${last}`);
  expect(calls).toMatchObject(sixOfProjects);
});

it.each([
  ["all", [], ["preview-0", "main"]],
  ["one branch", ["--branch", OLDEST], ["preview-0"]],
])("import-file names the endpoints of %s after branches", async (_, more, labels) => {
  const { ran } = await setUp();
  const { out, calls } = await ran(["import-file", ...more]);
  const { resources } = JSON.parse(out) as { resources: { name: string }[] };
  expect(resources.map(({ name }) => name).sort()).toEqual(labels.sort());
  expect(calls).toMatchObject(fiveOfBranches);
});

it.each([
  ["endpoints", "list"],
  ["operations", "list"],
])("%s %s finds a branch by name", async (...words) => {
  const { ran, id, admin } = await setUp();
  admin.changeEndpoint(id, { current_state: "idle" });
  await ran(["endpoints", "start", id]);
  const { out, calls } = await ran([...words, "--branch", OLDEST, "--json"]);
  expect(out).toContain(id);
  expect(calls).toMatchObject(fiveOfBranches);
});

it("review --live says of each branch that it is protected", async () => {
  const { ran, admin, oldest, id, projectId } = await setUp();
  admin.changeBranch(projectId, oldest?.id ?? "", { protected: true });
  const { urn, type } = stepFor("main", "delete");
  const inputs = { projectId, branchId: oldest?.id, type: "read_write" };
  const step = { op: "delete", urn, oldState: { urn, type, id: `${projectId}/${id}`, inputs, outputs: inputs } };
  const input = JSON.stringify({ steps: [step], changeSummary: { delete: 1 } });
  const { out, calls } = await ran(["review", "--live"], { input, env: { PGCOMPUTE_PLATFORM: "neon" } });
  expect(out).toContain("the branch is protected");
  expect(calls).toMatchObject(fiveOfBranches);
});
