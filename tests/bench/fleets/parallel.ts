import { type FleetStep, runFleet, runWaitingFleet } from "../fleet";
import { seconds, type Table } from "../section";

const COUNT = 100;

/** Parallelism and the length of an operation in milliseconds; the shortest one at every parallelism. */
const cases = [
  { operationMs: 200, parallel: 1 },
  { operationMs: 200, parallel: 10 },
  { operationMs: 200, parallel: 50 },
  { operationMs: 2_000, parallel: 10 },
  { operationMs: 2_000, parallel: 50 },
] as const;

/** Creates the same fleet at several degrees of parallelism, with the plugin and with a provider that only waits. */
export async function measureParallel(say: (line: string) => void): Promise<Table> {
  const rows = [];
  for (const one of cases) {
    const options = { ...one, count: COUNT, steps: ["create"] as const, say };
    const engine = only((await runWaitingFleet(options)).steps);
    const ours = only((await runFleet(options)).steps);
    const looks = (ours.calls["operations.list"] ?? 0) + (ours.calls["operations.get"] ?? 0);
    const floorMs = Math.ceil(COUNT / one.parallel) * one.operationMs;
    rows.push([
      `${seconds(one.operationMs)} s`,
      one.parallel,
      seconds(ours.wallMs),
      seconds(floorMs),
      seconds(engine.wallMs),
      (ours.wallMs / engine.wallMs).toFixed(1),
      ours.total,
      looks,
      ours.refused,
    ]);
  }
  const heads = ["an operation takes", "`--parallel`", "seconds", "floor", "engine", "to the engine", "calls"];
  return { heads: [...heads, "of them looks", "refused"], rows };
}

function only(steps: FleetStep[]): FleetStep {
  const [step] = steps;
  if (!step) throw new Error("nothing was run");
  return step;
}
