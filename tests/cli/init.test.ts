import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { pulumiRangeFor } from "../../cli/init/template";
import { version } from "../../package.json";
import { released } from "../../tools/release/released.mjs";
import { root } from "../../tools/root.mjs";
import { type Bench, useBench } from "../support/bench";
import { temporaryFolder } from "../support/temporary-folder";
import { runAlone, runCommand, type ShellOptions } from "./support/open-shell";
import { expectTold, transcriptOf } from "./support/transcript";

let bench: Bench;
let parent: string;
beforeEach(async () => {
  bench = await useBench();
  parent = temporaryFolder();
});

const folder = () => join(parent, "My shop");
const noProject = { PGCOMPUTE_PROJECT_ID: "" };
const allHosts = ["nodejs", "yaml", "python", "go"].map((name) => `pulumi-language-${name}`);

/** A folder for PATH with programs of these names. */
function programs(...names: string[]): string {
  const bin = temporaryFolder();
  for (const name of names) writeFileSync(join(bin, name), "", { mode: 0o755 });
  return bin;
}

/** Texts of files that the recording has already. */
const seen = new Set<string>();

/** What is in the folder after a run of `init` that says this. */
async function made(args: string, options: ShellOptions & { folder?: string; there?: Record<string, string> } = {}) {
  const { folder: name = "My shop", there, ...rest } = options;
  const target = join(parent, name);
  rmSync(target, { recursive: true, force: true });
  if (there) mkdirSync(target);
  for (const [file, text] of Object.entries(there ?? {})) writeFileSync(join(target, file), text);
  const env = { ...noProject, PATH: programs("pulumi", ...allHosts) };
  const text = await transcriptOf([[`init '${target}' ${args}`.trim(), { env, ...rest }]], bench);
  const files = readdirSync(target)
    .sort()
    .map((file) => [file, readFileSync(join(target, file), "utf8")] as const)
    .map(([file, written]) => `--- ${file}${seen.has(written) ? ", as above" : `\n${written.trimEnd()}`}\n`);
  for (const file of readdirSync(target)) seen.add(readFileSync(join(target, file), "utf8"));
  return [text, ...files]
    .join("")
    .replaceAll(relative(target, root), "CLONE")
    .replaceAll(/(\.\.\/)+clone/g, "CLONE")
    .replaceAll(/ PATH=\S+/g, "")
    .replace(`"${pulumiRangeFor(process.versions.node)}"`, '"what runs on this Node"')
    .replaceAll(parent, "/folder")
    .replaceAll(bench.emulator.url, "http://127.0.0.1:4010/api/v2");
}

it("a program is written that fits what the project has", async () => {
  const { admin, projectId } = bench.emulator;
  admin.seedBranch(projectId, { name: "dev" });
  const own = { dependencies: { a: "1" }, devDependencies: { "pgcompute-emulator": "file:emulator.tgz" } };
  const all = [
    await made(""),
    await made("--language yaml --branch dev"),
    await made("--language python"),
    await made("--language go --branch main"),
    await made("--emulator"),
    await made("--emulator --language yaml --branch 1_000 --platform neon", { folder: "pgcompute" }),
    await made("--emulator --language yaml", {
      folder: "1st",
      there: { "package.json": JSON.stringify({ ...own, main: "server.js" }) },
    }),
    await made("--emulator", { there: { "package.json": JSON.stringify(own), ".gitignore": "mine\n" } }),
    await made("--emulator", {
      there: { "package.json": '{"main": "server.js"}', "server.js": "", "tsconfig.json": "{}" },
    }),
    await made("--emulator", { there: { "package.json": "{" } }),
    await made("--emulator", { there: { "index.ts": "// mine\n" } }),
  ];
  const { project } = admin.seedProject({ id: "zebra-1", name: "Zebra" });
  admin.seedBranch(project.id, { name: "dev" });
  all.push(await made("--language yaml", { folder: "yes", terminal: true, answers: ["zebra-1", "0", "deev", " 2 "] }));
  all.push(
    await transcriptOf([[`init '${folder()}x'`, { terminal: true, answers: ["3"], env: noProject }]], bench).then(
      (text) => text.replaceAll(parent, "/folder"),
    ),
  );
  // What is there already is larger than the provider takes for granted.
  admin.changeEndpoint(bench.emulator.endpointId, { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 8 });
  all.push(await made(`--language yaml --project ${projectId} --branch main`));
  await expectTold("init", all.join("\n"));
});

it.each(["index.ts", "package.json", ".npmrc", ".gitignore"])(
  "writes nothing through a %s that is a link to nowhere",
  async (name) => {
    mkdirSync(folder());
    symlinkSync(join(parent, "elsewhere"), join(folder(), name));
    const { code, err } = await runAlone(["init", folder(), "--emulator"]);
    expect(existsSync(join(parent, "elsewhere"))).toBe(false);
    if (name === ".gitignore") expect(err).not.toContain(name);
    else expect([code, err]).toEqual([1, expect.stringMatching(`${name}.*nothing was written`)]);
  },
);

/** A project that has installed this package from a source, in a folder of its own. */
function installedFrom(source: string): string {
  const installed = join(parent, "node_modules", "pulumi-pgcompute");
  for (const part of ["bin", "dist/cli.cjs", "templates"])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  writeFileSync(join(parent, "package.json"), JSON.stringify({ dependencies: { "pulumi-pgcompute": source } }));
  return join(installed, "bin/pgcompute.cjs");
}

it.each([
  // Before a release no registry has the package: the installed one is taken.
  ["^0.0.1", released ? `^${version}` : "file:../node_modules/pulumi-pgcompute", released ? `^${version}` : undefined],
  [
    "git+https://git.test/o/pulumi-pgcompute#v0.1.0",
    undefined,
    "git+https://git.test/o/pulumi-pgcompute#emulator-v0.1.0",
  ],
  ["git+https://git.test/o/pulumi-pgcompute#8cb0c43b", undefined, undefined],
  ["git+https://git.test/o/pulumi-pgcompute", undefined, undefined],
  ["github:o/pulumi-pgcompute#v0.1.0", undefined, "github:o/pulumi-pgcompute#emulator-v0.1.0"],
  [
    "https://git.test/v0.1.0/pulumi-pgcompute-0.1.0.tgz",
    undefined,
    "https://git.test/v0.1.0/pgcompute-emulator-0.1.0.tgz",
  ],
  [
    "file:out/pulumi-pgcompute-0.1.0.tgz",
    "file:../out/pulumi-pgcompute-0.1.0.tgz",
    "file:../out/pgcompute-emulator-0.1.0.tgz",
  ],
  ["file:gone/pulumi-pgcompute-0.1.0.tgz", "file:../gone/pulumi-pgcompute-0.1.0.tgz", undefined],
  ["file:clone", "file:../clone", "file:../clone/emulator"],
])("a program has the packages from where npm had them: %s", (source, provider = source, emulator) => {
  mkdirSync(join(parent, "clone/emulator"), { recursive: true });
  mkdirSync(join(parent, "out"));
  writeFileSync(join(parent, "out/pgcompute-emulator-0.1.0.tgz"), "");
  const command = installedFrom(source);
  const { stderr } = spawnSync(
    process.execPath,
    [command, "init", folder(), "--emulator", "--language", "typescript"],
    { encoding: "utf8" },
  );
  if (emulator === undefined) {
    expect(stderr).toContain(`${provider} comes without the emulator, and nothing was written`);
    expect(existsSync(folder())).toBe(false);
    return;
  }
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder(), "package.json"), "utf8"));
  expect(dependencies["pulumi-pgcompute"]).toBe(provider);
  expect(devDependencies["pgcompute-emulator"]).toBe(emulator);
  expect(existsSync(join(folder(), ".npmrc"))).toBe(provider.startsWith("file:"));
});

it.each([
  ["fund=false", "fund=false\ninstall-links=true\n"],
  ["install-links=false\n", "install-links=false\n"],
])("a .npmrc that is there is completed: %j", async (own, after) => {
  mkdirSync(folder());
  writeFileSync(join(folder(), ".npmrc"), own);
  await runAlone(["init", folder(), "--emulator"]);
  expect(readFileSync(join(folder(), ".npmrc"), "utf8")).toBe(after);
});

describe("before it writes a program, init looks for what runs it", () => {
  const yamlAlone = ["pulumi", "pulumi-language-yaml"];
  it.each([
    ["no Pulumi CLI", [], "", 0, /^There is no Pulumi CLI on PATH: https:\S+\. Or .*make -C \S+ engine\nwrote /],
    ["every language", ["pulumi", ...allHosts], "", 0, /^wrote /],
    [
      "another language alone",
      yamlAlone,
      "",
      2,
      /^pgcompute: \S+ finds no .* only that for yaml, .* Give --language yaml, or /,
    ],
    ["another language alone, which is asked for", yamlAlone, "yaml", 0, /^wrote /],
    ["not the language that is asked for", yamlAlone, "go", 0, /^\S+ finds no .*\(pulumi-language-go\).*\nwrote /],
    ["no language at all", ["pulumi"], "", 0, /^\S+ finds no .* none at all\. .*\nwrote /],
  ])("%s", async (_, names, language, code, said) => {
    const args = ["init", folder(), "--emulator", ...(language === "" ? [] : ["--language", language])];
    const ran = await runAlone(args, { env: { PATH: programs(...names) } });
    expect(ran).toMatchObject({ code, err: expect.stringMatching(said) });
    expect(existsSync(folder())).toBe(code === 0);
  });

  it("also beside the program that a link on PATH leads to", async () => {
    const bin = programs();
    symlinkSync(join(programs("pulumi", "pulumi-language-nodejs"), "pulumi"), join(bin, "pulumi"));
    expect(await runAlone(["init", folder(), "--emulator"], { env: { PATH: bin } })).toMatchObject({ code: 0 });
  });
});

it.each([
  ["20.19.0", ">=3.216.0 <3.249.0"],
  ["22.0.0", "^3.216.0"],
  ["24.1.0", "^3.216.0"],
])("on Node %s a program has a @pulumi/pulumi that runs there", (node, range) => {
  expect(pulumiRangeFor(node)).toBe(range);
});

it.each([
  ["node_modules/pulumi-pgcompute", "./node_modules/pulumi-pgcompute"],
  ["../pulumi-pgcompute", "../pulumi-pgcompute"],
  ["pulumi-pgcompute", "./pulumi-pgcompute"],
  [".pulumi-pgcompute", "./.pulumi-pgcompute"],
])("Pulumi is given the folder %s of the package as a path, not as a name in its registry", (place, printed) => {
  const work = join(parent, "work");
  mkdirSync(work);
  const installed = join(work, place);
  for (const part of ["bin", "dist/cli.cjs", "templates"])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  mkdirSync(join(installed, "emulator"));
  const command = [join(installed, "bin/pgcompute.cjs"), "init", ".", "--language", "python", "--emulator"];
  const lines = execFileSync(process.execPath, command, { cwd: work, encoding: "utf8", stdio: "pipe" }).split("\n");
  expect(lines).toContain(`pulumi package add ${printed}`);
});

it("a program in Go is as gofmt has it", async () => {
  expect(await runCommand(bench, ["init", folder(), "--language", "go"])).toMatchObject({ code: 0 });
  expect(execFileSync("gofmt", ["-l", join(folder(), "main.go")], { encoding: "utf8" })).toBe("");
});
