/** Runs npm, which on Windows is a shell script: node cannot start one, and a shell would parse the arguments again. */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";

/**
 * The program and arguments that run npm: node with npm's own script where it is known, as on Windows and within `npm
 * run`.
 *
 * @param {readonly string[]} args
 * @param {{ platform: string, execPath: string, env: NodeJS.ProcessEnv }} [where]
 * @returns {[program: string, args: string[]]}
 */
export function npmCommand(args, { platform, execPath, env } = process) {
  const running = env.npm_execpath ?? "";
  const beside = join(dirname(execPath), "node_modules", "npm", "bin", "npm-cli.js");
  const script = /[\\/]npm-cli\.js$/.test(running) ? running : platform === "win32" ? beside : undefined;
  return script === undefined ? ["npm", [...args]] : [execPath, [script, ...args]];
}

/** Arguments to install packages in a temporary folder, strictly: no package may need another Node than this one. */
export const scratchInstall = [
  "install",
  "--engine-strict",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  "--ignore-scripts",
];

/**
 * Runs npm.
 *
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} [options]
 * @returns {string} its output, unless inherited
 * @throws {Error} where it fails, with its own words
 */
export function npm(args, options) {
  const { status, stdout, stderr, error } = spawnSync(...npmCommand(args), { encoding: "utf8", ...options });
  if (status !== 0)
    throw error ?? new Error(`npm ${args[0]} failed (exit code ${status})${stderr ? `:\n${stderr}` : ""}`);
  return String(stdout ?? "");
}
