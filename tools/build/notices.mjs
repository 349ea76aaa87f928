/** The licences of the packages whose code is in the bundles: their terms ask that the text goes along. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const marker = `${sep}node_modules${sep}`;

/**
 * The text of THIRD-PARTY-NOTICES, one part a package and version, in the order of their names.
 *
 * @param {string[]} modules the files that were bundled
 * @throws {Error} when a package names no licence
 */
export function notices(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
  const parts = [...folders].map(describe).sort((a, b) => (a.title < b.title ? -1 : 1));
  const intro =
    "The files in this folder contain code of these packages, each under the licence that follows its name.";
  const unique = new Map(parts.map((part) => [part.title, part]));
  return [intro, ...[...unique.values()].map((part) => `${part.title}\n\n${part.text}`)].join(
    `\n\n${"-".repeat(80)}\n`,
  );
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

/** @param {string} folder */
function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file)) : [];
  if (!license && files.length === 0) throw new Error(`the bundled package ${name} ${version} names no licence`);
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return { title: `${name} ${version} (${license})`, text: text || `Licence: ${license}` };
}
