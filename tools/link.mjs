/**
 * Makes the built package available by name to the examples, tests and demos, and the emulator to npx, as for a user:
 * by folders of links beside them. Not in the clone's node_modules, from which npm, run by `pulumi package add`,
 * removes what package-lock.json lacks. Safe to repeat, and in parallel.
 */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { cache, isScript, root } from "./root.mjs";

/**
 * By folder below node_modules: the package's parts that node and the engine need, not the whole clone, which would
 * contain the links.
 */
const linked = {
  "pulumi-pgcompute": {
    "package.json": "package.json",
    dist: "dist",
    bin: "bin",
    "PulumiPlugin.yaml": "PulumiPlugin.yaml",
    "schema.json": "schema.json",
  },
  ".bin": { "pgcompute-emulator": "emulator/bin/pgcompute-emulator.cjs" },
};

/** Creates missing folders of links. */
export function linkSelf() {
  for (const place of [join(root, "examples"), cache])
    for (const [name, links] of Object.entries(linked)) linkTo(join(place, "node_modules", name), links);
}

/**
 * @param {string} folder
 * @param {Record<string, string>} links the names of the links, and what of the clone each is to
 */
function linkTo(folder, links) {
  if (existsSync(folder)) return;
  // Created elsewhere and renamed, so that no process sees half of it.
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const [name, target] of Object.entries(links))
    symlinkSync(relative(partial, join(root, target)), join(partial, name), target.includes(".") ? "file" : "dir");
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // Another run was first.
  }
}

if (isScript(import.meta.url)) linkSelf();
