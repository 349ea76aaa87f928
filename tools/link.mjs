/**
 * Lets the examples, and the engine's processes of tests and demos, find the built package by its name, as a user's program does: by
 * packages of links beside them. Not in node_modules of the clone: npm, which Pulumi runs for `package add`, takes out of there what
 * package-lock.json does not name. Safe to run again, and by several runs at once.
 */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { cache, isScript, root } from "./root.mjs";

/** Enough for node and for the engine; not the whole clone, in which the links would lie again. */
const linked = ["package.json", "dist", "bin", "PulumiPlugin.yaml", "schema.json"];

/** Makes the packages of links, where they are not there yet. */
export function linkSelf() {
  for (const place of [join(root, "examples"), cache]) linkUnder(place);
}

/** @param {string} place */
function linkUnder(place) {
  const folder = join(place, "node_modules", "pulumi-pgcompute");
  if (existsSync(folder)) return;
  // Made beside its place and renamed, so that nobody meets half of it.
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const name of linked) {
    const kind = name.includes(".") ? "file" : "dir";
    symlinkSync(relative(partial, join(root, name)), join(partial, name), kind);
  }
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another run was first
  }
}

if (isScript(import.meta.url)) linkSelf();
