import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../../tools/root.mjs";
import { memoryChart } from "./chart";
import { type FleetStep, runFleet, runWaitingFleet } from "./fleet";
import { runLimits } from "./limits";
import { type AloneRun, runAlone } from "./plugin-alone";
import { benchmarks } from "./report";

const PARALLEL = 10;
const OPERATION_MS = 200;
const ALONE_PARALLEL = 100;
const GB = 1_024 ** 3;

/** Runs every benchmark and writes `docs/benchmarks.md`; arguments are the fleet sizes, by default 1, 100 and 1000. */
async function main(sizes: readonly number[]): Promise<void> {
  const say = (line: string) => console.log(`bench: ${line}`);
  const fleets: { count: number; ours: FleetStep[]; engine: FleetStep[] }[] = [];
  for (const count of sizes) {
    const options = { count, parallel: PARALLEL, operationMs: OPERATION_MS };
    const engine = await runWaitingFleet({ ...options, say: (line) => say(`engine alone: ${line}`) });
    fleets.push({ count, engine, ours: await runFleet({ ...options, say }) });
  }
  const alone: AloneRun[] = [];
  for (const count of [100, 1_000, 2_500, 5_000]) {
    say(`the plugin without the engine, ${count} endpoints`);
    alone.push(...(await runAlone({ count, parallel: ALONE_PARALLEL, operationMs: OPERATION_MS })));
  }
  const limits = await runLimits(say);
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / GB)} GB, Node ${process.version}`;
  mkdirSync(join(root, "docs"), { recursive: true });
  const facts = { machine, parallel: PARALLEL, operationMs: OPERATION_MS, aloneParallel: ALONE_PARALLEL };
  const text = benchmarks({ ...facts, fleets, alone, limits });
  writeFileSync(join(root, "docs/benchmarks.md"), text);
  writeFileSync(join(root, "docs/benchmarks.svg"), memoryChart(alone));
  console.log(text);
}

const sizes = process.argv.slice(2).map(Number).filter(Boolean);
main(sizes.length > 0 ? sizes : [1, 100, 1_000]);
