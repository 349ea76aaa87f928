/** Work with several waiters, each of which can stop waiting. */
import { onAbort } from "../../lib/clock";
import { CancelledError } from "../errors";

/**
 * Resolves with the work's result, or rejects with a `CancelledError` once the signal aborts, after calling `leave`.
 * The work goes on.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  leave: () => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      leave();
      reject(new CancelledError());
    };
    work.then(resolve, reject).finally(onAbort(signal, stop));
    if (signal?.aborted) stop();
  });
}

/** Work with several waiters. */
export interface Shared<T> {
  work: Promise<T>;
  /** Resolves with the work's result; rejects with a `CancelledError` once the signal aborts. */
  wait(signal: AbortSignal | undefined): Promise<T>;
}

/**
 * Starts work for several waiters. Its signal aborts when the last waiter leaves; `leave` then detaches it from later
 * ones.
 */
export function shared<T>(begin: (signal: AbortSignal) => Promise<T>, leave: () => void = () => {}): Shared<T> {
  const stop = new AbortController();
  let waiting = 0;
  const work = begin(stop.signal);

  const wait = (signal: AbortSignal | undefined) => {
    waiting += 1;
    return untilAborted(work, signal, () => {
      waiting -= 1;
      if (waiting > 0) return;
      leave();
      stop.abort();
    });
  };
  return { work, wait };
}

/** Builds a shared request: made once, again after a failure; undefined if the platform lacks the data. */
export function once<T>(
  ask: () => Promise<T>,
  isAbsent: (error: unknown) => boolean,
): (signal: AbortSignal | undefined) => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined;
  return (signal) => {
    asked ??= ask().catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      asked = undefined;
      throw error;
    });
    return untilAborted(asked, signal);
  };
}
