#!/usr/bin/env node
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const bundle = join(__dirname, "../dist/cli.cjs");
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`pgcompute-emulator: needs Node 20.19 or newer, and this is ${process.versions.node}`);
  process.exitCode = 1;
} else if (existsSync(bundle)) require(bundle);
else {
  console.error("pgcompute-emulator: not built yet; run in the folder of the repository:\n\n  make build\n");
  process.exitCode = 1;
}
