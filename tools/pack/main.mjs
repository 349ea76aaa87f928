/** `make dist`: packs what has been built into out/, with the checksums of what is there. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isScript, root } from "../root.mjs";
import { packNpm } from "./npm-tarball.mjs";
import { platforms, thisPlatform } from "./platforms.mjs";
import { packPlugins } from "./plugin-tarballs.mjs";
import { startTime } from "./start-time.mjs";

/**
 * Packs what dist/ holds into the folder, which is emptied first: the npm tarball, the plugin's tarballs and
 * `SHA256SUMS`.
 *
 * @param {string} folder
 * @param {object} [options]
 * @param {readonly import("./platforms.mjs").Platform[]} [options.platforms] for which the plugin is packed; by default all
 * @param {number} [options.level] how hard to compress, from 1 to 9
 * @returns {Promise<{ npm: string, plugins: string[] }>} the tarballs, absolute
 */
export async function pack(folder, options = {}) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const npm = packNpm(folder);
  const plugins = await packPlugins(folder, {
    bundle: join(root, "dist", "plugin.cjs"),
    version,
    platforms: options.platforms ?? platforms,
    level: options.level ?? 9,
  });
  const sums = [npm, ...plugins].map((file) => {
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    return `${hash}  ${file.slice(folder.length + 1)}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  return { npm, plugins };
}

if (isScript(import.meta.url)) {
  const { npm, plugins } = await pack(join(root, "out"));
  for (const file of [npm, ...plugins]) {
    const mb = (statSync(file).size / 1e6).toFixed(1);
    const here = process.platform !== "win32" && file.endsWith(`-${thisPlatform()}.tar.gz`);
    const start = here ? `, starts in ${await startTime(file)} ms` : "";
    console.log(`${file.slice(root.length + 1)} (${mb} MB${start})`);
  }
}
