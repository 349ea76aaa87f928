/** Programs that are installed on this machine. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The first of these programs that a folder of PATH has, PATH's folders first to last; absolute where they are.
 *
 * @param {string[]} names
 * @param {string[]} [more] folders that are looked into after those of PATH
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
