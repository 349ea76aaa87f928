/**
 * Finds the Pulumi engine for the demo and the tests: a recent installed one, else the version in this folder's go.mod,
 * built once in the user's cache folder for all clones.
 *
 * As a script it prints the line that puts `pulumi` on PATH, where it is not; all else goes to stderr.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram, isExecutable } from "../find-program.mjs";
import { buildId } from "../go-build.mjs";
import { isScript, root, userCache } from "../root.mjs";
import { buildEngine } from "./build.mjs";
import { earlierModuleFolder, isAtLeast, moduleFolder, pinnedVersions } from "./versions.mjs";

const exe = process.platform === "win32" ? ".exe" : "";
const programs = ["pulumi", "pulumi-language-yaml"];
const launcher = `pulumi-resource-pulumi-nodejs${process.platform === "win32" ? ".cmd" : ""}`;

/** @typedef {{ log?: (line: string) => void }} Options where progress goes; stderr by default */

/** Minimum version of an installed engine: the peer dependency's, so that engine and SDK match. */
export const oldestEngine = "3.216.0";

/**
 * Returns the folder of `pulumi` and, beside it or on PATH, `pulumi-language-yaml`. Builds the pinned engine if none is
 * installed or built: about six minutes on two cores.
 *
 * @param {Options} [options]
 * @returns {Promise<string>} an absolute path
 * @throws {Error} when there is no engine and it cannot be built; the message says what to do
 */
export async function engineBin({ log = toStderr } = {}) {
  return findInstalled(log) ?? builtBin(moduleFolder, log);
}

/**
 * Returns the folder of the earlier engine, whatever is installed. Builds it at first, like the other one.
 *
 * @param {Options} [options]
 * @returns {Promise<string>} an absolute path
 * @throws {Error} when it cannot be built; the message says what to do
 */
export function earlierEngineBin({ log = toStderr } = {}) {
  return builtBin(earlierModuleFolder, log);
}

/** @param {string} line */
function toStderr(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * The cache folder of a module's engine, built if it is not there. Its name covers everything that the build depends on.
 *
 * @param {string} folder
 * @param {(line: string) => void} log
 */
async function builtBin(folder, log) {
  const { engine, yaml } = pinnedVersions(folder);
  const bin = join(userCache(), "engine", `${engine}-yaml-${yaml}-${buildId(folder)}`);
  if (!programs.every((name) => isExecutable(join(bin, name + exe)))) await buildEngine(folder, bin, log);
  addLauncher(bin);
  return bin;
}

/** @param {(line: string) => void} log */
function findInstalled(log) {
  const pulumi = findProgram([`pulumi${exe}`]);
  if (!pulumi) return undefined;
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const version = spawnSync(pulumi, ["version"], { encoding: "utf8", env }).stdout?.trim() ?? "";
  if (!isAtLeast(version, oldestEngine)) {
    log(`engine: ${pulumi} is ${version || "not usable"}, older than ${oldestEngine}: using the pinned one`);
    return undefined;
  }
  const bin = dirname(pulumi);
  const yamlHost = `pulumi-language-yaml${exe}`;
  if (!isExecutable(join(bin, yamlHost)) && !findProgram([yamlHost])) {
    log(`engine: ${pulumi} has no pulumi-language-yaml beside it or on PATH: using the pinned one`);
    return undefined;
  }
  log(`engine: using the installed ${pulumi} ${version}`);
  return bin;
}

/**
 * Puts the launcher of dynamic providers beside the engine, as in the released CLI; elsewhere on PATH the engine would
 * warn in every run. It finds `@pulumi/pulumi` from the program's folder, so any copy works.
 *
 * @param {string} bin
 */
function addLauncher(bin) {
  const source = join(root, "node_modules", "@pulumi", "pulumi", launcher);
  if (existsSync(join(bin, launcher)) || !existsSync(source)) return;
  const partial = join(bin, `${launcher}.${process.pid}`);
  copyFileSync(source, partial);
  renameSync(partial, join(bin, launcher));
}

/** @param {string} text */
function shellWord(text) {
  return /^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

if (isScript(import.meta.url)) {
  engineBin().then(
    (bin) => {
      if (findProgram([`pulumi${exe}`]) === join(bin, `pulumi${exe}`)) return;
      toStderr("engine: it runs programs in YAML. To have it on PATH in this terminal:\n");
      process.stdout.write(`export PATH=${shellWord(bin)}:"$PATH"\n`);
    },
    (error) => {
      process.stderr.write(`engine: ${error instanceof Error ? error.message : error}\n`);
      process.exitCode = 1;
    },
  );
}
