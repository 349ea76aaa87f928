/** Signals that end waits: joined, followed, and bound to a time. */
import { setMaxListeners } from "node:events";
import type { Clock } from "./clock";

/** A signal that follows others. `release` lets go of them. */
export interface JoinedSignal {
  signal: AbortSignal;
  release(): void;
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
