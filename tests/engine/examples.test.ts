/** The examples, by the lines of their pages where those differ. Those with a test of their own are run there. */
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileProgram } from "../../tools/demo/program";
import { root } from "../../tools/root.mjs";
import { createProject, type Project } from "./support/project";
import { linesOf, openTerminal, type Ran } from "./support/terminal";

const examples = join(root, "examples");
const SECTION = "On the emulator, without an account";

const linesFor = (folder: string, section = SECTION) =>
  linesOf(readFileSync(join(examples, folder, "README.md"), "utf8"), section);
const foldersWith = (file: string) =>
  readdirSync(examples).filter((folder) => existsSync(join(examples, folder, file)));

/** Lines that the tests cannot run or need not: packages come from the clone, and its stack is the project's. */
const preparing = /^(cp -r|cd|npm install|pulumi login|pulumi stack init|pulumi package add|python3|venv\/)/;

/** Runs the lines of a page one after the other; `instead` runs a line in another way. */
async function play(
  project: Project,
  folder: string,
  lines: readonly string[],
  instead?: (line: string) => Promise<Ran> | undefined,
) {
  const terminal = openTerminal(project.folders, folder);
  const ran: Ran[] = [];
  for (const line of lines) ran.push(await (instead?.(line) ?? terminal.run(line)));
  return { ran, failed: ran.filter(({ code }) => code !== 0), terminal };
}

describe("every page of an example", () => {
  it.each(foldersWith("README.md"))(
    "%s says how to try it on the emulator, and needs nothing but its own lines",
    (folder) => {
      const lines = linesFor(folder);
      expect(lines.some((line) => line.includes("pgcompute-emulator"))).toBe(true);
      expect(lines.join("\n")).not.toMatch(/YOUR-|curl/);
    },
  );

  it.each([
    // Run by `make demo` (demo.test.ts), and as a night goes (plugin/examples.test.ts).
    ["primary-and-replica", "pipeline", 0],
    ["nightly", "yaml", 2],
  ])("%s has the lines of %s, and %i more", (folder, like, more) => {
    const named = (one: string) => linesFor(one).map((line) => line.replaceAll(one, "NAME"));
    const lines = named(folder);
    expect(lines.slice(0, lines.length - more)).toEqual(named(like));
  });

  it("is of an example that a test runs", () => {
    // Those that need a Postgres are in postgres.
    const here = ["fleet", "import-primary", "pipeline", "preview-environments", "yaml"];
    const apart = ["app-with-database", "drain", "nightly", "primary-and-replica"];
    expect(foldersWith("Pulumi.yaml").sort()).toEqual([...here, ...apart].sort());
  });
});

describe("an example in YAML, by the lines of its page", () => {
  it("yaml deploys, has nothing more to do, and is destroyed", async () => {
    const { project, folder } = await cloneOf("yaml");
    const { ran, failed, terminal } = await play(project, folder, linesFor("yaml"));
    expect(failed).toEqual([]);
    expect(ran.at(-1)?.text).toMatch(/maxConnections: 225/);
    expect((await terminal.run("pulumi up")).text).toMatch(/Resources:\s+2 unchanged/);
    expect(await terminal.run("pulumi destroy")).toMatchObject({ code: 0, text: expect.stringMatching(/- 2 deleted/) });
  });

  it("import-primary is refused, imports, and then has nothing to do", async () => {
    const { project, folder } = await cloneOf("import-primary");
    const lines = linesFor("import-primary").map((line) => line.replace(/^pulumi import/, "$& --yes"));
    const { ran, failed } = await play(project, folder, lines);
    expect(failed.map(({ line }) => line)).toEqual(["pulumi preview"]);
    expect(failed[0]?.text).toContain(
      "pulumi import pgcompute:index:Endpoint primary quiet-harbor-12345678/ep-quiet-harbor-main",
    );
    expect(ran.at(-1)?.text).toMatch(/Resources:\s+(?:~ 1 updated\s+)?\d unchanged|unchanged/);
  });
});

describe("an example in TypeScript, by the lines of its page", () => {
  /** Follows the page; returns the stack, its outputs, and a way to set its configuration. */
  async function deployed(page: string, name = page, section = SECTION) {
    const project = createProject();
    // As `pulumi stack init` leaves it, which these lines leave out.
    await project.cli(["stack", "select", "dev"]);
    const { program } = compileProgram(join(examples, name), join(project.folders.program, "compiled"));
    const stack = project.stack(program);
    const changes: object[] = [];
    const up = async (line: string): Promise<Ran> => {
      const run = await stack.up();
      changes.push(run.changes);
      return { line, code: 0, text: run.text };
    };
    const lines = linesFor(page, section).filter((line) => !preparing.test(line) && !/PULUMI_CONFIG_PASS/.test(line));
    const { failed } = await play(project, project.folders.program, lines, (line) =>
      line === "pulumi up" ? up(line) : undefined,
    );
    expect(failed).toEqual([]);
    const set = (key: string, value: string) => project.setConfig({ [`${project.name}:${key}`]: value });
    return { stack, changes, outputs: project.outputs() as Record<string, object>, set };
  }

  it("pipeline deploys, has nothing more to do, and is destroyed", async () => {
    const { stack, changes, outputs } = await deployed("pipeline");
    expect(changes).toMatchObject([{ create: 1 }]);
    expect(outputs).toMatchObject({
      host: expect.stringMatching(/^ep-/),
      pooledHost: expect.stringMatching(/-pooler\./),
    });
    expect((await stack.up()).changes).toMatchObject({ same: 1, update: 0 });
    expect((await stack.destroy()).changes).toMatchObject({ delete: 1 });
  });

  it("preview-environments deploys the endpoint of a pull request", async () => {
    expect((await deployed("preview-environments")).changes).toMatchObject([{ create: 1 }]);
  });

  it("preview-environments/fleet follows the list of open pull requests, of which one may have no branch", async () => {
    const pages = ["preview-environments", "preview-environments/fleet", "One fleet on the emulator"] as const;
    const { stack, changes, outputs, set } = await deployed(...pages);
    expect(changes).toMatchObject([{ create: 1 }, { update: 1 }]);
    expect(Object.keys(outputs.hosts ?? {})).toEqual(["pr-2"]);
    await set("open", "[2,99]");
    const followed = await stack.preview();
    expect(followed.changes).toMatchObject({ same: 1 });
    expect(followed.text).toContain("pull request 99 has no endpoint: the project has no branch preview/pr-99");
  });

  it("fleet is one resource, with a member that is protected", async () => {
    const { stack, changes, outputs } = await deployed("fleet");
    expect(changes).toMatchObject([{ create: 1 }]);
    expect(Object.keys(outputs.hosts ?? {}).sort()).toEqual(["orders", "orders-reports", "search"]);
    expect((await stack.destroy({ expectFailure: true })).failure).toMatch(/orders.*protected/s);
  });
});

/** A folder in which the example's page finds what it names, and nobody's stack. */
async function cloneOf(example: string): Promise<{ project: Project; folder: string }> {
  const project = createProject();
  const clone = join(project.folders.program, "clone");
  cpSync(join(examples, example), join(clone, "examples", example), {
    recursive: true,
    filter: (file) => !/Pulumi\.\w+\.yaml$/.test(file),
  });
  for (const part of ["bin", "dist", "package.json", "node_modules", "schema.json"]) {
    if (existsSync(join(root, part))) symlinkSync(join(root, part), join(clone, part));
  }
  return { project, folder: clone };
}
