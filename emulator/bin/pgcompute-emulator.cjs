#!/usr/bin/env node
// Runs on any Node, to tell users of old versions to update.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`pgcompute-emulator: needs Node 20.19 or newer, and this is ${process.versions.node}`);
  process.exitCode = 1;
} else if (isBuilt()) require("../dist/cli.cjs");
else {
  console.error("pgcompute-emulator: not built yet; run in the folder of the repository:\n\n  make build\n");
  process.exitCode = 1;
}

function isBuilt() {
  try {
    return require.resolve("../dist/cli.cjs") !== "";
  } catch {
    return false;
  }
}
