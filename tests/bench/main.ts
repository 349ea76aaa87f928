/** What `make bench` runs, and how long that will take. */
import { type FleetCase, runFleet, runWaitingFleet } from "./fleet";
import { type FleetResult, fleetTable, stateTable } from "./fleet-tables";
import { writePage } from "./page";
import { largest, programs } from "./programs";
import { startTable } from "./start";
import { machine, writeTable } from "./tables";

type Say = (line: string) => void;

/** What is to be measured. */
interface Wish {
  sizes: readonly number[];
  /** The form of two minutes. */
  quick: boolean;
}

/** A part of docs/benchmarks, what it measures, and how many seconds that takes. */
interface Part {
  seconds(wish: Wish): number;
  measure(wish: Wish, say: Say): Promise<unknown>;
}

/** The largest fleet that is measured, by name only. */
const largestCase: FleetCase = {
  program: largest,
  count: 10_000,
  operationMs: 200,
  parallel: 10,
  projects: 100,
};

const parts: Record<string, Part> = {
  start: {
    seconds: () => 15,
    async measure() {
      const where = machine();
      writeTable("start", where, await startTable());
    },
  },
  endpoints: {
    seconds: (wish) => secondsOf(endpointCases(wish)),
    measure: (wish, say) => measureOnEngine(endpointCases(wish), { runs: "endpoints", state: "state" }, say),
  },
  fleets: {
    seconds: (wish) => secondsOf(fleetCases(wish)),
    measure: (wish, say) => measureOnEngine(fleetCases(wish), { runs: "fleets", state: "fleet-state" }, say),
  },
  largest: {
    seconds: () => 600,
    measure: (_, say) => measureOnEngine([largestCase], { runs: "largest" }, say),
  },
  page: { seconds: () => 0, measure: async () => writePage() },
};

/** The cases of a wish with a resource for each endpoint, the small ones first. */
function endpointCases(wish: Wish): FleetCase[] {
  return casesOf(wish, false, (count) => (wish.quick || count === 1 ? [10] : [10, 50]));
}

/** Those with one resource for all endpoints, to which the engine's parallelism means nothing. */
function fleetCases(wish: Wish): FleetCase[] {
  return casesOf(wish, true, () => [10]);
}

function casesOf({ sizes, quick }: Wish, areFleets: boolean, parallels: (count: number) => number[]): FleetCase[] {
  const among = programs.filter(({ perResource, isLong }) => perResource(2) > 1 === areFleets && !(quick && isLong));
  return sizes.flatMap((count) =>
    (quick ? [200] : [200, 2_000]).flatMap((operationMs) =>
      parallels(count).flatMap((parallel) => among.map((program) => ({ program, count, operationMs, parallel }))),
    ),
  );
}

/**
 * Estimated duration of a case with its stand-in, in seconds: the operations, and the engine, which writes its whole
 * state with each change. Measured on two idle cores.
 */
function estimatedSeconds({ program, count, operationMs, parallel }: FleetCase): number {
  const resources = count / program.perResource(count);
  const runs = 10;
  const changes = 3;
  const floorSeconds = (Math.ceil(resources / parallel) * operationMs) / 1_000;
  const engineSeconds = (program.language === "YAML" ? 1e-4 : 6e-5) * resources ** 2 + 0.01 * resources;
  return 2 * (runs + changes * (floorSeconds + engineSeconds));
}

function secondsOf(cases: readonly FleetCase[]): number {
  return cases.reduce((sum, one) => sum + estimatedSeconds(one), 0);
}

async function measureOnEngine(
  cases: readonly FleetCase[],
  sections: { runs: string; state?: string },
  say: Say,
): Promise<void> {
  const where = machine();
  const results: FleetResult[] = [];
  for (const one of cases) {
    const options = { ...one, say: (line: string) => say(`${one.program.name}: ${line}`) };
    const ours = await runFleet(options);
    results.push({ case: one, ours, waiting: await runWaitingFleet({ ...options, say }, ours.outputs) });
    // After each of them: a run of hours that is ended early leaves what it has.
    writeTable(sections.runs, where, fleetTable(results));
    if (sections.state) writeTable(sections.state, where, stateTable(results));
  }
}

/**
 * Measures parts of docs/benchmarks anew, keeps the others, and writes the tables of docs/benchmarks.md from all.
 * Arguments: fleet sizes (default 1, 100 and 1000) and parts (default all but `largest`). `quick` takes two minutes:
 * 100 endpoints, one length of operations, no slow or near-duplicate program.
 */
async function main(args: readonly string[]): Promise<void> {
  const quick = args.includes("quick");
  const given = args.map(Number).filter(Boolean);
  const wish = { quick, sizes: given.length > 0 ? given : quick ? [100] : [1, 100, 1_000] };
  const named = args.filter((arg) => arg !== "quick" && !Number(arg));
  const unknown = named.filter((name) => !(name in parts));
  if (unknown.length > 0)
    throw new Error(`no such part: ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`);
  const usual = Object.keys(parts).filter((name) => name !== "largest");
  const wanted = [...new Set([...(named.length > 0 ? named : usual), "page"])];
  const seconds = wanted.reduce((sum, name) => sum + (parts[name]?.seconds(wish) ?? 0), 0);
  console.log(
    `bench: ${wanted.join(", ")} will take about ${formatDuration(seconds)} on two cores that do nothing else`,
  );
  for (const name of wanted) await parts[name]?.measure(wish, (line) => console.log(`bench: ${line}`));
  console.log("bench: docs/benchmarks.md and the CSV files beside it have the figures");
}

function formatDuration(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  return minutes < 90 ? `${minutes} minutes` : `${(minutes / 60).toFixed(1)} hours`;
}

// The Automation API leaves handles open.
main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
