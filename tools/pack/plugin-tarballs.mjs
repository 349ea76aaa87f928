/**
 * The plugin for `pulumi plugin install`: a tarball per platform, with an executable of the plugin's name at its top.
 */
import {
  copyFileSync,
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { create } from "tar";
import { root } from "../root.mjs";
import { buildExecutable, canBuildExecutables } from "./executable.mjs";
import { nodeBinary } from "./node-binary.mjs";
import { builder, platformName } from "./platforms.mjs";

const NAME = "pulumi-resource-pgcompute";
const noNode = `${NAME} needs Node.js 20.19 or newer on PATH, and there is none: install it, and run this again`;

/** The script's first lines. A shell finds node and starts it with this file; node reads a string and a comment. */
const launch = `#!/bin/sh
":" //; command -v node >/dev/null 2>&1 || { echo "${noNode}" >&2; exit 1; }; exec node "$0" "$@"
`;

/**
 * @param {string} folder where the tarballs go
 * @param {{ bundle: string, version: string, platforms: readonly import("./platforms.mjs").Platform[], level: number }} options
 *   the plugin's bundle, and how hard to compress, from 1 to 9
 * @returns {Promise<string[]>} the tarballs, absolute
 */
export async function packPlugins(folder, { bundle, version, platforms, level }) {
  const tarballs = [];
  for (const platform of platforms) {
    const file = join(folder, `${NAME}-v${version}-${platformName(platform)}.tar.gz`);
    await packPlugin(file, platform, bundle, level);
    tarballs.push(file);
  }
  return tarballs;
}

/**
 * @param {string} file
 * @param {import("./platforms.mjs").Platform} platform
 * @param {string} bundle
 * @param {number} level
 */
async function packPlugin(file, platform, bundle, level) {
  const work = mkdtempSync(join(tmpdir(), `${NAME}-`));
  const top = join(work, "top");
  mkdirSync(top);
  try {
    const { node } = platform;
    if (node && canBuildExecutables) {
      const name = platform.system === "windows" ? `${NAME}.exe` : NAME;
      await buildExecutable({ ...platform, node }, bundle, join(top, name), work);
      copyFileSync((await nodeBinary(builder.node)).licence, join(top, "LICENSE-NODE"));
    } else {
      writeScript(top, platform, readFileSync(bundle, "utf8"));
    }
    cpSync(join(root, "dist", "THIRD-PARTY-NOTICES"), join(top, "THIRD-PARTY-NOTICES"));
    for (const one of ["LICENSE", "README.md"]) cpSync(join(root, one), join(top, one));
    // The same sources give the same names, modes and times in every build.
    const entries = create({ cwd: top, portable: true, mtime: new Date(0) }, readdirSync(top).sort());
    await pipeline(entries, createGzip({ level }), createWriteStream(file));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {import("./platforms.mjs").Platform} platform
 * @param {string} bundle
 */
function writeScript(folder, { system }, bundle) {
  writeFileSync(join(folder, NAME), launch + bundle, { mode: 0o755 });
  if (system !== "windows") return;
  const lines = [`@where node >nul 2>nul || (echo ${noNode} 1>&2 & exit /b 1)`, `@node "%~dp0\\${NAME}" %*`];
  writeFileSync(join(folder, `${NAME}.cmd`), lines.map((line) => `${line}\r\n`).join(""));
}
