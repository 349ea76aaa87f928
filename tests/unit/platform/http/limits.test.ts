import { expect, it } from "vitest";
import { dictatedMs, type Limit, runCallers, setUp } from "./limiter";

const perMinute = (calls: number) => ({ calls, perMs: 60_000 });
const perSecond = (calls: number) => ({ calls, perMs: 1_000 });

/** A limit, the number of requests, and the maximum slowdown beyond it and share of refusals. */
type Row = [kind: Limit["kind"], span: Pick<Limit, "calls" | "perMs">, n: number, ratio: number, refused: number];

const rows: Row[] = [
  ["bucket", perMinute(60), 200, 1.1, 0.1],
  ["window", perMinute(60), 200, 1.2, 0.15],
  ["bucket", perMinute(700), 1_000, 1.15, 0.03],
  // Without Retry-After the pauses have grown by the end of the window.
  ["window", perMinute(700), 1_000, 1.9, 0.03],
  ["bucket", perSecond(10), 200, 1.15, 0.07],
  ["window", perSecond(10), 200, 1.7, 0.07],
  ["bucket", perSecond(40), 200, 1.5, 0.07],
  ["bucket", perSecond(40), 1_000, 1.2, 0.06],
];
const cases = rows.flatMap((row) =>
  [true, false].flatMap((retryAfter) => [2, 50].map((ms) => ({ row, retryAfter, ms }))),
);

it.each(cases)("a limit that is met, $row, is kept to: Retry-After $retryAfter, $ms ms away", async (each) => {
  const { row, retryAfter, ms: latencyMs } = each;
  const [kind, span, n, mostRatio, mostRefused] = row;
  const limit = { kind, ...span, retryAfter };
  const bench = setUp();
  const { ms, refused, starts } = await runCallers(bench, limit, { n, callers: 50, latencyMs });
  expect(ms / dictatedMs(limit, n)).toBeLessThanOrEqual(mostRatio);
  expect(refused / starts.length).toBeLessThanOrEqual(mostRefused);
  expect(bench.clock.sleeping()).toBe(0);
});

it("a limit that has become wider is found again", async () => {
  const bench = setUp();
  const narrow: Limit = { kind: "bucket", ...perSecond(10), retryAfter: true };
  await runCallers(bench, narrow, { n: 500, callers: 50, latencyMs: 5 });
  const { ms } = await runCallers(bench, { ...narrow, kind: "none" }, { n: 5_000, callers: 50, latencyMs: 5 });
  expect(ms).toBeLessThan(30_000);
});
