import { setMaxListeners } from "node:events";

/** A signal that is aborted with either of two others. `release` lets go of both of them. */
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
