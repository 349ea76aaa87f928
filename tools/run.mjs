/**
 * Bundles one TypeScript file and runs it: `node tools/run.mjs FILE [ARGUMENT...]`. Packages stay outside the bundle, and
 * paths in the file's errors are those of the sources.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { raw } from "./build/raw.mjs";
import { cache, isScript, root } from "./root.mjs";

/**
 * Loads a TypeScript module of this clone.
 *
 * @param {string} file relative to the working directory, or absolute
 * @returns {Promise<any>} its exports
 */
export async function load(file) {
  const folder = join(cache, "run");
  const output = join(folder, `${basename(file, ".ts")}-${process.pid}-${randomBytes(4).toString("hex")}.mjs`);
  mkdirSync(folder, { recursive: true });
  const source = resolve(file);
  const build = await rolldown({
    cwd: root,
    input: source,
    platform: "node",
    tsconfig: false,
    // Whatever is not a path is a package, and node finds it from the cache folder inside the clone.
    external: (id, importer) => importer !== undefined && !/^[./]/.test(id) && !/^[A-Za-z]:/.test(id),
    // The tools' own modules know where they are by their file, so they are loaded from it.
    plugins: [{ name: "tools", resolveId: asFile }, raw],
    transform: { target: "node20", define: { "import.meta.url": JSON.stringify(pathToFileURL(source).href) } },
  });
  await build.write({ file: output, format: "esm", codeSplitting: false, sourcemap: "inline" });
  await build.close();
  process.setSourceMapsEnabled(true);
  // A file that runs on after it is loaded, such as a server, still finds its bundle; it goes when the process does.
  process.once("exit", () => rmSync(output, { force: true }));
  return import(pathToFileURL(output).href);
}

/**
 * @param {string} id
 * @param {string | undefined} importer
 */
function asFile(id, importer) {
  if (importer === undefined || !/^\..*\.mjs$/.test(id)) return undefined;
  return { id: pathToFileURL(resolve(dirname(importer), id)).href, external: true };
}

if (isScript(import.meta.url)) {
  const [file, ...rest] = process.argv.slice(2);
  if (!file) throw new Error("usage: node tools/run.mjs FILE [ARGUMENT...]");
  // The file sees its own name and arguments, as if node had started it.
  process.argv = [process.argv[0] ?? "node", resolve(file), ...rest];
  await load(file);
}
