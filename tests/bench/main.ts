import { endpointCases, estimatedSeconds, type FleetCase, fleetCases, largestCase, type Wish } from "./cases";
import { runFleet, runWaitingFleet } from "./fleet";
import { type FleetResult, fleetTable, stateTable } from "./fleet-tables";
import { writePage } from "./page";
import { measureStart, startTable } from "./start";
import { machine, writeTable } from "./tables";

type Say = (line: string) => void;

/** A part of docs/benchmarks, what it measures, and how many seconds that takes. */
interface Part {
  seconds(wish: Wish): number;
  measure(wish: Wish, say: Say): Promise<unknown>;
}

const parts: Record<string, Part> = {
  start: {
    seconds: () => 15,
    async measure() {
      const where = machine();
      writeTable("start", where, startTable(await measureStart()));
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
 * Measures parts of docs/benchmarks anew, leaves the others as they are, and writes the tables of docs/benchmarks.md from all of them. Arguments are
 * the fleet sizes, by default 1, 100 and 1000, and names of parts, by default all but `largest`; `quick` is the form of two minutes: 100 endpoints, one
 * length of operations, and no program that takes long and says nearly what another does.
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
