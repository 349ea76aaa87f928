/**
 * Random tests. `make` gives them one seed, so that they fail only for the change at hand; run by themselves they draw another each
 * time, which a failure names. `PGCOMPUTE_SEED=n` plays that one again, and `PGCOMPUTE_RUNS=n` so many runs.
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
