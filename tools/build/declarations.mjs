/** Writes dist/types, the declarations of what programs import: they may name only what a user has. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, normalize } from "node:path";
import { root } from "../root.mjs";

const entries = ["sdk/index.d.ts", "emulator/index.d.ts"];

try {
  emitDeclarations(join(root, "dist/types"));
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/**
 * Writes the declarations of sdk/ and emulator/, and of what they import, into the folder, in place of what is there.
 *
 * @param {string} folder
 * @throws {Error} when the sources do not compile, or a declaration needs a package that users do not have
 */
function emitDeclarations(folder) {
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--project", join(root, "tsconfig.build.json"), "--outDir", folder];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the declarations do not compile:\n${stdout.trim()}`);
  const used = reachable(folder, entries);
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".d.ts") && !used.has(file)) rmSync(join(folder, file));
  }
  const foreign = [...used]
    .flatMap((file) => importsOf(join(folder, file)).map((name) => ({ file, name })))
    .filter(({ name }) => !name.startsWith(".") && !isAvailable(name));
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
  return [...found].map((match) => match[1] ?? "");
}

/**
 * The declarations that the entries lead to: what only the code behind them imports is nobody's business.
 *
 * @param {string} folder
 * @param {string[]} start
 */
function reachable(folder, start) {
  const used = new Set();
  const waiting = start.filter((file) => existsSync(join(folder, file)));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (used.has(file)) continue;
    used.add(file);
    for (const name of importsOf(join(folder, file))) {
      if (!name.startsWith(".")) continue;
      const path = normalize(join(dirname(file), name));
      const found = [`${path}.d.ts`, join(path, "index.d.ts")].find((one) => existsSync(join(folder, one)));
      if (found) waiting.push(found);
    }
  }
  return used;
}

/** @param {string} name */
function isAvailable(name) {
  if (isBuiltin(name)) return true;
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const known = Object.keys({ ...dependencies, ...peerDependencies });
  return known.some((dependency) => name === dependency || name.startsWith(`${dependency}/`));
}
