/** Time as an argument, so that tests can steer it; and signals that end waits: joined, followed, and bound to a time. */
import { setMaxListeners } from "node:events";

/**
 * Time as the provider sees it. Everything that waits takes a clock, so that tests steer time instead of sleeping.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest that `setTimeout` can wait, in milliseconds; it takes more for none at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine as it was when the process began, and the time since then: setting it meanwhile changes no wait. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      // Hundreds of sleepers under one signal are the normal case, not a leak.
      if (signal) setMaxListeners(0, signal);
      let timer: NodeJS.Timeout | undefined;
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      const arm = (restMs: number) => {
        timer =
          restMs <= LONGEST_TIMER_MS
            ? setTimeout(wake, restMs)
            : setTimeout(() => arm(restMs - LONGEST_TIMER_MS), LONGEST_TIMER_MS);
      };
      signal?.addEventListener("abort", stop, { once: true });
      arm(ms);
    }),
};

/** A pause before something is done again. */
export interface Pause {
  /** How long it would be, in milliseconds. */
  ms: number;
  /** What is waited for, such as `the platform asks for a pause`; told together with the length. */
  reason: string;
  /** The moment of the clock that ends it at the latest. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Told before a pause that a person would notice. */
  onWait?: ((message: string) => void) | undefined;
}

/** From this time on a person would ask why nothing happens. */
export const NOTICED_MS = 2_000;

/** A signal that follows others. `release` lets go of them. */
interface JoinedSignal {
  signal: AbortSignal;
  release(): void;
}

/**
 * Pauses, never beyond the deadline. Gives true when the whole pause is over, false when the deadline came first: what was
 * waited for cannot be had in time. Rejects with the signal's reason as soon as it is aborted.
 */
export async function pause(clock: Clock, { ms, reason, deadlineMs, signal, onWait }: Pause): Promise<boolean> {
  const leftMs = deadlineMs === undefined ? ms : Math.min(ms, deadlineMs - clock.now());
  if (leftMs >= NOTICED_MS) onWait?.(`waiting ${Math.round(leftMs / 1_000)} s: ${reason}`);
  if (leftMs > 0 || signal?.aborted) await clock.sleep(leftMs, signal);
  return leftMs === ms;
}

/** The second that a moment lies in, in milliseconds: the platform's timestamps have no more. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

/**
 * Calls `listener` when the signal is aborted; the function that it gives lets go of the signal. Hundreds of waits under one
 * signal are the normal case, not a leak that Node should warn of.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * Joins a client's own signal with that of one call. `AbortSignal.any` would keep every call's signal alive for as long
 * as the client lives, on the Node versions that are supported.
 */
export function joinSignals(own: AbortSignal, other: AbortSignal | undefined): JoinedSignal {
  const controller = new AbortController();
  const sources = other === undefined ? [own] : [own, other];
  const abort = () => controller.abort();
  const releases = sources.map((source) => {
    if (source.aborted) abort();
    return onAbort(source, abort);
  });
  return {
    signal: controller.signal,
    release: () => {
      for (const release of releases) release();
    },
  };
}

/**
 * A signal that is aborted with another one, or at a moment of the clock, whichever comes first; `graceMs` later, and at the earliest
 * so long after now.
 */
export function boundSignal(
  clock: Clock,
  { signal, deadlineMs }: { signal?: AbortSignal | undefined; deadlineMs?: number | undefined },
  graceMs: number = 0,
): JoinedSignal {
  const bound = new AbortController();
  const released = new AbortController();
  const abort = () => bound.abort();
  const abortIn = (ms: number) => {
    if (ms <= 0) return abort();
    clock.sleep(ms, released.signal).then(abort, () => {});
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
