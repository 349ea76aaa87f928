/**
 * Pulumi's launcher of dynamic providers, without what ours never calls: its process costs more than all else in a run. What serializes
 * closures comes when it is first called. It brings typescript, npm's arborist and the whole SDK with it, three in four of all modules,
 * and our provider is no closure. And the reader of HTTP is not optimized, as the plugin has it (provider/pulumi/plugin/server.ts).
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
