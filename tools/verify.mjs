/**
 * `node tools/verify.mjs check` or `test`: every check and every suite, one after the other, to the end even where one
 * fails. The last line counts them all together, as `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkImports } from "./check/imports.mjs";
import { checkNames } from "./check/names.mjs";
import { checkWorkflows } from "./check/workflows.mjs";
import { cache, root } from "./root.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/** @type {Record<string, () => Promise<Count>>} */
const checks = {
  "format and lint": () => command("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."),
  types: () => command("node_modules/typescript/bin/tsc", "--noEmit"),
  "exact optional types of the provider": () =>
    command("node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.exact.json"),
  "types of the console's page": () =>
    command("node_modules/typescript/bin/tsc", "--noEmit", "-p", "emulator/console/page"),
  imports: async () => lines(await checkImports()),
  "wire names": async () => lines(checkNames()),
  workflows: async () => lines(checkWorkflows()),
  "generated files": () => command("--import", "tsx", "tools/generate.ts", "--check"),
  "unit tests": () => suite("unit"),
};

const suites = {
  "provider tests": () => suite("provider"),
  "emulator tests": () => suite("emulator"),
  "program tests": () => suite("programs"),
  "fault tests": () => suite("faults"),
  "console tests": () => suite("console"),
  "command line tests": () => suite("cli"),
  "engine tests": () => suite("engine"),
};

/** @type {Record<string, Record<string, () => Promise<Count>>>} */
const plans = { check: checks, test: { ...checks, ...suites } };

const plan = plans[process.argv[2] ?? ""];
if (!plan) throw new Error(`usage: node tools/verify.mjs ${Object.keys(plans).join("|")}`);

const total = { passed: 0, failed: 0, skipped: 0 };
for (const [name, run] of Object.entries(plan)) {
  const startedMs = Date.now();
  console.log(`\n== ${name}`);
  const count = await run();
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  console.log(`== ${name}: ${count.failed === 0 ? "good" : "FAILED"} (${seconds} s)`);
  for (const key of /** @type {const} */ (["passed", "failed", "skipped"])) total[key] += count[key];
}
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
if (total.failed > 0) process.exitCode = 1;

/**
 * A program of node's that says all by its exit code: it counts as one.
 *
 * @param {string[]} args
 */
async function command(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  return one(status === 0);
}

/** @param {string[]} found what is wrong, a line each */
function lines(found) {
  for (const line of found) console.log(line);
  return one(found.length === 0);
}

/**
 * A project of vitest.config.mts, counted test by test.
 *
 * @param {string} project
 * @returns {Promise<Count>}
 */
async function suite(project) {
  const result = join(cache, "results", `${project}.json`);
  rmSync(result, { force: true });
  mkdirSync(dirname(result), { recursive: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${result}`];
  const { failed } = await command("node_modules/vitest/vitest.mjs", "run", "--project", project, ...reporters);
  if (!existsSync(result)) return one(false); // it broke before it could count
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(result, "utf8"));
  return {
    passed: numPassedTests,
    // A file that does not even load fails no test, and must not pass for that.
    failed: Math.max(numFailedTests, failed, numPassedTests === 0 ? 1 : 0),
    skipped: numPendingTests + numTodoTests,
  };
}

/** @param {boolean} good */
function one(good) {
  return { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 };
}
