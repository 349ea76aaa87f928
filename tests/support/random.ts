/**
 * Random tests. `make` gives them a fixed seed, so that they fail only for the change at hand; run directly they draw a
 * new one, which a failure names. `PGCOMPUTE_SEED=n` repeats it, `PGCOMPUTE_RUNS=n` sets the number of runs.
 */
import fc from "fast-check";

export const seed = Number(process.env.PGCOMPUTE_SEED ?? Date.now() % 2 ** 31);

fc.configureGlobal({ seed });

/** How many runs a test that takes long makes, where nobody asks for another number. */
export function runsOr(usual: number): number {
  return Number(process.env.PGCOMPUTE_RUNS ?? usual);
}

/** So many of the cases, drawn by the seed. */
export function sampled<T>(cases: readonly T[], size: number): T[] {
  const bounds = { minLength: size, maxLength: size };
  return fc.sample(fc.subarray([...cases], bounds), { numRuns: 1, seed }).flat();
}

export { fc };
