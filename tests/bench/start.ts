import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../../tools/root.mjs";

const RUNS = 25;
const KB_PER_MB = 1_024;
const MS_PER_TICK = 10; // of /proc, on every Linux that node runs on

/** One start: until the port is printed, in milliseconds, and the processor time and resident memory (MB) till then. */
interface Start {
  portMs: number;
  /** What is left of `portMs` where nothing else runs on the machine. */
  processorMs: number;
  residentMb: number;
}

/** The built plugin, or the executable that is named. */
const plugin = process.argv[2] ?? join(root, "bin/pulumi-resource-pgcompute");

/** Starts the plugin as the engine does. The memory is read from /proc, so this needs Linux. */
async function start(): Promise<Start> {
  const began = performance.now();
  const child = spawn(plugin, [], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const portMs = performance.now() - began;
  const [, kb = "0"] = readFileSync(`/proc/${child.pid}/status`, "utf8").match(/VmRSS:\s+(\d+) kB/) ?? [];
  // After the name in brackets, which may hold blanks, user and system time are the 12th and 13th.
  const times = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
  const processorMs = times.reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0);
  child.kill("SIGINT");
  await once(child, "exit");
  return { portMs, processorMs, residentMb: Number(kb) / KB_PER_MB };
}

/** Prints what the plugin's start costs: the bound is 250 ms in the median and 90 MB at rest. */
async function main(): Promise<void> {
  const starts: Start[] = [];
  await start(); // the first one reads the files from the disk
  for (let run = 0; run < RUNS; run += 1) starts.push(await start());
  const bundle = process.argv[2] ?? join(root, "dist/plugin.cjs");
  const packed = gzipSync(readFileSync(bundle)).length;
  const rows = [
    ["start to printed port, median", `${quantile(starts, "portMs", 0.5)} ms`],
    ["the same, 95 of 100", `${quantile(starts, "portMs", 0.95)} ms`],
    ["processor time of it, median", `${quantile(starts, "processorMs", 0.5)} ms`],
    ["resident when idle, median", `${quantile(starts, "residentMb", 0.5)} MB`],
    ["file", `${statSync(bundle).size} bytes (${packed} with gzip)`],
  ];
  console.log(`${RUNS} starts on ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}\n`);
  for (const [what, value] of rows) console.log(`| ${what?.padEnd(30)} | ${value?.padStart(36)} |`);
}

function quantile(starts: readonly Start[], what: keyof Start, part: number): number {
  const sorted = starts.map((one) => one[what]).sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}

main();
