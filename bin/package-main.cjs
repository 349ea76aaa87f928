// @ts-nocheck: the compiler that could complain here is not ours, see below.
/**
 * What Pulumi's Node.js language host loads for this folder. By then it has put a TypeScript compiler in front of
 * `require`, which would take megabytes of bundle through the tsconfig.json of whoever runs it: so the bundle is loaded
 * past it.
 */
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { compileFunction } = require("node:vm");

const file = join(__dirname, "..", "dist", "plugin.cjs");
const names = ["require", "module", "exports", "__filename", "__dirname"];
const load = compileFunction(readFileSync(file, "utf8"), names, { filename: file });
load(require, module, module.exports, file, dirname(file));
