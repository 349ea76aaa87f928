/**
 * The plugin as `pulumi plugin install` takes it: one tarball a platform, each with an executable of the plugin's name at
 * its top. It is the same JavaScript everywhere, in one file, and needs nothing but node.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { root } from "../root.mjs";

const NAME = "pulumi-resource-pgcompute";
const systems = ["linux", "darwin", "windows"];
const processors = ["amd64", "arm64"];

/**
 * @param {string} folder where the tarballs go
 * @returns {Promise<string[]>} the tarballs, absolute
 */
export async function packPlugins(folder) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const tarballs = [];
  for (const system of systems) {
    for (const processor of processors) {
      const file = join(folder, `${NAME}-v${version}-${system}-${processor}.tar.gz`);
      await packPlugin(file, system);
      tarballs.push(file);
    }
  }
  return tarballs;
}

/**
 * @param {string} file
 * @param {string} system
 */
async function packPlugin(file, system) {
  const work = mkdtempSync(join(tmpdir(), `${NAME}-`));
  try {
    const bundle = readFileSync(join(root, "dist", "plugin.cjs"), "utf8");
    writeFileSync(join(work, NAME), `#!/usr/bin/env node\n${bundle}`, { mode: 0o755 });
    if (system === "windows") writeFileSync(join(work, `${NAME}.cmd`), `@node "%~dp0\\${NAME}" %*\r\n`);
    cpSync(join(root, "dist", "THIRD-PARTY-NOTICES"), join(work, "THIRD-PARTY-NOTICES"));
    for (const one of ["LICENSE", "README.md"]) cpSync(join(root, one), join(work, one));
    // The same sources give the same bytes, whoever packs them and when.
    const options = { gzip: { level: 9 }, file, cwd: work, portable: true, mtime: new Date(0) };
    await create(options, readdirSync(work).sort());
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
