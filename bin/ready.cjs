// @ts-nocheck: Pulumi's Node.js host compiles what it loads.
// Where a bundle lies. Ends the process where it could not run: on a Node that is too old, and in a clone that is not built.
require("./needed-node.cjs");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

module.exports = function bundle(name) {
  const file = join(__dirname, "..", "dist", name);
  if (existsSync(file)) return file;
  console.error("pulumi-pgcompute is not built yet; run in the folder of the repository:\n\n  make build\n");
  return process.exit(1);
};
