/** The licence texts of the bundled packages, which their terms require. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";

const marker = `${sep}node_modules${sep}`;
const intro = "The files in this folder contain code of these packages, each under the licence that follows its name.";

/**
 * Writes THIRD-PARTY-NOTICES into the folder for all entries bundled there: a part per package and version, sorted by
 * name. Fails for a package without a licence. The last entry's file is complete.
 *
 * @param {string} dist
 * @returns {import("rolldown").Plugin}
 */
export function noticesIn(dist) {
  /** The texts so far, by package and version. @type {Map<string, string>} */
  const texts = new Map();
  return {
    name: "notices",
    writeBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
      for (const folder of new Set(modules.map(packageFolder)))
        if (folder !== undefined) texts.set(...noticeOf(folder));
      const parts = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, text]) => `${title}\n\n${text}`);
      writeFileSync(join(dist, "THIRD-PARTY-NOTICES"), [intro, ...parts].join(`\n\n${"-".repeat(80)}\n`));
    },
  };
}

/**
 * @param {string} module
 * @returns {string | undefined}
 */
function packageFolder(module) {
  const at = module.lastIndexOf(marker);
  if (at < 0) return undefined;
  const names = module.slice(at + marker.length).split(sep);
  return module.slice(0, at) + marker + names.slice(0, names[0]?.startsWith("@") ? 2 : 1).join(sep);
}

/**
 * @param {string} folder
 * @returns {[title: string, text: string]}
 */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  if (!license && files.length === 0) throw new Error(`the bundled package ${name} ${version} names no licence`);
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return [`${name} ${version} (${license})`, text || `Licence: ${license}`];
}
