/** Where things are: the folder of the clone, the one for what is made in it and never committed, and the user's cache. */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The clone's folder, absolute. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** For whatever can be made again; git and the linter leave it out. */
export const cache = join(root, ".cache");

/** The user's own, which all clones share: what takes minutes to build or megabytes to fetch. */
export function userCache() {
  return join(cacheFolder(), "pulumi-pgcompute");
}

/**
 * True when the module at this address is the script that node was started with.
 *
 * @param {string} url the module's `import.meta.url`
 */
export function isScript(url) {
  return process.argv[1] === fileURLToPath(url);
}

function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  if (process.platform === "win32" && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA;
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
}
