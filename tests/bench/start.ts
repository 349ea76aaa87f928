import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../../tools/root.mjs";
import { peakOf, processorTimeOf } from "./process-cost";
import type { Table } from "./tables";

const RUNS = 25;

/** One start: until the port is printed, in milliseconds, and the processor time and resident memory (MB) till then. */
type Start = Awaited<ReturnType<typeof start>>;

/**
 * Starts the plugin and an idle node alternately; the median of each figure, the ratio first. Linux only, as memory is
 * read from /proc.
 */
export async function startTable(): Promise<Table> {
  const starts: Start[] = [];
  await start(); // the first one reads the files from the disk
  for (let run = 0; run < RUNS; run += 1) starts.push(await start());
  const bundle = join(root, "dist/plugin.cjs");
  const packed = gzipSync(readFileSync(bundle)).length;
  const [port, bare] = [median(starts, "portMs"), median(starts, "bareMs")];
  return {
    heads: ["a start, in the median of 25", ""],
    rows: [
      ["spawn to printed port, to a bare node -e 0", (port / bare).toFixed(2)],
      ["spawn to printed port", `${port.toFixed(0)} ms`],
      ["node -e 0", `${bare.toFixed(0)} ms`],
      ["processor time until the port", `${median(starts, "processorMs").toFixed(0)} ms`],
      ["resident when idle", `${median(starts, "residentMb").toFixed(0)} MB`],
      ["the bundle", `${statSync(bundle).size} bytes, ${packed} with gzip`],
    ],
  };
}

async function start() {
  // What `node -e 0` takes right before, from its start to its end.
  const bareBegan = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  const bareMs = performance.now() - bareBegan;
  const began = performance.now();
  const child = spawn(join(root, "bin/pulumi-resource-pgcompute"), [], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const portMs = performance.now() - began;
  const { pid = 0 } = child;
  // Of the processor: what is left of `portMs` where nothing else runs on the machine.
  const result = { bareMs, portMs, processorMs: processorTimeOf(pid), residentMb: peakOf(pid) };
  child.kill("SIGINT");
  await once(child, "exit");
  return result;
}

function median(starts: readonly Start[], what: keyof Start): number {
  const sorted = starts.map((one) => one[what]).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
