import fc from "fast-check";
import { expect, it } from "vitest";
import { useBench } from "../support/bench";
import { playHistory } from "./support/history";
import { histories } from "./support/world";

/**
 * Runs of one sitting, and the seed: `PGCOMPUTE_SEED=n` plays that one again, and `PGCOMPUTE_RUNS=n` more of them. CI has
 * one seed, so that it fails only for the change at hand; at a desk every sitting has its own.
 */
const numRuns = Number(process.env.PGCOMPUTE_RUNS ?? 150);
const seed = Number(process.env.PGCOMPUTE_SEED ?? (process.env.CI ? 20_240_501 : Date.now() % 2 ** 31));

it(`holds for random histories (PGCOMPUTE_SEED=${seed})`, { timeout: 60_000 + numRuns * 1_000 }, async () => {
  const bench = await useBench();
  let played = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (events) => {
      played += 1;
      await playHistory(bench, events);
    }),
    { seed, numRuns, endOnFailure: false },
  );
  expect(played).toBeGreaterThanOrEqual(numRuns);
});
