/** The npm packages, packed by npm from the `files` of their package.json. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { npm } from "../npm.mjs";
import { root } from "../root.mjs";

/**
 * @param {string} folder where the tarball goes
 * @param {string} from the package's folder
 * @param {Record<string, string>} [instead] files that take the place of the clone's, by their path in the package
 * @returns {string} the tarball, absolute
 * @throws {Error} when npm refuses
 */
export function packNpm(folder, from, instead = {}) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-pgcompute-"));
  try {
    cpSync(join(root, "LICENSE"), join(work, "LICENSE"));
    for (const { path } of npmPack(from, "--dry-run").files)
      cpSync(instead[path] ?? join(from, path), join(work, path));
    // Pulumi runs `npm install` in the package's folder: fields for the clone alone would cost a minute there.
    const { scripts, devDependencies, workspaces, ...rest } = JSON.parse(
      readFileSync(join(from, "package.json"), "utf8"),
    );
    writeFileSync(join(work, "package.json"), `${JSON.stringify(rest, null, 2)}\n`);
    return join(folder, npmPack(work, "--pack-destination", folder).filename);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} cwd
 * @param {...string} options
 * @returns {{ filename: string, files: { path: string }[] }}
 */
function npmPack(cwd, ...options) {
  // The caller has built dist/.
  return JSON.parse(npm(["pack", "--json", "--ignore-scripts", ...options], { cwd }))[0];
}
