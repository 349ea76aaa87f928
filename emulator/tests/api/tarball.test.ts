/**
 * Tests the package as npm packs it, in a folder with only vitest and TypeScript of the clone: its installation, and
 * programs with it.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scratchInstall as install, npmCommand } from "../../../tools/npm.mjs";
import { packNpm } from "../../../tools/pack/npm-tarball.mjs";
import { root } from "../../../tools/root.mjs";

const run = promisify(execFile);

const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let work = "";
let installed: { packages: string[]; bytes: number };

// The first run fetches jest from the registry that npm is set to.
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "pgcompute-emulator-"));
  writeFileSync(join(work, "package.json"), JSON.stringify({ name: "scratch", private: true }));
  await npm(...install, packNpm(work, join(root, "emulator")));
  const modules = join(work, "node_modules");
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" });
  installed = {
    packages: (await npm("ls", "--all", "--parseable")).trim().split("\n").slice(1),
    bytes: files.reduce((sum, file) => sum + statSync(join(modules, file)).size, 0),
  };
  await npm(...install, "jest@30.5.2", `@types/node@${devDependencies["@types/node"]}`);
  for (const name of ["vitest", "typescript"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
}, 600_000);
afterAll(() => rmSync(work, { recursive: true, force: true, maxRetries: 10 }));

/** Runs npm in the folder and returns its output. Rejects with npm's own words, such as without a registry. */
async function npm(...args: string[]): Promise<string> {
  return (await run(...npmCommand(args), { cwd: work })).stdout;
}

/**
 * Runs node in the folder without vitest's environment. The time limit is for hanging programs; they must end by
 * themselves.
 */
async function node(...args: string[]): Promise<string> {
  const env = { PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter), NO_COLOR: "1" };
  const { stdout, stderr } = await run(process.execPath, args, { cwd: work, env, timeout: 100_000 });
  return stdout + stderr;
}

it("installs little: at most 70 packages and 30 MB", () => {
  expect(installed.packages).toContain(join(work, "node_modules/pgcompute-emulator"));
  expect(installed.packages.length).toBeLessThanOrEqual(70);
  expect(installed.bytes).toBeLessThanOrEqual(30e6);
});

it("runs as the command that npm links", async () => {
  expect(await node("node_modules/.bin/pgcompute-emulator", "--version")).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

/** A test of an endpoint that starts, which forgets to close its emulator. */
const test = `
test("starts", async () => {
  const emulator = (await createEmulator({ clock: "manual", operationMs: 2000 })).unref();
  const address = emulator.url + "/projects/" + emulator.projectId + "/endpoints/" + emulator.endpointId + "/start";
  const answer = await fetch(address, { method: "POST", headers: { authorization: "Bearer " + emulator.apiKey } });
  if (!answer.ok) throw new Error(await answer.text());
  const state = () => emulator.admin.project(emulator.projectId).endpoints[0].current_state;
  if (state() !== "idle") throw new Error("it is " + state() + " at once");
  emulator.admin.advance(4000);
  if (state() !== "active") throw new Error("it is " + state());
});
`;
const asModule = 'import { createEmulator } from "pgcompute-emulator";\n';
const asCommonJs = 'const { createEmulator } = require("pgcompute-emulator");\n';

describe("a test that does not close it passes, and its runner ends", () => {
  it.each([
    {
      runner: "vitest",
      file: "vitest.test.mjs",
      head: `import { test } from "vitest";\n${asModule}`,
      args: ["node_modules/vitest/vitest.mjs", "run", "--root", "."],
      passed: /Tests +1 passed/,
    },
    {
      runner: "jest",
      file: "jest.test.cjs",
      head: asCommonJs,
      args: ["node_modules/jest/bin/jest.js", "--testMatch=**/*.cjs"],
      passed: /Tests: +1 passed/,
    },
    {
      runner: "node:test, as ESM",
      file: "node.test.mjs",
      head: `import { test } from "node:test";\n${asModule}`,
      args: ["--test"],
      passed: /^. pass 1$/m,
    },
    {
      runner: "node:test, as CommonJS",
      file: "node.test.cjs",
      head: `const { test } = require("node:test");\n${asCommonJs}`,
      args: ["--test"],
      passed: /^. pass 1$/m,
    },
  ])("$runner", async ({ file, head, args, passed }) => {
    writeFileSync(join(work, file), head + test);
    const text = await node(...args, file);
    expect(text).toMatch(passed);
    expect(text).not.toContain("did not exit");
  });
});

/** With names of types too, which have to be those of what node loads. */
const typed = `
import { createEmulator, type Emulator, type EmulatorOptions } from "pgcompute-emulator";

const options: EmulatorOptions = { clock: "manual", projects: [{ id: "shop" }] };

async function main(): Promise<void> {
  await using emulator: Emulator = await createEmulator(options);
  console.log(emulator.projectId, emulator.admin.project(emulator.projectId).endpoints.length);
  // @ts-expect-error so that types that are not found do not pass for any
  emulator.admin.noSuchCall;
}

void main();
`;

// That each way of finding modules leads to the types is held by make check; here are those of all that they name, too.
it("TypeScript finds its types, and node runs what it writes", async () => {
  for (const ending of ["cts", "mts"]) writeFileSync(join(work, `program.${ending}`), typed);
  const flags = "--module nodenext --target es2022 --lib es2022 --types node --strict".split(" ");
  const tsc = node("node_modules/typescript/bin/tsc", ...flags, "program.cts", "program.mts");
  await tsc.catch(({ stdout }) => expect.fail(stdout));
  // Version 7 takes no types of Node's that it is not told of.
  const native = [join(root, "node_modules/typescript-native/bin/tsc"), "--noEmit", "--module", "nodenext"];
  const plain = `import { createEmulator } from "pgcompute-emulator";\nexport const emulator = createEmulator({ operationMs: 0 });\n`;
  writeFileSync(join(work, "plain.mts"), plain);
  const checked = node(...native, "--target", "es2022", "--lib", "es2022", "--strict", "plain.mts");
  await checked.catch(({ stdout }) => expect.fail(stdout));
  for (const ending of ["cjs", "mjs"]) expect(await node(`program.${ending}`)).toBe("shop 1\n");
});
