/**
 * `node tools/verify.mjs check` or `test`: runs every check and suite, even after failures, two at a time, and prints
 * each one's output at its end. The last line counts all: `N passed, N failed`.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { checkCommands } from "./check/commands.mjs";
import { checkExports } from "./check/exports.mjs";
import { checkFileNames } from "./check/files.mjs";
import { checkHeads } from "./check/heads.mjs";
import { checkImports } from "./check/imports.mjs";
import { checkNames } from "./check/names.mjs";
import { checkPackages } from "./check/packages.mjs";
import { checkPasted } from "./check/pasted.mjs";
import { checkWorkflows } from "./check/workflows.mjs";
import { cache, root } from "./root.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/** @typedef {(say: (text: string) => void) => Promise<Count>} Step */

/** The longest first, so that others run beside it. @type {Record<string, Step>} */
const checks = {
  "unit tests": suite("unit"),
  types: types("tsconfig.json"),
  "exact optional types of the provider": types("tsconfig.exact.json"),
  "types of the console's page": types("emulator/console/page/tsconfig.json"),
  "format and lint": command("node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."),
  imports: lines(checkImports),
  "wire names": lines(checkNames),
  "Pulumi's commands": lines(checkCommands),
  "head comments": lines(checkHeads),
  exports: lines(checkExports),
  "names of files": lines(checkFileNames),
  "lines to paste": lines(checkPasted),
  workflows: lines(checkWorkflows),
  spelling: command(
    "node_modules/cspell/bin.mjs",
    ...["--no-progress", "--cache", "--cache-strategy", "content", "--cache-location", ".cache/cspell"],
  ),
  prose: command("tools/check/prose.mjs"),
  packages: lines(checkPackages),
  "generated files": command("--import", "tsx", "tools/generate.ts", "--check"),
};

/** The engine's tests take as long as the others together, which run beside them. @type {Record<string, Step>} */
const suites = {
  "engine tests": suite("engine"),
  "tests on the earlier engine": suite("earlier"),
  "fault tests": suite("faults"),
  "provider tests": suite("provider"),
  "emulator tests": suite("emulator"),
  "console tests": suite("console"),
  "program tests": suite("programs"),
  "Postgres tests": suite("postgres"),
  "command line tests": suite("cli"),
};

const plan = process.argv[2];
if (plan !== "check" && plan !== "test") throw new Error("usage: node tools/verify.mjs check|test");

// A fixed seed, so that a random test fails only for the change at hand.
process.env.PGCOMPUTE_SEED ??= "20240501";

// Results of an earlier run would count as this one's.
const results = join(cache, "results");
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
await runAll(plan === "test" ? { ...checks, ...suites } : checks, Math.min(2, availableParallelism()));
if (plan === "test") sayLongest();
for (const failure of failures) console.log(`\n${failure}`.trimEnd());
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
if (total.failed > 0) process.exitCode = 1;

/**
 * Runs steps in order, `atOnce` in parallel, and adds up their counts. A step that runs alone shows its output at once.
 *
 * @param {Record<string, Step>} steps
 * @param {number} atOnce
 */
async function runAll(steps, atOnce) {
  const waiting = Object.entries(steps).values();
  const work = async () => {
    for (const [name, step] of waiting) {
      const startedMs = Date.now();
      /** @type {string[]} */
      const said = [];
      console.log(`\n== ${name}: begin`);
      const count = await step((text) => {
        said.push(text);
        if (atOnce === 1) process.stdout.write(text);
      });
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
      if (atOnce > 1) console.log(`\n== ${name}\n${said.join("")}`.trimEnd());
      console.log(`== ${name}: ${count.failed === 0 ? "good" : "FAILED"} (${seconds} s)`);
      if (count.failed > 0) failures.push(`${name} FAILED:\n${reasonsIn(said.join(""))}`);
      for (const key of /** @type {const} */ (["passed", "failed", "skipped"])) total[key] += count[key];
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/**
 * A step that runs a node program and counts as one, by its exit code.
 *
 * @param {string[]} args
 * @returns {Step}
 */
function command(...args) {
  return async (say) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", say);
    return one((await new Promise((resolve) => child.on("close", resolve))) === 0);
  };
}

/**
 * A step that checks a project's types with TypeScript, incrementally.
 *
 * @param {string} project
 */
function types(project) {
  const kept = join(cache, "types", `${project.replaceAll("/", "-")}.tsbuildinfo`);
  const args = ["--noEmit", "--incremental", "--tsBuildInfoFile", kept, "-p", project];
  return command("node_modules/typescript-native/bin/tsc", ...args);
}

/**
 * @param {() => string[] | Promise<string[]>} find what is wrong, a line each
 * @returns {Step}
 */
function lines(find) {
  return async (say) => {
    const found = await find();
    for (const line of found) say(`${line}\n`);
    return one(found.length === 0);
  };
}

/**
 * A step that runs a project of vitest.config.mts, counted test by test.
 *
 * @param {string} project
 * @returns {Step}
 */
function suite(project) {
  return async (say) => {
    const result = join(results, `${project}.json`);
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${result}`];
    const { failed } = await command("node_modules/vitest/vitest.mjs", "run", "--project", project, ...reporters)(say);
    if (!existsSync(result)) return one(false); // The suite ended before it could count.
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(result, "utf8"));
    return {
      passed: numPassedTests,
      // A file that fails to load has no failed tests, and must not pass.
      failed: Math.max(numFailedTests, failed, numPassedTests === 0 ? 1 : 0),
      skipped: numPendingTests + numTodoTests,
    };
  };
}

/** Prints the slowest test files of all suites. */
function sayLongest() {
  /** @type {{ name: string, startTime: number, endTime: number }[]} */
  const files = readdirSync(results).flatMap(
    (name) => JSON.parse(readFileSync(join(results, name), "utf8")).testResults,
  );
  const times = files.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));
  times.sort((one, other) => other.seconds - one.seconds);
  console.log("\nThe ten slowest test files:");
  for (const { name, seconds } of times.slice(0, 10))
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${relative(root, name)}`);
}

/**
 * The reasons in a failed step's output, for readers of the last lines only: failed tests and errors, also of suites
 * without failed tests; else the exit.
 *
 * @param {string} output
 */
function reasonsIn(output) {
  const lines = stripVTControlCharacters(output).trimEnd().split("\n");
  const telling = lines.filter((line) => /^ *FAIL |^ *\w*Error: |Unhandled|originated in/.test(line));
  return (telling.length > 0 ? telling.slice(0, 12) : lines.slice(-5))
    .map((line) => `  ${line.trim().slice(0, 300)}\n`)
    .join("");
}

/** @param {boolean} good */
function one(good) {
  return { passed: good ? 1 : 0, failed: good ? 0 : 1, skipped: 0 };
}
