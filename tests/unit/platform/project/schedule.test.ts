import { describe, expect, it } from "vitest";
import { Durations, LookBudget, pollGapMs } from "../../../../provider/platform/project/operation-waiter";
import { MAX_POLL_GAP_MS } from "../../../../provider/platform/project/outcome";
import { createVirtualClock } from "../../../support/virtual-clock";

describe("pollGapMs", () => {
  it.each([1, 100, 500, 1_000, 3_000, 10_000, 60_000, 600_000])("sees the end of %i ms soon enough", (durationMs) => {
    let at = 0;
    while (at < durationMs) at += pollGapMs(at);
    expect(at - durationMs).toBeLessThanOrEqual(Math.min(130 + 0.15 * durationMs, MAX_POLL_GAP_MS));
  });

  it("is never longer than the specification's interval", () => {
    expect(pollGapMs(3_600_000)).toBe(5_000);
  });
});

describe("the looks at operations of an action that is known", () => {
  // What varies by 30 % to either side.
  const scatter = (meanMs: number, random: () => number) => meanMs * (0.7 + 0.6 * random());

  it.each([200, 1_000, 2_000, 5_000, 20_000, 60_000])("see the end of about %i ms in time", (meanMs) => {
    const late: number[] = [];
    for (let seed = 1; seed <= 50; seed += 1) {
      const random = sequence(seed);
      const durations = new Durations();
      durations.add("start_compute", scatter(meanMs, random));
      for (let count = 0; count < 20; count += 1) {
        const durationMs = scatter(meanMs, random);
        let atMs = 0;
        let openMs = 0;
        while (atMs < durationMs) {
          openMs = atMs;
          atMs += durations.gapMs("start_compute", atMs);
        }
        // What a platform does not tell lies between the last two looks.
        durations.add("start_compute", count % 2 === 0 ? durationMs : (openMs + atMs) / 2);
        late.push(atMs - durationMs);
      }
    }
    late.sort((a, b) => a - b);
    expect(late[late.length * 0.5]).toBeLessThanOrEqual(100);
    expect(late[late.length * 0.95]).toBeLessThanOrEqual(250 + 0.1 * meanMs);
    expect(late.at(-1)).toBeLessThanOrEqual(MAX_POLL_GAP_MS);
  });

  it("are few where all take the same time", () => {
    const durations = new Durations();
    for (let count = 0; count < 40; count += 1) durations.add("a", 2_000);
    let looks = 0;
    let atMs = 0;
    while (atMs < 2_000) {
      atMs += durations.gapMs("a", atMs);
      looks += 1;
    }
    expect(looks).toBeLessThanOrEqual(2);
    expect(atMs).toBeLessThanOrEqual(2_125);
  });

  it("are those of a stranger for any other action, and come every 5 s at least", () => {
    const durations = new Durations();
    durations.add("a", 3_600_000);
    expect(durations.gapMs("b", 1_000)).toBe(pollGapMs(1_000));
    for (const ageMs of [0, 60_000, 4_000_000, 90_000_000]) {
      expect(durations.gapMs("a", ageMs)).toBeLessThanOrEqual(MAX_POLL_GAP_MS);
      expect(durations.gapMs("a", ageMs)).toBeGreaterThan(0);
    }
  });
});

describe("LookBudget", () => {
  it.each([
    [0, 7, 8],
    [0.4, 7, 8],
    [0.5, 7, 8],
    [0.75, 3.5, 4.5],
    [0.9, 1.5, 2],
    [1, 0.4, 0.6],
    [3, 0.4, 0.6],
  ])("with %s of the limit used lets %s to %s looks a second through", async (used, least, most) => {
    const clock = createVirtualClock();
    const budget = new LookBudget(clock, () => used);
    let looks = 0;
    const endMs = clock.now() + 60_000;
    const spend = async () => {
      while (clock.now() < endMs) {
        const ms = budget.nextMs() - clock.now();
        if (ms > 0) await clock.sleep(ms);
        else {
          budget.spend();
          looks += 1;
        }
      }
    };
    await clock.run(spend());
    expect(looks / 60).toBeGreaterThanOrEqual(least);
    expect((looks - 1) / 60).toBeLessThanOrEqual(most + 0.02);
  });
});

/** Numbers from 0 to 1 that are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
