/**
 * Lets the examples, and the engine's processes of tests and demos, find the built package by its name, and npx the emulator, as a user's
 * program does: by folders of links beside them. Not in node_modules of the clone: npm, which Pulumi runs for `package add`, takes out of
 * there what package-lock.json does not name. Safe to run again, and by several runs at once.
 */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { cache, isScript, root } from "./root.mjs";

/** By the folder below node_modules. Of the package enough for node and for the engine; not the whole clone, in which the links would lie again. */
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

/** Makes the folders of links, where they are not there yet. */
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
  // Made beside its place and renamed, so that nobody meets half of it.
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const [name, target] of Object.entries(links))
    symlinkSync(relative(partial, join(root, target)), join(partial, name), target.includes(".") ? "file" : "dir");
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another run was first
  }
}

if (isScript(import.meta.url)) linkSelf();
