import fc from "fast-check";
import { expect, it } from "vitest";
import { useBench } from "../support/bench";
import { playHistory } from "./support/history";
import { type Event, histories } from "./support/world";

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

/** Histories that something was once found by, played in every sitting. */
const found: Record<string, Event[]> = {
  "a killed create whose resource is then refused and dropped, which a message has named": [
    {
      kind: "up",
      program: { a: { branch: 1, type: "read_write" }, c: { branch: 1, type: "read_write" } },
      fault: { route: "*", count: 1, effect: { kind: "redirect", location: "http://203.0.113.9/" } },
      death: { call: 5, moment: "before" },
    },
    { kind: "up", program: {} },
  ],
  "a killed create of a replica, which no plain run doubles": [
    { kind: "up", program: { a: { branch: 2, type: "read_only" } }, death: { call: 3, moment: "after" } },
    { kind: "up", program: { a: { branch: 2, type: "read_only", sizeCu: 2 } } },
  ],
  "an endpoint that its resource comes back to while a failed run still has it to be deleted": [
    { kind: "up", program: { a: { branch: 0, type: "read_only" }, c: { branch: 1, type: "read_write" } } },
    { kind: "up", program: { c: { branch: 0, type: "read_write" }, a: { branch: 0, type: "read_write" } } },
    { kind: "up", program: { c: { branch: 1, type: "read_write" }, a: { branch: 0, type: "read_write" } } },
  ],
};

it.each(Object.entries(found))("holds for %s", async (_, events) => {
  await playHistory(await useBench(), events);
});
