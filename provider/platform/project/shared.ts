/** Work that several wait for, and how each of them leaves. */
import { onAbort } from "../../lib/clock";
import { CancelledError } from "../errors";

/** The end of work that several wait for, or a `CancelledError` as soon as the signal is aborted, when `leave` is called as well. The work goes on. */
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

/** Work that several wait for. */
export interface Shared<T> {
  work: Promise<T>;
  /** The end of the work, or a `CancelledError` as soon as the signal is aborted. */
  wait(signal: AbortSignal | undefined): Promise<T>;
}

/** Begins work for all who ask meanwhile. Its signal is aborted when the last who waited has left, so that nobody who comes then waits for it. */
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
