import { describe, expect, it } from "vitest";
import { sampled, seed } from "../../../support/random";
import { useWatcher } from "./support";

const TIMEOUT = { timeoutMs: 3_600_000 };
const LOOKS_PER_SECOND = 8;
/** Looks that a waiter may make before its rate counts. */
const LOOKS_AT_ONCE = 1;
/** The longest that anybody waits for a look where others wait all the time and the limit is half used. */
const LOOK_INTERVAL_MS = 530;

// Round and odd ones, so that ends fall everywhere between two looks.
const durations = [
  ...[1, 17, 100, 200, 251, 300, 400, 551, 556, 700, 900, 928, 1_000, 1_390, 1_937, 2_000, 2_615, 3_000, 4_001],
  ...[5_000, 6_667, 8_000, 10_000, 13_131, 19_999, 22_000, 30_000, 45_678, 60_000, 123_456, 300_000, 599_000],
];

const many = [
  ...durations.map((ms) => [100, ms] as const),
  ...[17, 551, 2_000, 30_000, 599_000].map((ms) => [1_000, ms] as const),
];
const streamed = durations.filter((ms) => ms >= 17 && ms <= 30_000);

describe(`the end of an operation is seen in time (PGCOMPUTE_SEED=${seed})`, () => {
  it.each(sampled(durations, 10))("by one who waits alone, %i ms", async (operationMs) => {
    const { watched, run } = await setUp(operationMs);
    expect(await run(watched(1))).toBeLessThanOrEqual(boundMs(operationMs));
  });

  it.each(sampled(many, 10))("by %i who wait from the same moment on, %i ms", async (count, operationMs) => {
    const { watched, run, looks } = await setUp(operationMs);
    expect(await run(watched(count))).toBeLessThanOrEqual(boundMs(operationMs));
    expect(looks()).toBeLessThanOrEqual(looksAllowed(operationMs + boundMs(operationMs)));
  });

  it.each(sampled(streamed, 6))("by those who come in a stream, %i ms", async (operationMs) => {
    const { watched, run, clock, looks } = await setUp(operationMs);
    const late: Promise<number>[] = [];
    const stream = async () => {
      for (let index = 0; index < 300; index += 1) {
        late.push(watched(1));
        await clock.sleep(137);
      }
      return Math.max(...(await Promise.all(late)));
    };
    const latest = await run(stream());
    // Where operations are shorter than the time between two looks, the looks are the bound.
    expect(latest).toBeLessThanOrEqual(Math.max(boundMs(operationMs), LOOK_INTERVAL_MS));
    expect(looks()).toBeLessThanOrEqual(looksAllowed(clock.elapsedMs()));
  });
});

describe("the end of every operation is seen in time", () => {
  it("where short and long ones are waited for together", async () => {
    const operationMsByAction = { start_compute: 700, apply_config: 4_000, suspend_compute: 25_000 };
    const { watched, run, clock, looks } = await setUp(90_000, operationMsByAction);
    const late: Promise<[number, number]>[] = [];
    const stream = async () => {
      for (let index = 0; index < 400; index += 1) {
        const [action, ms] = Object.entries(operationMsByAction)[index % 3] ?? ["check_availability", 90_000];
        late.push(watched(1, action, ms).then((lateMs) => [lateMs, boundMs(ms)]));
        await clock.sleep(91);
      }
      return Promise.all(late);
    };
    for (const [lateMs, mostMs] of await run(stream())) {
      expect(lateMs).toBeLessThanOrEqual(Math.max(mostMs, LOOK_INTERVAL_MS));
    }
    expect(looks()).toBeLessThanOrEqual(looksAllowed(clock.elapsedMs()));
  });

  it("behind one that hangs while thousands come and go", async () => {
    const { waiter, watched, run, clock, looks, started, emulator } = await setUp(1_000);
    emulator.admin.addFault({ on: "operation", count: 1, effect: { kind: "hang" } });
    const hanging = waiter.wait(started(1), { timeoutMs: 240_000 });
    const late: Promise<number>[] = [];
    const stream = async () => {
      for (let index = 0; index < 200; index += 1) {
        late.push(watched(10));
        await clock.sleep(1_000);
      }
      return Promise.all(late);
    };
    const all = (await run(stream())).sort((a, b) => a - b);
    // The one that hangs is far down the list: it costs a call of its own now and then, and a look of the others with it.
    expect(all.at(-1)).toBeLessThanOrEqual(2 * LOOK_INTERVAL_MS);
    expect(all[Math.floor(all.length * 0.9)]).toBeLessThanOrEqual(boundMs(1_000));
    expect(looks()).toBeLessThanOrEqual(looksAllowed(clock.elapsedMs()));
    expect((await run(hanging)).error?.kind).toBe("operation_timeout");
  });
});

/** An operation of D is seen to have ended within 0.13 s + 0.15 D and a look's way, and never later than 5 s after it did. */
function boundMs(operationMs: number): number {
  return Math.min(150 + 0.15 * operationMs, 5_000);
}

function looksAllowed(ms: number): number {
  return LOOKS_AT_ONCE + (LOOKS_PER_SECOND * ms) / 1_000;
}

async function setUp(operationMs: number, operationMsByAction: Record<string, number> = {}) {
  const bench = await useWatcher({ operationMs, operationMsByAction });
  const { waiter, clock, emulator, started } = bench;
  return {
    ...bench,
    looks: () => emulator.admin.counts().total,
    /** Waits for operations that begin now, each for itself; gives how late the latest end was seen, in milliseconds. */
    async watched(count: number, action?: string, durationMs = operationMs): Promise<number> {
      const endMs = clock.now() + durationMs;
      const waits = started(count, action).map(async (operation) => {
        const { error } = await waiter.wait([operation], TIMEOUT);
        if (error) throw error;
        return clock.now() - endMs;
      });
      return Math.max(...(await Promise.all(waits)));
    },
  };
}
