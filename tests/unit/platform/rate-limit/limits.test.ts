import { describe, expect, it } from "vitest";
import { sampled, seed } from "../../../support/random";
import { floorMs, type LimiterShape, runCallers } from "./limiter";
import { idle, sequence, setUp } from "./queue";

const limits = [
  [60, 60_000],
  [700, 60_000],
  [10, 1_000],
  [40, 1_000],
] as const;
const forms = ["none", "seconds", "date"] as const;

/** What each run took of the time that its limit dictates. */
const ratios: number[] = [];

/**
 * The bound of a minute of which 15 s are left: the 300 calls after it go at the published 40 a second, since no refusal has measured
 * another rate yet, and without Retry-After the probes find its end up to 2 s late.
 */
function endsSoon({ calls, phase, retryAfter }: LimiterShape): number | undefined {
  if (calls !== 700 || phase !== 0.75) return undefined;
  return retryAfter === "none" ? 1.7 : 1.55;
}

describe(`a limit that has to be found out (PGCOMPUTE_SEED=${seed})`, () => {
  const shapes: (LimiterShape & { latencyMs: number })[] = [];
  for (const [calls, perMs] of limits) {
    for (const retryAfter of forms) {
      for (const latencyMs of [2, 10, 50]) shapes.push({ kind: "bucket", calls, perMs, retryAfter, latencyMs });
      for (const phase of [0, 0.25, 0.5, 0.75]) {
        shapes.push({ kind: "window", calls, perMs, retryAfter, phase, latencyMs: 2 });
      }
    }
  }

  it.each(shapes)(
    "$kind of $calls in $perMs ms, Retry-After $retryAfter, phase $phase, $latencyMs ms away",
    async (shape) => {
      // A limit that 200 calls do not meet needs more of them.
      const n = shape.calls < 200 ? 200 : 1_000;
      // In the middle of a second, so that dates round.
      const floor = floorMs(shape, n);
      for (const callers of [20, 60, 200]) {
        const { clock, queue } = setUp();
        const random = sequence(callers);
        const latencyMs = () => shape.latencyMs * (0.5 + random());
        const result = await clock.run(runCallers(queue, clock, shape, { n, callers, latencyMs }));
        ratios.push(result.ms / floor);
        const isPublished = shape.calls === 700 || shape.calls === 40;
        expect(result.ms / floor).toBeLessThan(endsSoon(shape) ?? (isPublished ? 1.3 : 1.5));
        expect(result.refused / result.calls).toBeLessThanOrEqual(isPublished ? 0.05 : 0.1);
        expect(clock.sleeping()).toBe(0);
      }
    },
  );

  it("costs hardly more than it dictates, over all of these", () => {
    const sorted = ratios.toSorted((a, b) => a - b);
    expect(sorted).toHaveLength(shapes.length * 3);
    expect(sorted[sorted.length >> 1]).toBeLessThan(1.1);
  });

  it("costs no more refusals than are sent and unanswered at once, and those are 40 at most", async () => {
    const { clock, queue } = setUp();
    const permits = Array.from({ length: 100 }, () => queue.acquire("change", idle));
    let admitted = 0;
    for (const one of permits) void one.then(() => (admitted += 1));
    await clock.run(clock.sleep(60_000));
    expect(admitted).toBe(40);
  });

  it.each(forms)("by the second and by the minute at once, Retry-After %s", async (retryAfter) => {
    const shape: LimiterShape = {
      kind: "bucket",
      calls: 40,
      perMs: 1_000,
      also: { kind: "bucket", calls: 700, perMs: 60_000 },
      retryAfter,
    };
    const { clock, queue } = setUp();
    const result = await clock.run(runCallers(queue, clock, shape, { n: 1_200, callers: 100, latencyMs: () => 5 }));
    expect(result.ms / floorMs(shape, 1_200)).toBeLessThan(1.3);
    expect(result.refused / result.calls).toBeLessThanOrEqual(0.05);
  });

  const withinMinute = forms.flatMap((retryAfter) =>
    (["window", "bucket"] as const).flatMap((kind) =>
      [0, 350, 690, 700].flatMap((others) => [5, 200].map((latencyMs) => ({ retryAfter, kind, others, latencyMs }))),
    ),
  );
  it.each(sampled(withinMinute, 16))(
    "a $kind by the second within a window of a minute, Retry-After $retryAfter, $others used by others, $latencyMs ms away",
    async ({ retryAfter, kind, others, latencyMs }) => {
      const also = { kind, calls: 40, perMs: 1_000 };
      const shape: LimiterShape = { kind: "window", calls: 700, perMs: 60_000, phase: 0.5, retryAfter, also, others };
      const { clock, queue } = setUp();
      const result = await clock.run(
        runCallers(queue, clock, shape, { n: 2_000, callers: 100, latencyMs: () => latencyMs }),
      );
      expect(result.ms / floorMs(shape, 2_000)).toBeLessThan(1.3);
      expect(result.refused / result.calls).toBeLessThanOrEqual(0.05);
    },
  );

  const second = { calls: 40, perMs: 1_000 };
  const minute = { calls: 700, perMs: 60_000 };
  const behindProxy = (["none", "seconds"] as const).flatMap((retryAfter) =>
    [30, 300, 900].flatMap((call): LimiterShape[] => {
      const common = { retryAfter, between: { call, retryAfterMs: 5_000 } };
      return [
        { kind: "bucket", ...second, ...common },
        { kind: "window", ...second, ...common },
        { kind: "bucket", calls: 10, perMs: 1_000, ...common },
        { kind: "window", ...minute, ...common },
        { kind: "window", ...minute, also: { kind: "bucket", ...second }, ...common },
      ];
    }),
  );
  it.each(sampled(behindProxy, 10))(
    "$kind of $calls in $perMs ms, Retry-After $retryAfter, is used well after a proxy refused call $between.call for 5 s",
    async (shape) => {
      const { clock, queue } = setUp();
      const result = await clock.run(runCallers(queue, clock, shape, { n: 1_000, callers: 100, latencyMs: () => 5 }));
      expect(result.ms / (floorMs(shape, 1_000) + 5_000)).toBeLessThan(1.3);
      expect(result.refused / result.calls).toBeLessThanOrEqual(0.05);
    },
  );

  it("does not slow down 200 calls that the limit allows", async () => {
    const shape: LimiterShape = { kind: "bucket", calls: 700, perMs: 60_000, retryAfter: "none" };
    const { clock, queue } = setUp();
    const result = await clock.run(runCallers(queue, clock, shape, { n: 200, callers: 200, latencyMs: () => 2 }));
    expect(result.refused).toBe(0);
    expect(result.ms).toBeLessThanOrEqual(100);
  });

  it("is kept over a long run, and found again when the account gets a wider one", async () => {
    const { clock, queue } = setUp();
    const narrow: LimiterShape = { kind: "bucket", calls: 10, perMs: 1_000, retryAfter: "seconds" };
    const first = await clock.run(runCallers(queue, clock, narrow, { n: 3_000, callers: 50, latencyMs: () => 5 }));
    expect(first.refused / first.calls).toBeLessThan(0.02);
    expect(first.ms).toBeLessThan(300_000 * 1.1);
    const wide: LimiterShape = { ...narrow, calls: 12 };
    const second = await clock.run(runCallers(queue, clock, wide, { n: 6_000, callers: 50, latencyMs: () => 5 }));
    const last = second.starts.filter((at) => at > clock.now() - 60_000).length;
    expect(last).toBeGreaterThan(10.5 * 60);
  });

  it.each(forms.flatMap((retryAfter) => [700, 699, 690, 400, 100].map((others) => [others, retryAfter] as const)))(
    "is not taken for what others have left of the first minute: %i of 700 used, Retry-After %s",
    async (others, retryAfter) => {
      const shape: LimiterShape = { kind: "window", calls: 700, perMs: 60_000, retryAfter, phase: 0.5, others };
      const { clock, queue } = setUp();
      const result = await clock.run(runCallers(queue, clock, shape, { n: 2_000, callers: 100, latencyMs: () => 5 }));
      expect(result.ms / floorMs(shape, 2_000)).toBeLessThan(1.3);
      expect(result.refused / result.calls).toBeLessThanOrEqual(0.05);
    },
  );

  it("is soon used well after a minute that others had used up, however far away the platform is", async () => {
    const shape: LimiterShape = { kind: "window", calls: 700, perMs: 60_000, retryAfter: "seconds", others: 700 };
    const { clock, queue } = setUp();
    await clock.run(runCallers(queue, clock, shape, { n: 1, callers: 1, latencyMs: () => 5 }));
    const result = await clock.run(
      runCallers(queue, clock, { ...shape, others: 0 }, { n: 2_800, callers: 100, latencyMs: () => 200 }),
    );
    expect(result.ms).toBeLessThan(300_000);
  });

  it("is forgotten when it was not met for long", async () => {
    const { clock, queue } = setUp();
    const shape: LimiterShape = { kind: "bucket", calls: 10, perMs: 1_000, retryAfter: "seconds" };
    await clock.run(runCallers(queue, clock, shape, { n: 50, callers: 50, latencyMs: () => 5 }));
    await clock.run(clock.sleep(601_000));
    const startMs = clock.now();
    await clock.run(runCallers(queue, clock, undefined, { n: 200, callers: 50, latencyMs: () => 1 }));
    expect(clock.now() - startMs).toBeLessThan(200);
  });
});

describe("a configured maximum", () => {
  it.each([0.5, 1, 2.5, 7, 10, 40, 300])("of %s a second is never exceeded and well used", async (maximum) => {
    const { clock, queue } = setUp({ maxRequestsPerSecond: maximum });
    const random = sequence(3);
    const n = Math.min(500, Math.ceil(maximum * 20));
    const result = await clock.run(
      runCallers(queue, clock, undefined, { n, callers: 100, latencyMs: () => 1 + 80 * random() }),
    );
    const most = Math.max(
      ...result.starts.map((from) => result.starts.filter((at) => at >= from && at < from + 1_000).length),
    );
    expect(most).toBeLessThanOrEqual(Math.max(1, Math.floor(maximum)));
    expect(result.ms).toBeLessThan((n / Math.max(Math.floor(maximum), Math.min(maximum, 1))) * 1_000 * 1.06 + 200);
  });
});
