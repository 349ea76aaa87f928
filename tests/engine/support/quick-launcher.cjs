/**
 * Loaded before the launcher of dynamic providers, whose process costs more than all else in a run. `typescript` comes when it is first used:
 * Pulumi's SDK takes it for programs whose providers are closures, which ours is not, and reading its nine megabytes is a quarter of
 * that cost. And the reader of HTTP is not optimized, as the plugin has it (provider/pulumi/plugin/v8-flags.ts).
 */

const { setFlagsFromString } = require("node:v8");

/** @typedef {(id: string, parent: unknown, isMain: boolean) => any} Load */

const modules = /** @type {{ _load: Load }} */ (/** @type {unknown} */ (require("node:module")));

if (/dynamic-provider/.test(process.argv[1] ?? "")) {
  setFlagsFromString("--liftoff-only");
  const load = modules._load;
  modules._load = (id, parent, isMain) => {
    if (id !== "typescript") return load(id, parent, isMain);
    /** @type {unknown} */
    let loaded;
    const compiler = () => (loaded ??= load(id, parent, isMain));
    return new Proxy({}, { get: (_, name) => compiler()[name], has: (_, name) => name in compiler() });
  };
}
