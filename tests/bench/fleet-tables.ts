import type { FleetCase, FleetRun, FleetStep } from "./fleet";
import { seconds, type Table } from "./tables";

/** A case that was run, and its stand-in in the same run. */
export interface FleetResult {
  case: FleetCase;
  ours: FleetRun;
  waiting: FleetRun;
}

/** The table of ratios: each step's time relative to the stand-in and to the operations' minimum, and its calls. */
export function fleetTable(results: readonly FleetResult[]): Table {
  const rows = results.flatMap((result) =>
    result.ours.steps.map((step, at) => rowOf(result, step, result.waiting.steps[at])),
  );
  return { heads: Object.keys(rows[0] ?? {}), rows: rows.map((row) => Object.values(row)) };
}

/** Bytes of the state for each endpoint, by program. */
export function stateTable(results: readonly FleetResult[]): Table {
  const largest = new Map<string, FleetResult>();
  for (const result of results) {
    const { name } = result.case.program;
    if ((largest.get(name)?.case.count ?? 0) <= result.case.count) largest.set(name, result);
  }
  return {
    heads: ["program", "N", "bytes / N", "stand-in's bytes / N", "values"],
    rows: [...largest.values()].map(({ case: { program, count }, ours, waiting }) => [
      program.name,
      count,
      ours.bytesPerEndpoint.toFixed(0),
      waiting.bytesPerEndpoint.toFixed(0),
      Object.keys(ours.outputs).filter((name) => !name.startsWith("__")).length,
    ]),
  };
}

function rowOf(
  { case: { program, count, operationMs, parallel } }: FleetResult,
  { step, wallMs, total, refused, processorMs, peakMb }: FleetStep,
  waiting: FleetStep | undefined,
): Record<string, string | number> {
  const changes = step === "create" || step === "update" || step === "destroy";
  const resources = count / program.perResource(count);
  const floorMs = changes ? Math.ceil(resources / parallel) * operationMs : 0;
  return {
    program: program.name,
    N: count,
    "an operation": `${operationMs / 1_000} s`,
    "--parallel": parallel,
    step,
    "to the stand-in": waiting ? (wallMs / waiting.wallMs).toFixed(2) : "",
    "to the floor": floorMs ? (wallMs / floorMs).toFixed(2) : "",
    "calls / N": (total / count).toFixed(2),
    refused,
    seconds: seconds(wallMs),
    "stand-in": waiting ? seconds(waiting.wallMs) : "",
    floor: floorMs ? seconds(floorMs) : "",
    "plugin's ms / N": (processorMs / count).toFixed(1),
    "stand-in's ms / N": waiting ? (waiting.processorMs / count).toFixed(1) : "",
    "peak MB": peakMb.toFixed(0),
  };
}
