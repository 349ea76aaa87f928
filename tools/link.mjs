/**
 * Links node_modules/pulumi-pgcompute to the clone itself, so that the examples and the engine's processes find the built
 * package by its name, as a user's program does. Safe to run again, and by several runs at once.
 */
import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isScript, root } from "./root.mjs";

const link = join(root, "node_modules", "pulumi-pgcompute");

/** Makes the link, or puts it right. */
export function linkSelf() {
  if (pointsToRoot()) return;
  mkdirSync(join(root, "node_modules"), { recursive: true });
  // Made beside its place and renamed, so that nobody meets a moment without a link.
  const partial = `${link}.${process.pid}`;
  symlinkSync("..", partial, "dir");
  try {
    renameSync(partial, link);
  } catch {
    // What is in the way is a folder, which a rename does not replace: an installed copy of the package.
    rmSync(link, { recursive: true, force: true });
    renameSync(partial, link);
  }
}

function pointsToRoot() {
  try {
    return lstatSync(link).isSymbolicLink() && readlinkSync(link) === "..";
  } catch {
    return false;
  }
}

if (isScript(import.meta.url)) linkSelf();
