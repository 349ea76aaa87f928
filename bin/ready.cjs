// Ends the process where what it starts cannot run: on a Node that is too old, and in a clone that is not built. Written for any Node there is.
require("./needed-node.cjs");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

if (!existsSync(join(__dirname, "../dist/plugin.cjs"))) {
  console.error("pulumi-pgcompute is not built yet; run in the folder of the repository:\n\n  make build\n");
  process.exit(1);
}
