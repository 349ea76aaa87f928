import { expect, it } from "vitest";
import { useBench } from "../support/bench";
import { fc, runsOr, seed } from "../support/random";
import { playHistory } from "./support/history";
import { type Event, histories } from "./support/world";

const numRuns = runsOr(150);

it(`holds for random histories (PGCOMPUTE_SEED=${seed})`, { timeout: 60_000 + numRuns * 1_000 }, async () => {
  const bench = await useBench();
  let played = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (events) => {
      played += 1;
      await playHistory(bench, events);
    }),
    { numRuns, endOnFailure: false },
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
  "an interrupted change of type that goes back, whose old endpoint is still to be deleted": [
    { kind: "up", program: { b: { branch: 1, type: "read_write" } } },
    { kind: "up", program: { b: { branch: 1, type: "read_only" } }, interruptAt: 2 },
    { kind: "up", program: { b: { branch: 1, type: "read_write" } }, death: { call: 1, moment: "before" } },
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
