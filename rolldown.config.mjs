/** The bundles of dist/ and emulator/dist/: one CommonJS file an entry (docs/decisions/0005-commonjs-bundles.md). */
import { cpSync, readFileSync } from "node:fs";
import { defineConfig } from "rolldown";
import { noticesIn } from "./tools/build/notices.mjs";
import { pulumisOwn } from "./tools/build/pulumis-own.mjs";
import { withoutUnreached } from "./tools/build/unreached.mjs";
import { identity } from "./tools/pack/identity.mjs";
import { released } from "./tools/release/released.mjs";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const { dependencies } = JSON.parse(readFileSync("emulator/package.json", "utf8"));

/** What the sources do not know of themselves. */
const known = {
  __PGCOMPUTE_VERSION__: JSON.stringify(version),
  __PGCOMPUTE_RELEASED__: JSON.stringify(released),
  __PGCOMPUTE_PLUGIN_URL__: JSON.stringify(identity.pluginUrl),
};

/** Where the plugin's messages say that its command comes from; a release has it from the registry (`tools/pack/plugin-bundle.mjs`). */
const fromTarball = { __PGCOMPUTE_PACKAGE__: JSON.stringify(`PATH-TO/pulumi-pgcompute-${version}.tgz`) };

/** Never bundled: what the program brings, and what npm installs with the emulator. */
const pulumi = /^@pulumi\/pulumi(\/|$)/;
const installed = new RegExp(`^(${Object.keys(dependencies).join("|")})(/|$)`);

/**
 * An importing program gets a small module that names the exports: node cannot read them off a bundle, in which every
 * bundled package also seems to export something.
 *
 * @type {import("rolldown").Plugin}
 */
const forwarding = {
  name: "forwarding",
  generateBundle(_options, bundle) {
    for (const [file, chunk] of Object.entries(bundle)) {
      if (chunk.type !== "chunk") continue;
      const source = `import bundle from "./${file}";\nexport const { ${chunk.exports.join(", ")} } = bundle;\n`;
      this.emitFile({ type: "asset", fileName: file.replace(/\.cjs$/, ".mjs"), source });
    }
  },
};

/**
 * The console's files, which the emulator reads beside its bundle.
 *
 * @type {import("rolldown").Plugin}
 */
const consolePage = {
  name: "console-page",
  writeBundle: () =>
    cpSync("emulator/console/page", "emulator/dist/page", {
      recursive: true,
      filter: (file) => !file.endsWith(".json"),
    }),
};

// Names stay: error names are made of class names, and stack traces are read by people.
const compact = { compress: { keepNames: { function: true, class: true } }, mangle: false };

const provider = { dist: "dist", notices: noticesIn("dist") };
const emulator = { dist: "emulator/dist", notices: noticesIn("emulator/dist"), external: installed };

export default defineConfig([
  entry("sdk", "sdk/index.ts", { ...provider, external: pulumi, plugins: [pulumisOwn, forwarding] }),
  entry("dynamic", "provider/pulumi/dynamic/index.ts", { ...provider, external: pulumi, plugins: [pulumisOwn] }),
  // Every millisecond of the plugin's start is paid by each run of the engine: nothing to resolve, little to parse.
  entry("plugin", "provider/main.ts", { ...provider, define: fromTarball }, { minify: compact }),
  entry("cli", "cli/run.ts", provider),
  entry("emulator", "emulator/index.ts", { ...emulator, plugins: [forwarding, consolePage] }),
  // Last: it is what make goes by.
  entry("cli", "emulator/cli.ts", emulator),
]);

/**
 * @param {string} name
 * @param {string} input
 * @param {{ dist: string, notices: import("rolldown").Plugin, external?: RegExp, plugins?: import("rolldown").Plugin[], define?: Record<string, string> }} options
 * @param {import("rolldown").OutputOptions} [output]
 * @returns {import("rolldown").RolldownOptions}
 */
function entry(name, input, { dist, notices, external, plugins = [], define = {} }, output = {}) {
  return {
    input,
    platform: "node",
    ...(external && { external }),
    plugins: [...plugins, withoutUnreached, notices],
    tsconfig: false,
    transform: { target: "node20", define: { ...known, ...define } },
    // A name that is not found must fail here, not in a user's pipeline.
    onLog(level, log, pass) {
      if (log.code === "UNRESOLVED_IMPORT" || log.code === "IMPORT_IS_UNDEFINED") throw new Error(log.message);
      pass(level, log);
    },
    output: {
      file: `${dist}/${name}.cjs`,
      format: "cjs",
      exports: "named",
      codeSplitting: false,
      comments: { legal: false, annotation: false, jsdoc: false },
      ...output,
    },
  };
}
