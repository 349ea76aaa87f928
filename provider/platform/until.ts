/** The one way in which the provider tries something again. How often, and after which pauses, is in `policy.ts`. */
import { type Clock, pause } from "../lib/clock";
import type { RequestOptions } from "./api";

/** How a try ended. */
export type Outcome<T> = { value: T; error?: undefined } | { value?: undefined; error: unknown };

/** The pause before the next try, in milliseconds, and what it is for. */
export interface Again {
  ms: number;
  reason: string;
}

/** Limits of the attempts. At the deadline or on a cancel the last outcome is returned. */
export interface Bounds extends Pick<RequestOptions, "signal" | "deadlineMs" | "onWait"> {
  clock: Clock;
}

/**
 * Tries until `again` says that an outcome stands, by undefined: gives its value, or throws its error. A pause that is interrupted is followed
 * by one more try, which sees the signal itself.
 */
export async function until<T>(
  { clock, signal, deadlineMs = Number.POSITIVE_INFINITY, onWait }: Bounds,
  attempt: () => Promise<T>,
  again: (outcome: Outcome<T>, tries: number) => Again | undefined,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const outcome: Outcome<T> = await attempt().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const next = signal?.aborted ? undefined : again(outcome, tries);
    if (next !== undefined && clock.now() + next.ms <= deadlineMs) {
      await pause(clock, { ...next, signal, onWait }).catch(() => {});
      continue;
    }
    if (outcome.error !== undefined) throw outcome.error;
    return outcome.value as T;
  }
}
