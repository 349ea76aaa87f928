import { expect, it } from "vitest";
import { fc, runsOr, seed } from "../support/random";
import { cases } from "./support/cases";
import { play } from "./support/play";
import type { Tally } from "./support/tally";
import { formerOwners, usePlatform } from "./support/world";

/** A failure prints a path: `PGCOMPUTE_SEED=n PGCOMPUTE_PATH=p` plays that one program alone. */
const path = process.env.PGCOMPUTE_PATH;
const numRuns = path === undefined ? runsOr(2_000) : 1;

it(`does what the preview says (PGCOMPUTE_SEED=${seed})`, { timeout: 60_000 + numRuns * 1_000 }, async () => {
  const { bench, api } = await usePlatform();
  const tallies: Tally[] = [];
  await fc.assert(
    fc.asyncProperty(cases, async (its) => {
      tallies.push(await play(bench, api, its));
    }),
    { numRuns, ...(path !== undefined && { path }) },
  );
  if (path !== undefined) return;
  const share = (test: (tally: Tally) => boolean) => tallies.filter(test).length / tallies.length;
  const shares = {
    refusals: share(({ end }) => end !== "done"),
    moves: share(({ moves }) => moves > 0),
    adoptions: share(({ adoptions }) => adoptions > 0),
    replacements: share(({ replacements }) => replacements > 0),
  };
  const fleets = share((tally) => tally.fleets);
  const owners = counts(tallies.flatMap((tally) => tally.owners));
  const words = tallies.flatMap(({ taken }) =>
    taken.map(({ word, trusted }) => `${word}${trusted ? ", trusted" : ""}`),
  );
  const taken = counts(words);
  console.log(`${tallies.length} programs (PGCOMPUTE_SEED=${seed}):`, { ...shares, fleets, owners, taken });
  expect(tallies.length).toBeGreaterThanOrEqual(numRuns);
  expect(fleets, "fleets").toBeGreaterThanOrEqual(0.2);
  for (const [kind, part] of Object.entries(shares)) expect(part, kind).toBeGreaterThanOrEqual(0.05);
  // In fewer programs chance may leave one out.
  const least = numRuns < 2_000 ? 0 : 2;
  for (const kind of formerOwners) {
    expect(owners[`${kind} met`] ?? 0, `${kind} met`).toBeGreaterThanOrEqual(least);
    expect(owners[`${kind} hidden`] ?? 0, `${kind} hidden`).toBeGreaterThanOrEqual(least);
  }
  expect(taken.adoptInterrupted ?? 0).toBeGreaterThanOrEqual(least);
});

function counts(all: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const one of all) found[one] = (found[one] ?? 0) + 1;
  return found;
}
