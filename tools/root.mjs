/** Folders: the clone, its cache of generated files, and the user's cache. */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The clone's folder, absolute. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The clone's cache, ignored by git and the linter. */
export const cache = join(root, ".cache");

/** The user's cache, shared by all clones, for slow builds and large downloads. */
export function userCache() {
  return join(cacheFolder(), "pulumi-pgcompute");
}

/**
 * True if the module at this address is the script that node runs.
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
