/** Time as an argument, so that tests can steer it; and signals that end waits: followed by many, and bound to a time. */
/** Time as the provider sees it, an argument of all that waits, so that tests steer it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest that `setTimeout` can wait, in milliseconds, 24 days; it takes more for none at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine as it was when the process began, and the time since then: setting it meanwhile changes no wait. */
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

/** A signal that follows another one, or time. `release` lets go of both. */
interface BoundSignal {
  signal: AbortSignal;
  release(): void;
}

/** The second that a moment lies in, in milliseconds: the platform's timestamps have no more. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

/**
 * Calls `listener` on abort, until the given function lets go. Thousands of waits under one signal are the normal case, and Node goes through
 * all listeners of a signal with each that comes or goes: so a signal has one, for all of them.
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

/** A signal that is aborted `graceMs` after another one or a moment of the clock, whichever is first, and no sooner than so long after now. */
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
