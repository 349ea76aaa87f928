/** `make dist`: packs the built files into out/, with their checksums. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isScript, root } from "../root.mjs";
import { packNpm } from "./npm-tarball.mjs";
import { platforms, thisPlatform } from "./platforms.mjs";
import { bundleOfRelease } from "./plugin-bundle.mjs";
import { packPlugins } from "./plugin-tarballs.mjs";
import { writeSbom } from "./sbom.mjs";
import { startTime } from "./start-time.mjs";

/**
 * Packs what dist/ and emulator/dist/ hold into the folder, which is emptied first: the npm tarballs of the package and
 * of the emulator, the plugin's tarballs, what is in them and `SHA256SUMS`.
 *
 * @param {string} folder
 * @param {object} [options]
 * @param {readonly import("./platforms.mjs").Platform[]} [options.platforms] for which the plugin is packed; by default all
 * @param {number} [options.level] how hard to compress, from 1 to 9
 * @param {string} [options.pluginUrl] goes into the schema: where the engine finds the plugin that a program does not have
 * @returns {Promise<{ npm: string[], plugins: string[] }>} the tarballs, absolute
 */
export async function pack(folder, options = {}) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "pulumi-pgcompute-"));
  try {
    return await packInto(folder, work, options);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} work
 * @param {Parameters<typeof pack>[1] & {}} options
 */
async function packInto(folder, work, options) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { schema, bundle } = await bundleOfRelease(work, options.pluginUrl);
  const npm = [
    packNpm(folder, root, { "schema.json": schema, "dist/plugin.cjs": bundle }),
    packNpm(folder, join(root, "emulator")),
  ];
  const plugins = await packPlugins(folder, {
    bundle,
    version,
    platforms: options.platforms ?? platforms,
    level: options.level ?? 9,
  });
  const sbom = writeSbom(join(folder, "sbom.cdx.json"));
  const sums = [...npm, ...plugins, sbom].map((file) => {
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    return `${hash}  ${file.slice(folder.length + 1)}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  return { npm, plugins };
}

if (isScript(import.meta.url)) {
  const { PLUGIN_URL: pluginUrl } = process.env;
  const { npm, plugins } = await pack(join(root, "out"), pluginUrl ? { pluginUrl } : {});
  for (const file of [...npm, ...plugins]) {
    const mb = (statSync(file).size / 1e6).toFixed(1);
    const here = process.platform !== "win32" && file.endsWith(`-${thisPlatform()}.tar.gz`);
    const start = here ? `, starts in ${await startTime(file)} ms` : "";
    console.log(`${file.slice(root.length + 1)} (${mb} MB${start})`);
  }
}
