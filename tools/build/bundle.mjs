/** The bundles: one CommonJS file an entry, so that `require`, `import` and a plain `node FILE` all work and start fast. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../root.mjs";

/** Packages that a program brings (a second copy of Pulumi's would not be the same classes), or npm installs with ours. */
const external = {
  pulumi: /^@pulumi\/pulumi(\/|$)/,
  fastify: /^(fastify|@fastify\/[^/]+)(\/|$)/,
};

/** @type {{ file: string, input: string, external: RegExp[], compact?: boolean }[]} */
const entries = [
  { file: "sdk.cjs", input: "sdk/index.ts", external: [external.pulumi] },
  // Runs beside whatever copy of Pulumi's SDK the launcher has, so it brings its own.
  { file: "dynamic.cjs", input: "provider/dynamic/index.ts", external: [] },
  // Every millisecond of the plugin's start is paid by each run of the engine: nothing to resolve, little to parse.
  { file: "plugin.cjs", input: "provider/main.ts", external: [], compact: true },
  { file: "emulator.cjs", input: "emulator/index.ts", external: [external.fastify] },
  { file: "emulator-cli.cjs", input: "emulator/cli.ts", external: [external.fastify] },
];

/** The entries whose source is in this tree. */
export function bundles() {
  return entries.filter((entry) => existsSync(join(root, entry.input)));
}

/**
 * Writes every bundle into the folder.
 *
 * @param {string} folder
 * @returns {Promise<string[]>} the files that went in, for the licences
 */
export async function bundle(folder) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const modules = await Promise.all(
    bundles().map(async (entry) => {
      const build = await rolldown({
        cwd: root,
        input: entry.input,
        platform: "node",
        external: entry.external,
        tsconfig: false,
        transform: { target: "node20", define: { __PGCOMPUTE_VERSION__: JSON.stringify(version) } },
        // A name that is not found must fail here, not in a user's pipeline.
        onLog(level, log, log_) {
          if (log.code === "UNRESOLVED_IMPORT" || log.code === "IMPORT_IS_UNDEFINED") throw new Error(log.message);
          log_(level, log);
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
      return output.flatMap((chunk) => (chunk.type === "chunk" ? Object.keys(chunk.modules) : []));
    }),
  );
  return modules.flat();
}
