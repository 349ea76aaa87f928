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

/** A pause in milliseconds before a repeat. `onWait` gets the reason if the pause is long enough to notice. */
interface Pause {
  ms: number;
  reason: string;
  signal?: AbortSignal | undefined;
  onWait?: ((message: string) => void) | undefined;
}

class Listeners extends Set<() => void> {
  handleEvent(): void {
    for (const one of [...this]) one();
  }
}

const known = new WeakMap<AbortSignal, Listeners>();

/** From this time on a person would ask why nothing happens. */
export const NOTICED_MS = 2_000;

/** A wait that goes on is told again this often, in milliseconds. */
const NOTICED_AGAIN_MS = 10_000;

/** A signal that follows another one, or time. `release` lets go of both. */
interface BoundSignal {
  signal: AbortSignal;
  release(): void;
}

/** Pauses. Rejects with the signal's reason as soon as it is aborted. */
export async function pause(clock: Clock, { ms, reason, signal, onWait }: Pause): Promise<void> {
  if (ms >= NOTICED_MS) onWait?.(`waiting ${Math.round(ms / 1_000)} s: ${reason}`);
  if (ms > 0 || signal?.aborted) await clock.sleep(ms, signal);
}

/** Awaits work. After 2 s, and then every 10 s, `onWait` gets the reason and the time waited. */
export async function noticed<T>(
  clock: Clock,
  work: Promise<T>,
  what: string | (() => string | undefined),
  onWait: ((message: string) => void) | undefined,
): Promise<T> {
  if (!onWait) return work;
  const whatNow = typeof what === "string" ? () => what : what;
  const sinceMs = clock.now();
  const ended = new AbortController();
  const tell = async () => {
    for (let ms = NOTICED_MS; ; ms = NOTICED_AGAIN_MS) {
      await clock.sleep(ms, ended.signal);
      const now = whatNow();
      if (now !== undefined) onWait(`waiting for ${now}, ${Math.round((clock.now() - sinceMs) / 1_000)} s`);
    }
  };
  tell().catch(() => {});
  return work.finally(() => ended.abort("ended"));
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
