import { setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { type QueueOptions, type Rank, RequestQueue } from "../../../../provider/platform/rate-limit/request-queue";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock";
import { floorMs, type LimiterShape, runCallers } from "./limiter";

const idle = new AbortController().signal;
setMaxListeners(0, idle);
const limits = [
  [60, 60_000],
  [700, 60_000],
  [10, 1_000],
  [40, 1_000],
] as const;
const forms = ["none", "seconds", "date"] as const;

/** What each run took of the time that its limit dictates. */
const ratios: number[] = [];

describe("a limit that has to be found out", () => {
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
      const floor = Math.max(floorMs(shape, n), ((n - shape.calls) * shape.perMs) / shape.calls);
      for (const callers of [20, 60, 200]) {
        const { clock, queue } = setUp();
        const random = sequence(callers);
        const latencyMs = () => shape.latencyMs * (0.5 + random());
        const result = await clock.run(runCallers(queue, clock, shape, { n, callers, latencyMs }));
        ratios.push(result.ms / floor);
        const isPublished = shape.calls === 700 || shape.calls === 40;
        expect(result.ms / floor).toBeLessThan(isPublished ? 1.3 : 1.5);
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
      also: { calls: 700, perMs: 60_000 },
      retryAfter,
    };
    const { clock, queue } = setUp();
    const result = await clock.run(runCallers(queue, clock, shape, { n: 1_200, callers: 100, latencyMs: () => 5 }));
    expect(result.ms / floorMs(shape, 1_200)).toBeLessThan(1.3);
    expect(result.refused / result.calls).toBeLessThanOrEqual(0.05);
  });

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
      expect(result.ms / floorMs(shape, 2_000)).toBeLessThan(1.5);
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

describe("after a refusal", () => {
  it("one call goes ahead, and the others follow only when it has passed", async () => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(5_000);
    const entered: number[] = [];
    const startMs = clock.now();
    const passes = Array.from({ length: 5 }, () =>
      queue.acquire("read", idle).then((pass) => {
        entered.push(clock.now() - startMs);
        return pass;
      }),
    );
    const probe = await clock.run(Promise.race(passes));
    expect(entered).toHaveLength(1);
    expect(entered[0]).toBeGreaterThanOrEqual(5_000);
    expect(entered[0]).toBeLessThan(5_300);
    probe?.passed();
    const rest = (await clock.run(Promise.all(passes))).slice(1);
    for (const pass of rest) pass?.passed();
    expect(entered).toHaveLength(5);
  });

  it("the refused call goes first, then changes, reads get every fourth turn, and looks when nobody else waits", async () => {
    const { clock, queue } = setUp({ maxRequestsPerSecond: 1 });
    (await queue.acquire("change", idle))?.passed();
    const order: string[] = [];
    const enter = async (rank: Rank, name: string) => {
      const pass = await queue.acquire(rank, idle);
      order.push(name);
      pass?.passed();
    };
    const all = [
      ...["l1", "l2"].map((name) => enter("look", name)),
      ...["r1", "r2"].map((name) => enter("read", name)),
      ...["c1", "c2", "c3", "c4", "c5"].map((name) => enter("change", name)),
      enter("refused", "again"),
    ];
    await clock.run(Promise.all(all));
    expect(order.join(" ")).toBe("again c1 c2 c3 r1 c4 c5 r2 l1 l2");
  });

  it("a look gets its turn though others never end", async () => {
    const { clock, queue } = setUp({ maxRequestsPerSecond: 1 });
    const order: Rank[] = [];
    const ask = (rank: Rank) =>
      queue.acquire(rank, idle).then((pass) => {
        order.push(rank);
        pass?.passed();
      });
    const all = [...Array.from({ length: 200 }, () => ask("change")), ask("look"), ask("look")];
    await clock.run(Promise.all(all));
    const looks = order.flatMap((rank, at) => (rank === "look" ? [at] : []));
    expect(looks).toEqual([41, 82]);
  });

  it("those who wait leave at once when they are cancelled", async () => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(60_000);
    const controller = new AbortController();
    const waiting = queue.acquire("read", controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await Promise.resolve();
    expect(clock.sleeping()).toBe(0);
  });

  it("who waits for 2 s is told why, once, and leaves at the deadline", async () => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(60_000);
    const startMs = clock.now();
    const said: string[] = [];
    const onWait = (message: string) => said.push(`${clock.now() - startMs} ms: ${message}`);
    expect(await clock.run(queue.acquire("change", idle, { deadlineMs: startMs + 5_000, onWait }))).toBeUndefined();
    expect(said).toEqual(["2000 ms: waiting for the account's rate limit"]);
    expect(clock.now() - startMs).toBe(5_000);
    queue.close();
  });

  it("who gets its turn sooner is told nothing", async () => {
    const { clock, queue } = setUp({ maxRequestsPerSecond: 1 });
    (await queue.acquire("change", idle))?.passed();
    const said: string[] = [];
    const turn = queue.acquire("change", idle, { deadlineMs: clock.now() + 5_000, onWait: (one) => said.push(one) });
    (await clock.run(turn))?.passed();
    expect(said).toEqual([]);
    expect(clock.sleeping()).toBe(0);
  });

  it("all give up when nothing will pass in time", async () => {
    const { clock, queue } = setUp({ maxRateLimitMs: 60_000 });
    const first = await queue.acquire("read", idle);
    const waiting = [queue.acquire("change", idle), queue.acquire("read", idle)];
    (await waiting[0])?.unanswered();
    (await waiting[1])?.unanswered();
    first?.refused(3_600_000);
    expect(await queue.acquire("read", idle)).toBeUndefined();
    expect(clock.sleeping()).toBe(0);
  });

  it("all give up when nothing has passed for too long", async () => {
    const { clock, queue } = setUp({ maxRateLimitMs: 60_000 });
    const startMs = clock.now();
    const call = async () => {
      for (;;) {
        const pass = await queue.acquire("read", idle);
        if (pass === undefined) return clock.now() - startMs;
        pass.refused();
      }
    };
    const ends = await clock.run(Promise.all([call(), call(), call()]));
    for (const end of ends) {
      expect(end).toBeGreaterThan(20_000);
      expect(end).toBeLessThanOrEqual(61_000);
    }
  });

  it("a probe without an answer does not stop the others for long", async () => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(1_000);
    const startMs = clock.now();
    await clock.run(queue.acquire("read", idle));
    const next = await clock.run(queue.acquire("read", idle));
    expect(clock.now() - startMs).toBeLessThan(3_500);
    next?.passed();
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

describe("the share of the limit that is used", () => {
  const send = async (queue: RequestQueue, calls: number) => {
    for (let call = 0; call < calls; call++) (await queue.acquire("change", idle))?.passed();
  };

  it.each([
    [350, 0.5],
    [700, 1],
    // By then the published limit is not this account's.
    [701, 0],
    [5_000, 0],
  ])("after %i requests in a minute without a refusal is %s", async (calls, share) => {
    const { queue } = setUp();
    await send(queue, calls);
    expect(queue.used()).toBeCloseTo(share);
  });

  it("is that of the published one after a refusal", async () => {
    const { queue } = setUp();
    await send(queue, 1_050);
    (await queue.acquire("change", idle))?.refused();
    expect(queue.used()).toBeCloseTo(1.5);
  });

  it("counts what is unanswered as used, and not as let through", async () => {
    const { queue } = setUp();
    await send(queue, 695);
    const open = await Promise.all(Array.from({ length: 10 }, () => queue.acquire("change", idle)));
    expect(queue.used()).toBeCloseTo(705 / 700);
    for (const permit of open) permit?.passed();
    expect(queue.used()).toBe(0);
  });
});

describe("without a limit", () => {
  it("nobody waits for the clock when answers come quickly", async () => {
    const { clock, queue } = setUp();
    const caller = async () => {
      for (let i = 0; i < 10; i++) {
        const pass = await queue.acquire("change", idle);
        await new Promise((resolve) => setImmediate(resolve));
        pass?.passed();
      }
    };
    await Promise.all(Array.from({ length: 100 }, caller));
    expect(clock.sleeping()).toBe(0);
  });

  it("calls that take long do not hold up the others for long", async () => {
    const { clock, queue } = setUp();
    const result = await clock.run(
      runCallers(queue, clock, undefined, { n: 40, callers: 40, latencyMs: () => 20_000 }),
    );
    expect(Math.max(...result.starts) - Math.min(...result.starts)).toBeLessThanOrEqual(1_000);
  });
});

function setUp(options: Partial<QueueOptions> = {}): { clock: VirtualClock; queue: RequestQueue } {
  const clock = createVirtualClock({ startAt: Date.UTC(2025, 0, 1) + 337 });
  const queue = new RequestQueue({ clock, random: sequence(1), maxRateLimitMs: 600_000, ...options });
  return { clock, queue };
}

/** Numbers from 0 to 1 that are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
