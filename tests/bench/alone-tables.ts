/** What the plugin costs without the engine, beside a stand-in that answers with the same values, and how that grows. */
import { type AloneRun, liveAlone, runFleetAlone, runStandInAlone } from "./plugin-alone";
import { seconds, type Table } from "./tables";

const PARALLEL = 100;
const OPERATION_MS = 200;

/** A step of the plugin, and of its stand-in in the same run. */
export interface AloneResult {
  ours: AloneRun;
  waiting: AloneRun | undefined;
}

/** Runs both for fleets of these sizes. */
export async function measureAlone(sizes: readonly number[], say: (line: string) => void): Promise<AloneResult[]> {
  const results: AloneResult[] = [];
  for (const count of sizes) {
    say(`the plugin without the engine, ${count} endpoints`);
    const options = { count, parallel: PARALLEL, operationMs: OPERATION_MS };
    const { runs, outputs } = await liveAlone(options);
    const waiting = await runStandInAlone(options, outputs);
    results.push(...runs.map((ours, at) => ({ ours, waiting: waiting[at] })));
  }
  return results;
}

/** Runs fleets of these sizes, each as one resource. */
export async function measureFleetsAlone(sizes: readonly number[], say: (line: string) => void): Promise<AloneRun[]> {
  const runs: AloneRun[] = [];
  for (const count of sizes) {
    say(`the plugin without the engine, a fleet of ${count}`);
    runs.push(...(await runFleetAlone({ count, operationMs: OPERATION_MS })));
  }
  return runs;
}

/** What a member takes of the plugin: the same, whatever the number of them. */
export function fleetAloneTable(runs: readonly AloneRun[]): Table {
  return {
    heads: ["N", "step", "ms / N", "calls", "seconds", "peak MB"],
    rows: runs.map(({ count, step, processorMs, calls, ms, peakMb }) => {
      return [count, step, (processorMs / count).toFixed(2), calls, seconds(ms), peakMb.toFixed(0)];
    }),
  };
}

/** Processor time first, since that is what the plugin takes from the engine. */
export function aloneTable(results: readonly AloneResult[]): Table {
  return {
    heads: ["N", "step", "ms / N above the stand-in", "ms / N", "stand-in's ms / N", "calls", "seconds", "peak MB"],
    rows: results.map(({ ours, waiting }) => {
      const each = ours.processorMs / ours.count;
      const its = (waiting?.processorMs ?? 0) / ours.count;
      const cost = [each - its, each, its].map((ms) => ms.toFixed(2));
      return [ours.count, ours.step, ...cost, ours.calls, seconds(ours.ms), ours.peakMb.toFixed(0)];
    }),
  };
}
