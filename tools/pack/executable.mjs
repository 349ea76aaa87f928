/**
 * Builds the plugin as one executable: node with the bundle in it (a single executable application). V8's code cache,
 * made only on the target machine, halves its start.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.mjs";
import { nodeBinary } from "./node-binary.mjs";
import { builder, platformName, thisPlatform } from "./platforms.mjs";

/** The marker by which node finds its embedded program. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** True on a system that can build executables: the pinned node for Linux prepares them. */
export const canBuildExecutables = thisPlatform() === platformName(builder);

/**
 * @param {import("./platforms.mjs").Platform & { node: {} }} platform
 * @param {string} bundle the plugin's bundle
 * @param {string} executable the file to write
 * @param {string} work a folder for what is made on the way
 */
export async function buildExecutable(platform, bundle, executable, work) {
  const { binary } = await nodeBinary(platform.node);
  const { binary: node } = await nodeBinary(builder.node);
  const contents = join(work, "contents");
  const config = join(work, "contents.json");
  const useCodeCache = platformName(platform) === platformName(builder);
  const wanted = { main: bundle, output: contents, disableExperimentalSEAWarning: true, useCodeCache };
  writeFileSync(config, JSON.stringify(wanted));
  run(node, ["--experimental-sea-config", config]);
  copyFileSync(binary, executable);
  chmodSync(executable, 0o755);
  const postject = join(root, "node_modules", "postject", "dist", "cli.js");
  run(process.execPath, [postject, executable, "NODE_SEA_BLOB", contents, "--sentinel-fuse", fuse]);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${command} failed (exit code ${status}):\n${stdout}${stderr}`);
}
