/**
 * Pulumi's launcher of dynamic providers, without the parts that ours never calls, since its process is the largest
 * cost of a run. The serializer of closures, with typescript, npm's arborist and the whole SDK (three quarters of all
 * modules), loads on first use; our provider is no closure. The HTTP parser is not optimized, as in the plugin
 * (provider/pulumi/plugin/server.ts).
 */

const { setFlagsFromString } = require("node:v8");

/** @typedef {(id: string, parent: unknown, isMain: boolean) => any} Load */

const modules = /** @type {{ _load: Load }} */ (/** @type {unknown} */ (require("node:module")));

setFlagsFromString("--liftoff-only");
const load = modules._load;
modules._load = /** @type {Load} */ (id, parent, isMain) => {
  if (!/^\.\/closure\/(serializeClosure|codePaths)$/.test(id)) return load(id, parent, isMain);
  /** @param {string} name */
  const late =
    (name) =>
    (/** @type {unknown[]} */ ...args) =>
      load(id, parent, isMain)[name](...args);
  const names = ["serializeFunctionAsync", "serializeFunction", "computeCodePaths"];
  return Object.fromEntries(names.map((name) => [name, late(name)]));
};
require("@pulumi/pulumi/cmd/dynamic-provider/index.js");
