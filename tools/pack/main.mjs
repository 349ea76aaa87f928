/** `make dist`: packs what has been built into out/, with the checksums of what is there. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isScript, root } from "../root.mjs";
import { packNpm } from "./npm-tarball.mjs";
import { packPlugins } from "./plugin-tarballs.mjs";

/**
 * Packs what dist/ holds into the folder, which is emptied first: the npm tarball, the plugin's tarballs and
 * `SHA256SUMS`.
 *
 * @param {string} folder
 * @returns {Promise<{ npm: string, plugins: string[] }>} the tarballs, absolute
 */
export async function pack(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const npm = packNpm(folder);
  const plugins = await packPlugins(folder);
  const sums = [npm, ...plugins].map((file) => {
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    return `${hash}  ${file.slice(folder.length + 1)}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  return { npm, plugins };
}

if (isScript(import.meta.url)) {
  const { npm, plugins } = await pack(join(root, "out"));
  for (const file of [npm, ...plugins]) console.log(file.slice(root.length + 1));
}
