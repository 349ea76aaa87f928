import { expect, it } from "vitest";
import { fc, runsOr, seed } from "../support/random";
import { cases } from "./support/cases";
import { play, type Tally } from "./support/play";
import type { Change } from "./support/stack";
import { formerOwners, usePlatform } from "./support/world";

/** A failure prints a path: `PGCOMPUTE_SEED=n PGCOMPUTE_PATH=p` plays that one program alone. */
const path = process.env.PGCOMPUTE_PATH;
const numRuns = path === undefined ? runsOr(2_000) : 1;
/** A failure that is still made smaller then is told as it is. */
const boundMs = 30_000 + numRuns * 1_000;

it(`does what the preview says (PGCOMPUTE_SEED=${seed})`, { timeout: 60_000 + boundMs }, async () => {
  const { bench, api } = await usePlatform();
  const tallies: Tally[] = [];
  await fc.assert(
    fc.asyncProperty(cases, async (its) => {
      tallies.push(await play(bench, api, its));
    }),
    { numRuns, interruptAfterTimeLimit: boundMs, markInterruptAsFailure: true, ...(path !== undefined && { path }) },
  );
  if (path !== undefined) return;
  const share = (test: (tally: Tally) => boolean) => tallies.filter(test).length / tallies.length;
  const plans = (change: Change) => share(({ planned }) => planned.has(change));
  const shares = {
    refusals: share(({ end }) => end !== "done"),
    updates: plans("update"),
    replacements: plans("replace"),
    takeovers: share(({ taken }) => taken.length > 0),
    fleets: share(({ hasFleets }) => hasFleets),
  };
  const met = counts(tallies.flatMap((tally) => tally.met));
  const hidden = counts(tallies.flatMap((tally) => (tally.isPartial ? tally.met : [])));
  const taken = counts(tallies.flatMap((tally) => tally.taken));
  console.log(`${tallies.length} programs (PGCOMPUTE_SEED=${seed}):`, { ...shares, met, hidden, taken });
  expect(tallies.length).toBeGreaterThanOrEqual(numRuns);
  expect(shares.fleets, "fleets").toBeGreaterThanOrEqual(0.2);
  for (const [kind, part] of Object.entries(shares)) expect(part, kind).toBeGreaterThanOrEqual(0.05);
  // In fewer programs chance may leave one out.
  const least = numRuns < 2_000 ? 0 : 2;
  for (const kind of formerOwners) {
    expect(met[kind] ?? 0, `${kind} met`).toBeGreaterThanOrEqual(least);
    expect(hidden[kind] ?? 0, `${kind} hidden`).toBeGreaterThanOrEqual(least);
  }
  expect(taken.adoptInterrupted ?? 0).toBeGreaterThanOrEqual(least);
});

function counts(all: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const one of all) found[one] = (found[one] ?? 0) + 1;
  return found;
}
