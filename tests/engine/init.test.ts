import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { languages } from "../../cli/init/template";
import { compileProgram } from "../../tools/demo/program";
import { root } from "../../tools/root.mjs";
import { engineEnvironment, type Folders } from "./support/environment";
import { said } from "./support/look";
import { useBench } from "./support/platform";
import { createProject } from "./support/project";
import { openTerminal, type Ran } from "./support/terminal";

const bench = useBench();

/** Runs `init` as a command and returns its output. The emulator answers from this process meanwhile. */
async function init(folder: string, args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const command = [join(root, "bin/pgcompute.cjs"), "init", folder, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: { ...process.env, ...env } });
  // Comments have lines of their own.
  return stdout
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("#"));
}

/** PATH with a host for each language, which `pulumi new` starts before it writes a file. This engine may have but one. */
function withAllHosts(folders: Folders): Record<string, string> {
  const { PATH = "" } = engineEnvironment(folders);
  const own = PATH.split(delimiter).map((folder) => join(folder, "pulumi-language-yaml"));
  const stand = join(folders.program, "hosts");
  mkdirSync(stand);
  for (const name of ["nodejs", "python", "go"])
    symlinkSync(own.find(existsSync) ?? "", join(stand, `pulumi-language-${name}`));
  return { PATH: [PATH, stand].join(delimiter) };
}

describe("pgcompute init", () => {
  it("in YAML for the emulator: the lines that it prints lead to a deployment", async () => {
    const { folders } = createProject();
    const folder = join(folders.program, "shop");
    const lines = await init(folder, ["--language", "yaml", "--emulator"]);
    expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      expect.stringMatching(/^cd /),
      "npm install",
      "pulumi login",
      "pulumi stack",
      "npx --no-install",
      "pulumi up",
    ]);
    const terminal = openTerminal(folders, folders.program);
    const ran: Ran[] = [];
    for (const line of lines) ran.push(await terminal.run(line));
    expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
    // What npm has installed, and not what a test would put in its place.
    expect(ran.map(({ line }) => line)).toContainEqual(
      expect.stringMatching(/^npx --no-install pgcompute-emulator --branch dev/),
    );
    expect(existsSync(join(folder, "node_modules/.bin/pgcompute-emulator"))).toBe(true);
    expect(ran.at(-1)?.text).toMatch(/host *: "ep-.*\n +replicaHost *: "ep-/);
    const again = await terminal.run("pulumi up");
    expect(again.text).toMatch(/Resources:\s+3 unchanged/);
    // The key is in the configuration, and not in the clear.
    const config = readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8");
    expect(config).toMatch(/pgcompute:apiKey:\n +secure: /);
    expect((await terminal.run("pulumi destroy")).code).toBe(0);
  });

  it("in TypeScript for a branch that has its endpoint: takes it over as it is", async () => {
    const { emulator, projectId } = bench;
    const project = bench.project();
    const folder = join(project.folders.program, "shop");
    const env = { PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url };
    expect(await init(folder, ["--language", "typescript"], env)).toContain("npm install");
    expect(readFileSync(join(folder, ".npmrc"), "utf8")).toBe("install-links=true\n");

    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
    project.setConfig({ "engine-test:projectId": projectId, "engine-test:branch": "main" });
    const { program } = compileProgram(folder, join(project.folders.program, "compiled"));
    const stack = project.stack(program);
    const up = await stack.up();
    expect(up.changes).toMatchObject({ create: 2 });
    const id = `${projectId}/${emulator.endpointId}`;
    expect(said(up)).toContain(`adopts endpoint ${id}; destroy will release it`);
    expect(bench.on(emulator.branchId)).toHaveLength(2);
    expect((await stack.up()).changes).toMatchObject({ same: 2, update: 0 });
    expect(said(await stack.destroy())).toContain(`releases endpoint ${id}`);
    // What was there before stays.
    expect(bench.on(emulator.branchId)).toHaveLength(1);
  });

  it.each(languages)("writes the program that `pulumi new` takes from the template in %s", async (language) => {
    const project = bench.project();
    const made = (name: string) => join(project.folders.program, name);
    await init(made("shop"), ["--language", language, "--emulator"]);
    const options = ["--generate-only", "--yes", "--name", "shop", "--description", "Ours.", "--dir", made("new")];
    const { code, text } = await project.cli(["new", join(root, "templates", language), ...options], {
      env: withAllHosts(project.folders),
    });
    expect(code, text).toBe(0);
    const read = (folder: string, file: string) => readFileSync(join(made(folder), file), "utf8");
    const { config, plugins: _, ...rest } = parse(read("shop", "Pulumi.yaml"));
    const { config: asked, ...taken } = parse(read("new", "Pulumi.yaml"));
    expect(taken).toEqual({ ...rest, description: "Ours." });
    expect(asked ?? {}).toMatchObject(config ?? {});
    const own = readdirSync(made("new")).filter((file) => !/^(?:Pulumi\.yaml|package\.json)$/.test(file));
    expect(own.length).toBeGreaterThan(0);
    for (const file of own) expect(read("new", file), file).toBe(read("shop", file));
  });
});
