/**
 * Writes dist/types and emulator/dist/types, the declarations for programs. They may name only packages that users
 * have.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, normalize, relative } from "node:path";
import { cache, root } from "../root.mjs";

/**
 * By the folder of its package.json: the folder of its sources, the entries, and the modules that re-export a bundle
 * for `import`.
 */
const packages = [
  {
    folder: "",
    sources: "",
    entries: ["sdk/index.d.ts", "provider/pulumi/dynamic/index.d.ts"],
    forwarding: { "sdk.d.mts": "./types/sdk/index.js" },
  },
  {
    folder: "emulator",
    sources: "emulator",
    entries: ["emulator/index.d.ts"],
    forwarding: { "emulator.d.mts": "./types/index.js" },
  },
];

try {
  emitDeclarations();
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/**
 * Writes the declarations of the entries and their imports, replacing old ones.
 *
 * @throws {Error} when the sources do not compile, or a declaration needs a package that users do not have
 */
function emitDeclarations() {
  mkdirSync(cache, { recursive: true });
  const all = mkdtempSync(join(cache, "declarations-"));
  try {
    const tsc = join(root, "node_modules/typescript-native/bin/tsc");
    const args = [tsc, "--project", join(root, "tsconfig.build.json"), "--outDir", all];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`the declarations do not compile:\n${stdout.trim()}`);
    for (const one of packages) {
      const files = reachable(all, one.entries);
      const dist = join(root, one.folder, "dist");
      rmSync(join(dist, "types"), { recursive: true, force: true });
      refuseForeign(files, join(root, one.folder, "package.json"));
      for (const [file, text] of files) {
        const target = join(dist, "types", relative(one.sources, file));
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, text);
      }
      for (const [name, module] of Object.entries(one.forwarding))
        writeFileSync(join(dist, name), `export * from "${module}";\n`);
    }
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

/**
 * The declarations reachable from the entries, by path; the code's other imports are private.
 *
 * @param {string} folder
 * @param {string[]} entries
 * @returns {Map<string, string>}
 */
function reachable(folder, entries) {
  const texts = new Map();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (texts.has(file)) continue;
    const text = readFileSync(join(folder, file), "utf8");
    texts.set(file, text);
    for (const name of importsOf(text)) {
      if (!name.startsWith(".")) continue;
      const path = normalize(join(dirname(file), name));
      const found = [`${path}.d.ts`, join(path, "index.d.ts")].find((one) => existsSync(join(folder, one)));
      if (found) waiting.push(found);
    }
  }
  return texts;
}

/** @param {string} text */
function importsOf(text) {
  const found = text.matchAll(/(?:\bfrom |\bimport ?\(?)["']([^"']+)["']/g);
  return [...found].map((match) => match[1] ?? "");
}

/**
 * @param {Map<string, string>} files
 * @param {string} manifest the package.json that users have
 * @throws {Error} when one of them names a package that does not come with it
 */
function refuseForeign(files, manifest) {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  const known = Object.keys({ ...dependencies, ...peerDependencies });
  const isAvailable = (/** @type {string} */ name) =>
    name.startsWith(".") || isBuiltin(name) || known.some((one) => name === one || name.startsWith(`${one}/`));
  const list = [...files].flatMap(([file, text]) =>
    importsOf(text).flatMap((name) => (isAvailable(name) ? [] : [`  ${file} names ${name}`])),
  );
  if (list.length > 0)
    throw new Error(
      `these declarations name packages that users do not have; write the types out:\n${list.join("\n")}`,
    );
}
