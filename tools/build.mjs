/**
 * Builds dist/: the bundles that programs, the engine and the command line load, the declarations, and the licences of
 * what is bundled. `--if-stale` does nothing when no source has changed; `--no-types` leaves out the declarations.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle, bundleFiles } from "./build/bundle.mjs";
import { emitDeclarations } from "./build/declarations.mjs";
import { notices } from "./build/notices.mjs";
import { cache, isScript, root } from "./root.mjs";

const dist = join(root, "dist");
const stampFile = join(cache, "build.json");
const sources = ["provider", "sdk", "emulator", "cli", "tools/build.mjs", "tools/build"];
const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/**
 * Builds into a folder of its own and then moves each file to its place, so that whoever loads dist/ meanwhile (another
 * test run, say) sees a whole old file or a whole new one.
 *
 * @param {{ types?: boolean, ifStale?: boolean, log?: (line: string) => void }} [options] `types` (default true): the
 *   declarations too; `ifStale` (default false): only what is missing or older than its sources
 * @throws {Error} when a source does not bundle or a declaration does not hold
 */
export async function build({ types = true, ifStale = false, log = console.error } = {}) {
  const hash = hashInputs();
  const stamp = readStamp();
  const wanted = bundleFiles().map((file) => join(dist, file));
  const work = join(cache, `build-${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(work, { recursive: true });
  mkdirSync(dist, { recursive: true });
  try {
    if (!ifStale || stamp.bundles !== hash || !wanted.every(existsSync)) {
      const modules = await bundle(work);
      writeFileSync(join(work, "THIRD-PARTY-NOTICES"), notices(modules));
      for (const file of readdirSync(work)) renameSync(join(work, file), join(dist, file));
      log(`build: ${wanted.length} files in dist/`);
      writeStamp({ ...stamp, bundles: hash });
    }
    if (types && (!ifStale || stamp.types !== hash || !existsSync(join(dist, "types")))) {
      emitDeclarations(join(work, "types"));
      rmSync(join(dist, "types"), { recursive: true, force: true });
      renameSync(join(work, "types"), join(dist, "types"));
      log("build: declarations in dist/types/");
      writeStamp({ ...readStamp(), types: hash });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** By content, not by time: a checkout of another commit and back rebuilds nothing. */
function hashInputs() {
  const hash = createHash("sha256");
  for (const file of [...sources, ...settings].flatMap(filesUnder)) {
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesUnder(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** @returns {{ bundles?: string, types?: string }} */
function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, "utf8"));
  } catch {
    return {}; // never built
  }
}

/** @param {{ bundles?: string, types?: string }} stamp */
function writeStamp(stamp) {
  const partial = `${stampFile}.${process.pid}`;
  writeFileSync(partial, JSON.stringify(stamp));
  renameSync(partial, stampFile);
}

if (isScript(import.meta.url)) {
  const { values } = parseArgs({ options: { "if-stale": { type: "boolean" }, "no-types": { type: "boolean" } } });
  try {
    await build({ types: !values["no-types"], ifStale: values["if-stale"] ?? false });
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
