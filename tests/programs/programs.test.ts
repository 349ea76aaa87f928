import { expect, it } from "vitest";
import { fc, runsOr, seed } from "../support/random";
import { cases } from "./support/cases";
import { play } from "./support/play";
import { usePlatform } from "./support/world";

/** A failure prints a path: `PGCOMPUTE_SEED=n PGCOMPUTE_PATH=p` plays that one program alone. */
const path = process.env.PGCOMPUTE_PATH;
const numRuns = path === undefined ? runsOr(600) : 1;
/** A failure that is still made smaller then is told as it is. */
const boundMs = 30_000 + numRuns * 1_000;

it(`does no more than the preview says (PGCOMPUTE_SEED=${seed})`, { timeout: 60_000 + boundMs }, async () => {
  const { bench, api } = await usePlatform();
  const ends: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(cases, async (its) => {
      const end = await play(bench, api, its);
      const counted = `${its.host}: ${end}`;
      ends[counted] = (ends[counted] ?? 0) + 1;
    }),
    { numRuns, interruptAfterTimeLimit: boundMs, markInterruptAsFailure: true, ...(path !== undefined && { path }) },
  );
  console.log(`${numRuns} programs (PGCOMPUTE_SEED=${seed}):`, ends);
  expect(Object.values(ends).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(numRuns);
});
