/** The bundles: one CommonJS file an entry, so that `require`, `import` and a plain `node FILE` all work and start fast. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../root.mjs";
import { pulumisOwn } from "./pulumis-own.mjs";
import { raw } from "./raw.mjs";

const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Never bundled: what the program brings, and what npm installs with this package. */
const external = {
  pulumi: /^@pulumi\/pulumi(\/|$)/,
  dependencies: new RegExp(`^(${Object.keys(dependencies).join("|")})(/|$)`),
};

/**
 * `esm` gives importing programs a small module that names the exports; node cannot read them off a bundle, in which
 * every bundled package also seems to export something.
 *
 * @typedef {{ file: string, input: string, external: RegExp[], plugins?: import("rolldown").Plugin[], esm?: boolean,
 *   compact?: boolean }} Entry
 */

/** @type {Entry[]} */
const entries = [
  { file: "sdk.cjs", input: "sdk/index.ts", external: [external.pulumi], plugins: [pulumisOwn], esm: true },
  {
    file: "dynamic.cjs",
    input: "provider/pulumi/dynamic/index.ts",
    external: [external.pulumi],
    plugins: [pulumisOwn],
  },
  // Every millisecond of the plugin's start is paid by each run of the engine: nothing to resolve, little to parse.
  { file: "plugin.cjs", input: "provider/main.ts", external: [], compact: true },
  { file: "cli.cjs", input: "cli/main.ts", external: [] },
  { file: "emulator.cjs", input: "emulator/index.ts", external: [external.dependencies], plugins: [raw], esm: true },
  { file: "emulator-cli.cjs", input: "emulator/cli.ts", external: [external.dependencies], plugins: [raw] },
];

/** The files that `bundle` writes: those whose source is in this tree. */
export function bundleFiles() {
  return present().flatMap(({ file, esm }) => (esm ? [file, moduleOf(file)] : [file]));
}

/**
 * Writes every bundle into the folder.
 *
 * @param {string} folder
 * @returns {Promise<string[]>} the files that went in, for the licences
 */
export async function bundle(folder) {
  const modules = await Promise.all(present().map((entry) => bundleEntry(entry, folder)));
  return modules.flat();
}

/**
 * @param {Entry} entry
 * @param {string} folder
 */
async function bundleEntry(entry, folder) {
  const build = await rolldown({
    cwd: root,
    input: entry.input,
    platform: "node",
    external: entry.external,
    plugins: entry.plugins ?? [],
    tsconfig: false,
    transform: { target: "node20", define: { __PGCOMPUTE_VERSION__: JSON.stringify(version) } },
    // A name that is not found must fail here, not in a user's pipeline.
    onLog(level, log, pass) {
      if (log.code === "UNRESOLVED_IMPORT" || log.code === "IMPORT_IS_UNDEFINED") throw new Error(log.message);
      pass(level, log);
    },
  });
  const { output } = await build.write({
    file: join(folder, entry.file),
    format: "cjs",
    exports: "named",
    codeSplitting: false,
    // Names stay: error names are made of class names, and stack traces are read by people.
    minify: entry.compact ? { compress: { keepNames: { function: true, class: true } }, mangle: false } : false,
    comments: { legal: false, annotation: false, jsdoc: false },
  });
  await build.close();
  const [chunk] = output;
  if (entry.esm) {
    const module = `import bundle from "./${entry.file}";\nexport const { ${chunk.exports.join(", ")} } = bundle;\n`;
    writeFileSync(join(folder, moduleOf(entry.file)), module);
  }
  return Object.keys(chunk.modules);
}

function present() {
  return entries.filter((entry) => existsSync(join(root, entry.input)));
}

/** @param {string} file */
function moduleOf(file) {
  return file.replace(/\.cjs$/, ".mjs");
}
