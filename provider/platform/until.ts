/**
 * The one loop in which the provider waits, and the reports on waits. `policy.ts` has the pauses and bounds.
 *
 * | what is waited for                        | where                           |
 * | ----------------------------------------- | ------------------------------- |
 * | an answer to a request                    | `http/send.ts`                  |
 * | operations have ended                     | `project/operation-waiter.ts`   |
 * | a branch is unlocked                      | `project/change-queue.ts`       |
 * | an endpoint is idle                       | `provider/endpoint/moment.ts`   |
 * | a change can be seen, or that it was lost | `provider/endpoint/recovery.ts` |
 * | a change has an answer, or is found       | `provider/endpoint/change.ts`   |
 * | a branch's primary is declared            | `provider/pulumi/arrivals.ts`   |
 */
import type { Clock } from "../lib/clock";
import type { RequestOptions } from "./http/request";
import { shown } from "./policy";

/** The result of an attempt. */
export type Outcome<T> = { ok: true; value: T; error?: undefined } | { ok: false; value?: undefined; error: unknown };

/** The pause before the next attempt, in milliseconds, its reason, and a signal that ends it. */
export interface Again {
  ms: number;
  reason?: string;
  wake?: AbortSignal;
}

/** Limits of the attempts. At the deadline or on a cancel the last outcome is returned. */
export interface Bounds extends Pick<RequestOptions, "signal" | "deadlineMs" | "onWait"> {
  clock: Clock;
}

/**
 * Repeats attempts until `again` returns undefined, then returns the value or throws the error. `onWait` gets
 * noticeable pauses.
 */
export async function until<T>(
  { clock, signal, deadlineMs = Number.POSITIVE_INFINITY, onWait }: Bounds,
  attempt: () => Promise<T>,
  again: (outcome: Outcome<T>, tries: number) => Again | undefined,
): Promise<T> {
  const beganMs = clock.now();
  for (let tries = 1; ; tries += 1) {
    const outcome: Outcome<T> = await attempt().then(
      (value) => ({ ok: true, value }),
      (error: unknown) => ({ ok: false, error }),
    );

    const next = signal?.aborted ? undefined : again(outcome, tries);
    const endMs = clock.now() + (next?.ms ?? 0);
    if (next === undefined || endMs > deadlineMs) {
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    }

    const { ms, reason, wake = signal } = next;
    if (ms <= 0) continue;
    if (reason !== undefined && endMs - beganMs >= shown.noticedMs) {
      onWait?.(`waiting ${Math.max(1, Math.round(ms / 1_000))} s: ${reason}`);
    }
    await clock.sleep(ms, wake).catch(() => {});
  }
}

/** Awaits work; after 2 s calls `onWait` with its description, and every 10 s with the elapsed time. */
export async function noticed<T>(
  clock: Clock,
  work: Promise<T>,
  what: string | (() => string | undefined),
  onWait: RequestOptions["onWait"],
): Promise<T> {
  if (!onWait) return work;
  const whatNow = typeof what === "string" ? () => what : what;
  const sinceMs = clock.now();
  const ended = new AbortController();

  const tell = async () => {
    for (let ms: number = shown.noticedMs; ; ms = shown.againMs) {
      await clock.sleep(ms, ended.signal);
      const now = whatNow();
      if (now !== undefined) onWait(`waiting for ${now}, ${Math.round((clock.now() - sinceMs) / 1_000)} s`);
    }
  };

  tell().catch(() => {});
  return work.finally(() => ended.abort("ended"));
}
