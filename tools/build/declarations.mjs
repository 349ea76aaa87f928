/** The declarations of what programs import: the compiler writes them, and they may name only what a user has. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { root } from "../root.mjs";

/**
 * Writes the declarations of sdk/ and emulator/, and of what they import, into the folder.
 *
 * @param {string} folder
 * @throws {Error} when the sources do not compile, or a declaration needs a package that users do not have
 */
export function emitDeclarations(folder) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--project", join(root, "tsconfig.build.json"), "--outDir", folder];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the declarations do not compile:\n${stdout.trim()}`);
  const foreign = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts"))
    .flatMap((file) => importsOf(join(folder, file)).map((name) => ({ file, name })))
    .filter(({ name }) => !isAvailable(name));
  if (foreign.length === 0) return;
  const list = foreign.map(({ file, name }) => `  ${file} names ${name}`).join("\n");
  throw new Error(`these declarations name packages that users do not have; write the types out:\n${list}`);
}

/**
 * @param {string} file
 * @returns {string[]}
 */
function importsOf(file) {
  const found = readFileSync(file, "utf8").matchAll(/(?:\bfrom |\bimport ?\(?)["']([^"']+)["']/g);
  return [...found].map((match) => match[1] ?? "").filter((name) => !name.startsWith("."));
}

/** @param {string} name */
function isAvailable(name) {
  if (isBuiltin(name)) return true;
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const known = Object.keys({ ...dependencies, ...peerDependencies });
  return known.some((dependency) => name === dependency || name.startsWith(`${dependency}/`));
}
