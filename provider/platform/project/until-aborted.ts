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
