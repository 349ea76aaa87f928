/** What `make bench` runs, and how long that will take. */
import { largest, type Program, programs } from "./programs";

/** One fleet to run, with its stand-in after it. */
export interface FleetCase {
  program: Program;
  count: number;
  operationMs: number;
  parallel: number;
  /** How many projects the endpoints are spread over; default one. */
  projects?: number;
}

/** The largest fleet that is measured, by name only. */
export const largestCase: FleetCase = {
  program: largest,
  count: 10_000,
  operationMs: 200,
  parallel: 10,
  projects: 100,
};

/** What is to be measured. */
export interface Wish {
  sizes: readonly number[];
  /** The form of two minutes. */
  quick: boolean;
}

/** The cases of a wish with a resource for each endpoint, the small ones first. */
export function endpointCases(wish: Wish): FleetCase[] {
  const single = programs.filter((program) => !hasFleet(program));
  return casesOf(single, wish, (count) => (wish.quick || count === 1 ? [10] : [10, 50]));
}

/** Those with one resource for all endpoints, to which the engine's parallelism means nothing. */
export function fleetCases(wish: Wish): FleetCase[] {
  return casesOf(programs.filter(hasFleet), wish, () => [10]);
}

function casesOf(
  among: readonly Program[],
  { sizes, quick }: Wish,
  parallels: (count: number) => number[],
): FleetCase[] {
  const cases: FleetCase[] = [];
  for (const count of sizes) {
    for (const operationMs of quick ? [200] : [200, 2_000]) {
      for (const parallel of parallels(count)) {
        for (const program of among) {
          if (!quick || !program.isLong) cases.push({ program, count, operationMs, parallel });
        }
      }
    }
  }
  return cases;
}

function hasFleet({ perResource }: Program): boolean {
  return perResource(2) > 1;
}

/**
 * How long a case takes, in seconds, stand-in and all: the operations, and the engine, which writes its whole state with each change.
 * Measured on two cores that do nothing else.
 */
export function estimatedSeconds({ program, count, operationMs, parallel }: FleetCase): number {
  const resources = count / program.perResource(count);
  const runs = 10;
  const changes = 3;
  const floorSeconds = (Math.ceil(resources / parallel) * operationMs) / 1_000;
  const engineSeconds = (program.language === "YAML" ? 1e-4 : 6e-5) * resources ** 2 + 0.01 * resources;
  return 2 * (runs + changes * (floorSeconds + engineSeconds));
}
