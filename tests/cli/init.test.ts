import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { version } from "../../package.json";
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
/** Texts of files that the recording has already. */
const seen = new Set<string>();

/** What is in the folder after a run of `init` that says this. */
async function made(args: string, options: ShellOptions & { folder?: string; there?: Record<string, string> } = {}) {
  const { folder: name = "My shop", there, ...rest } = options;
  const target = join(parent, name);
  rmSync(target, { recursive: true, force: true });
  if (there) mkdirSync(target);
  for (const [file, text] of Object.entries(there ?? {})) writeFileSync(join(target, file), text);
  const env = noProject;
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
    await made("--emulator --language yaml --branch x --platform neon", { folder: "pgcompute" }),
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
  all.push(await made("--language yaml", { terminal: true, answers: ["zebra-1", "0", "deev", " 2 "] }));
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

it.each(["index.ts", "package.json", ".gitignore"])(
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

it.each([
  ["^0.0.1", `^${version}`, `^${version}`],
  [
    "git+https://git.test/o/pulumi-pgcompute#v0.1.0",
    undefined,
    "git+https://git.test/o/pulumi-pgcompute#emulator-v0.1.0",
  ],
  ["github:o/pulumi-pgcompute#v0.1.0", undefined, "github:o/pulumi-pgcompute#emulator-v0.1.0"],
  [
    "https://git.test/v0.1.0/pulumi-pgcompute-0.1.0.tgz",
    undefined,
    "https://git.test/v0.1.0/pgcompute-emulator-0.1.0.tgz",
  ],
])("a program has the packages from where npm had them: %s", (source, provider = source, emulator) => {
  const installed = join(parent, "node_modules", "pulumi-pgcompute");
  for (const part of ["bin", "dist/cli.cjs", "templates"])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  writeFileSync(join(parent, "package.json"), JSON.stringify({ dependencies: { "pulumi-pgcompute": source } }));
  execFileSync(process.execPath, [join(installed, "bin/pgcompute.cjs"), "init", folder(), "--emulator"], {
    stdio: "pipe",
  });
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder(), "package.json"), "utf8"));
  expect(dependencies["pulumi-pgcompute"]).toBe(provider);
  expect(devDependencies["pgcompute-emulator"]).toBe(emulator);
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
  const command = [join(installed, "bin/pgcompute.cjs"), "init", ".", "--language", "python", "--emulator"];
  const lines = execFileSync(process.execPath, command, { cwd: work, encoding: "utf8", stdio: "pipe" }).split("\n");
  expect(lines).toContain(`pulumi package add ${printed}`);
});

it("a program in Go is as gofmt has it", async () => {
  expect(await runCommand(bench, ["init", folder(), "--language", "go"])).toMatchObject({ code: 0 });
  expect(execFileSync("gofmt", ["-l", join(folder(), "main.go")], { encoding: "utf8" })).toBe("");
});
