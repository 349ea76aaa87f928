/** Finds programs installed on this machine. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The absolute path of the first of these programs on PATH.
 *
 * @param {string[]} names
 * @param {string[]} [more] folders to search after PATH
 * @returns {string | undefined}
 */
export function findProgram(names, more = []) {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), ...more];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/**
 * True for a file that this process may run.
 *
 * @param {string} file
 */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
