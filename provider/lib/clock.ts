/** Time as an argument, so that tests can control it; and signals that end waits. */
/** The provider's clock, an argument of every wait, so that tests control time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Maximum delay of `setTimeout`, 24 days, in milliseconds; it runs longer delays at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock at process start plus the elapsed time: changing the system clock affects no wait. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const wake = () => {
        release();
        resolve();
      };

      const timer = setTimeout(wake, Math.min(ms, LONGEST_TIMER_MS));
      const release = onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal?.reason);
      });
    }),
};

class Listeners extends Set<() => void> {
  handleEvent(): void {
    for (const one of [...this]) one();
  }
}

const known = new WeakMap<AbortSignal, Listeners>();

/** A signal that follows another signal or a time. `release` detaches both. */
interface BoundSignal {
  signal: AbortSignal;
  release(): void;
}

/** The start of the second that contains a moment, in milliseconds: the platform's timestamps are whole seconds. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

/**
 * Calls `listener` on abort, until the returned function is called. Shares one listener per signal, as thousands are
 * slow in Node.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  const all = known.get(signal) ?? new Listeners();
  if (all.size === 0) {
    known.set(signal, all);
    signal.addEventListener("abort", all, { once: true });
  }

  all.add(listener);
  return () => {
    if (all.delete(listener) && all.size === 0) signal.removeEventListener("abort", all);
  };
}

/**
 * A signal that aborts `graceMs` after another signal or the deadline, whichever is first, and at least `graceMs` from
 * now.
 */
export function boundSignal(
  clock: Clock,
  { signal, deadlineMs }: { signal?: AbortSignal | undefined; deadlineMs?: number | undefined },
  graceMs: number = 0,
): BoundSignal {
  const bound = new AbortController();
  const released = new AbortController();
  const abort = () => bound.abort();

  const abortIn = (ms: number) => {
    if (ms <= 0) abort();
    else clock.sleep(ms, released.signal).then(abort, () => {});
  };
  if (signal?.aborted) abortIn(graceMs);
  else if (deadlineMs !== undefined) abortIn(Math.max(0, deadlineMs - clock.now()) + graceMs);

  const letGo = onAbort(signal, () => abortIn(graceMs));
  return {
    signal: bound.signal,
    release: () => {
      letGo();
      released.abort("released");
    },
  };
}
