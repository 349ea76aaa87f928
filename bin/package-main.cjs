// @ts-nocheck: the compiler that could complain here is not ours, see below.
/**
 * Starts the plugin: for its executable, and for Pulumi's Node.js language host, which loads this folder. By then that host has put a
 * TypeScript compiler in front of `require`, which would take megabytes of bundle through the tsconfig.json of whoever runs it: so
 * the bundle is loaded past it.
 *
 * Reading the bundle is half of a start, and the engine starts the plugin in every run. So what V8 made of it is kept beside it, where
 * that can be written, and taken from there the next time (docs/decisions/0016-kept-compilation.md).
 */
const bundle = require("./ready.cjs");
const { createHash } = require("node:crypto");
const { readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

const file = bundle("plugin.cjs");
const kept = `${file}.compiled`;
const source = readFileSync(file, "utf8");
// V8 itself compares no more of a source than its length.
const key = hash([process.version, process.arch, source]);
const cachedData = readKept();
const wrapped = `(function (require, module, exports, __filename, __dirname) {${source}\n})`;
const script = new Script(wrapped, { filename: file, cachedData });
script.runInThisContext()(require, module, module.exports, file, dirname(file));
if (cachedData === undefined || script.cachedDataRejected) keep(script.createCachedData());

/** What was kept of this very bundle, whole, by this very Node; undefined where there is none. */
function readKept() {
  try {
    const bytes = readFileSync(kept);
    const data = bytes.subarray(2 * key.length);
    const isMine = key.equals(bytes.subarray(0, key.length));
    return isMine && hash([data]).equals(bytes.subarray(key.length, 2 * key.length)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing depends on it: where it cannot be written, each start takes its time. */
function keep(data) {
  const partial = `${kept}.${process.pid}`;
  try {
    writeFileSync(partial, Buffer.concat([key, hash([data]), data]));
    renameSync(partial, kept);
  } catch {
    rmSync(partial, { force: true });
  }
}

function hash(parts) {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  return sum.digest();
}
