import type { Clock } from "../../../../provider/lib/clock";

/** A clock that stands still until it is told to go on; nothing ever really waits. */
export interface SteeredClock extends Clock {
  /** Sleepers that have not woken. */
  sleeping(): number;
  /** Lengths of all sleeps that were asked for, in order. */
  readonly slept: readonly number[];
  /** Wakes the next sleeper, at its time. False when nobody sleeps. */
  step(): boolean;
  /** Wakes one sleeper after the other until the work is done, however long it takes on this clock. */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Sleeper {
  atMs: number;
  wake(): void;
}

/** Opens a clock that begins at `startMs`. */
export function createSteeredClock(startMs = Date.UTC(2025, 0, 1)): SteeredClock {
  let nowMs = startMs;
  const slept: number[] = [];
  let sleepers: Sleeper[] = [];

  const clock: SteeredClock = {
    slept,
    now: () => nowMs,
    sleeping: () => sleepers.length,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        slept.push(ms);
        const stop = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          atMs: nowMs + Math.max(0, ms),
          wake: () => {
            signal?.removeEventListener("abort", stop);
            resolve();
          },
        };
        signal?.addEventListener("abort", stop, { once: true });
        sleepers.push(sleeper);
      }),
    step() {
      const first = sleepers.reduce<Sleeper | undefined>(
        (best, each) => (best && best.atMs <= each.atMs ? best : each),
        undefined,
      );
      if (first === undefined) return false;
      sleepers = sleepers.filter((other) => other !== first);
      nowMs = Math.max(nowMs, first.atMs);
      first.wake();
      return true;
    },
    async run(work) {
      let done = false;
      const mark = () => {
        done = true;
      };
      work.then(mark, mark);
      while (!done) {
        await settle();
        if (!done) clock.step();
      }
      return work;
    },
  };
  return clock;
}

/** Lets everything that is ready happen, network included, before the next look. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
