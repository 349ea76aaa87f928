import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileProgram } from "../../tools/demo/program";
import { root } from "../../tools/root.mjs";
import { createProject, type Project } from "./support/project";
import { linesOf, openTerminal, type Ran } from "./support/terminal";

const examples = join(root, "examples");
const SECTION = "On the emulator, without an account";
const FLEET_SECTION = "One fleet on the emulator";

const pageOf = (folder: string) => readFileSync(join(examples, folder, "README.md"), "utf8");

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
  it.each(readdirSync(examples).filter((folder) => existsSync(join(examples, folder, "README.md"))))(
    "%s says how to try it on the emulator, and needs nothing but its own lines",
    (folder) => {
      const lines = linesOf(pageOf(folder), SECTION);
      expect(lines.some((line) => line.includes("pgcompute-emulator"))).toBe(true);
      expect(lines.join("\n")).not.toMatch(/YOUR-|curl/);
    },
  );
});

describe("an example in YAML, by the lines of its page", () => {
  it("yaml deploys, has nothing more to do, and is destroyed", async () => {
    const { project, folder } = await cloneOf("yaml");
    const { ran, failed, terminal } = await play(project, folder, linesOf(pageOf("yaml"), SECTION));
    expect(failed).toEqual([]);
    expect(ran.at(-1)?.text).toMatch(/maxConnections: 225/);
    expect((await terminal.run("pulumi up")).text).toMatch(/Resources:\s+2 unchanged/);
    expect(await terminal.run("pulumi destroy")).toMatchObject({ code: 0, text: expect.stringMatching(/- 2 deleted/) });
  });

  it("nightly says what waits for the night", async () => {
    const { project, folder } = await cloneOf("nightly");
    const { ran, failed } = await play(project, folder, linesOf(pageOf("nightly"), SECTION));
    expect(failed).toEqual([]);
    expect(ran.at(-1)?.text).toContain("waits for an idle moment, then restarts the endpoint");
  });

  it("import-primary is refused, imports, and then has nothing to do", async () => {
    const { project, folder } = await cloneOf("import-primary");
    const lines = linesOf(pageOf("import-primary"), SECTION).map((line) => line.replace(/^pulumi import/, "$& --yes"));
    const { ran, failed } = await play(project, folder, lines);
    expect(failed.map(({ line }) => line)).toEqual(["pulumi preview"]);
    expect(failed[0]?.text).toContain(
      "pulumi import pgcompute:index:Endpoint primary quiet-harbor-12345678/ep-quiet-harbor-main",
    );
    expect(ran.at(-1)?.text).toMatch(/Resources:\s+(?:~ 1 updated\s+)?\d unchanged|unchanged/);
  });
});

describe("an example in TypeScript, by the lines of its page", () => {
  it.each([
    ["primary-and-replica", SECTION, "primary-and-replica", [{ create: 2 }]],
    ["pipeline", SECTION, "pipeline", [{ create: 1 }]],
    ["preview-environments", SECTION, "preview-environments", [{ create: 1 }]],
    ["preview-environments", FLEET_SECTION, "preview-environments/fleet", [{ create: 1 }, { update: 1 }]],
    ["fleet", SECTION, "fleet", [{ create: 1 }]],
  ])("%s, %s: deploys", async (page, section, name, expected) => {
    const project = await createProject();
    // As `pulumi stack init` leaves it, which these lines leave out.
    await project.cli(["stack", "select", "dev"]);
    const { program } = compileProgram(join(examples, name), join(project.folders.program, "compiled"));
    const lines = linesOf(pageOf(page), section).filter((line) => !preparing.test(line));
    const stack = project.stack(program);
    const runs = [...expected];
    const up = async (line: string): Promise<Ran> => {
      const { changes, text } = await stack.up();
      expect(changes).toMatchObject(runs.shift() ?? {});
      return { line, code: 0, text };
    };
    const here = lines.filter((line) => !line.startsWith("export PULUMI_CONFIG_PASSPHRASE"));
    const { failed } = await play(project, project.folders.program, here, (line) =>
      line === "pulumi up" ? up(line) : undefined,
    );
    expect(failed).toEqual([]);
    expect(runs).toEqual([]);
  });

  it("fleet-over-stacks deploys and is removed by its own script", async () => {
    const project = await createProject();
    const folder = join(project.folders.program, "fleet-over-stacks");
    cpSync(join(examples, "fleet-over-stacks"), folder, { recursive: true });
    let url = "";
    const lines = linesOf(pageOf("fleet-over-stacks"), SECTION).filter((line) => !preparing.test(line));
    const terminal = openTerminal(project.folders, folder);
    for (const line of lines) {
      // The test's emulator has a port of its own.
      const { code, text } = await terminal.run(line.replace("http://127.0.0.1:4010/api/v2", url));
      expect({ line, code, text }).toMatchObject({ code: 0 });
      url = /^address +(\S+)$/m.exec(text)?.[1] ?? url;
    }
  });
});

/** A folder in which the example's page finds what it names, and nobody's stack. */
async function cloneOf(example: string): Promise<{ project: Project; folder: string }> {
  const project = await createProject();
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
