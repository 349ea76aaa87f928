/** Where things are: the folder of the clone, and the one for what is made in it and never committed. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The clone's folder, absolute. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** For whatever can be made again; git and the linter leave it out. */
export const cache = join(root, ".cache");

/**
 * True when the module at this address is the script that node was started with.
 *
 * @param {string} url the module's `import.meta.url`
 */
export function isScript(url) {
  return process.argv[1] === fileURLToPath(url);
}
