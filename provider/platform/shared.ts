/** What several wait for: each leaves by its own signal, and work that nobody waits for any more is given up. */
import { onAbort } from "../lib/clock";
import { CancelledError } from "./errors";

/** Work that is under way for all who ask meanwhile. */
export class Shared<T> {
  /** The work's own end, however many have left. */
  readonly work: Promise<T>;
  #isOver = false;
  #waiting = 0;
  readonly #stop = new AbortController();

  /** Begins the work. Its signal is aborted when the last who waited has left. */
  constructor(begin: (signal: AbortSignal) => Promise<T>) {
    this.work = begin(this.#stop.signal);
    const end = () => {
      this.#isOver = true;
    };
    this.work.then(end, end);
  }

  /** True for work that has ended or was given up: who comes now needs another. */
  get isOver(): boolean {
    return this.#isOver || this.#stop.signal.aborted;
  }

  /** Waits for the work together with the others. Throws `CancelledError` as soon as the signal is aborted. */
  wait(signal: AbortSignal | undefined): Promise<T> {
    this.#waiting += 1;
    return untilAborted(this.work, signal, () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#stop.abort();
    });
  }
}

/** The promise's end, or a `CancelledError` as soon as the signal is aborted, when `leave` is called as well. */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  leave: () => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      leave();
      reject(new CancelledError());
    };
    if (signal?.aborted) return stop();
    promise.then(resolve, reject).finally(onAbort(signal, stop));
  });
}
