import { setMaxListeners } from "node:events";

/** A signal that is aborted with either of two others. `release` lets go of both of them. */
export interface JoinedSignal {
  signal: AbortSignal;
  release(): void;
}

/**
 * Joins a client's own signal with that of one call. `AbortSignal.any` would keep every call's signal alive for as long
 * as the client lives, on the Node versions that are supported.
 */
export function joinSignals(own: AbortSignal, other: AbortSignal | undefined): JoinedSignal {
  const controller = new AbortController();
  const sources = other === undefined ? [own] : [own, other];
  const abort = () => controller.abort();
  for (const source of sources) {
    // Hundreds of calls under one signal are the normal case, not a leak.
    setMaxListeners(0, source);
    if (source.aborted) abort();
    else source.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const source of sources) source.removeEventListener("abort", abort);
    },
  };
}
