/** What the plugin costs without the engine, beside a stand-in that answers with the same values, and how that grows. */
import { type AloneRun, liveAlone, runFleetAlone, runStandInAlone } from "./plugin-alone";
import { seconds, type Table } from "./tables";

const PARALLEL = 100;
const OPERATION_MS = 200;

/** A step of the plugin, and of its stand-in in the same run. */
export interface AloneResult {
  ours: AloneRun;
  waiting: AloneRun | undefined;
  /** The stand-in again, with one bare request for each change. */
  calling: AloneRun | undefined;
}

/** Runs both for fleets of these sizes. */
export async function measureAlone(sizes: readonly number[], say: (line: string) => void): Promise<AloneResult[]> {
  const results: AloneResult[] = [];
  for (const count of sizes) {
    say(`the plugin without the engine, ${count} endpoints`);
    const options = { count, parallel: PARALLEL, operationMs: OPERATION_MS };
    const { runs, outputs } = await liveAlone(options);
    const waiting = await runStandInAlone(options, outputs);
    const calling = await runStandInAlone({ ...options, steps: ["create", "update", "delete"] }, outputs, true);
    const callingAt = (step: string) => calling.find((one) => one.step === step);
    results.push(...runs.map((ours, at) => ({ ours, waiting: waiting[at], calling: callingAt(ours.step) })));
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
    heads: [
      "N",
      "step",
      "ms / N above the stand-in",
      "of it, a bare request",
      "ms / N",
      "stand-in's ms / N",
      "calls",
      "seconds",
      "peak MB",
    ],
    rows: results.map(({ ours, waiting, calling }) => {
      const each = ours.processorMs / ours.count;
      const its = (waiting?.processorMs ?? 0) / ours.count;
      const http = calling ? (calling.processorMs / ours.count - its).toFixed(2) : "";
      const cost = [(each - its).toFixed(2), http, each.toFixed(2), its.toFixed(2)];
      return [ours.count, ours.step, ...cost, ours.calls, seconds(ours.ms), ours.peakMb.toFixed(0)];
    }),
  };
}
