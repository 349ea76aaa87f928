/** When to look at operations: by how long those of their action took, and no more often than the account allows. */
import type { Clock } from "../../lib/clock";

/** The longest time between two looks at an open operation, in milliseconds (specification, section 4.2). */
export const MAX_POLL_GAP_MS = 5_000;

const LOOKS_PER_SECOND = 8;
/** How much longer the gap grows for each millisecond that an operation has taken longer than anybody could know. */
const GAP_PER_AGE = 0.15;
/** The least looks a second, where the account's limit is used up. */
const LEAST_PER_SECOND = 0.5;
/** The share of the account's limit from which on looks become fewer. */
const FREE_SHARE = 0.5;
/** One look may take many requests; the next does not wait for more than these, so that it comes before those who wait have timed out. */
const MAX_DEBT = 16;
/** While an operation may end at any moment, in milliseconds. */
const SHORT_GAP_MS = 1_000 / LOOKS_PER_SECOND;
const REMEMBERED = 32;
/** The last look is so long before the end of the wait, in milliseconds. */
const LAST_LOOK_MS = 500;

/**
 * Milliseconds to wait before the next look at an operation of an action that nothing is known of, and that has been waited on
 * for `ageMs`. Grows with the age, so that an operation of D seconds is seen to have ended within 0.13 s + 0.15 D.
 */
export function pollGapMs(ageMs: number): number {
  return Math.min(MAX_POLL_GAP_MS, SHORT_GAP_MS + GAP_PER_AGE * ageMs);
}

/** When to look next: for the last time shortly before the deadline, so that what has ended by then is not said to be open. */
export function lookAtMs(nowMs: number, gapMs: number, deadlineMs: number): number {
  const lastMs = deadlineMs - LAST_LOOK_MS;
  return nowMs < lastMs ? Math.min(nowMs + gapMs, lastMs) : nowMs + gapMs;
}

/** The least of the moments. There may be more of them than a call takes arguments. */
export function earliest<T>(all: Iterable<T>, momentOf: (one: T) => number): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (const one of all) leastMs = Math.min(leastMs, momentOf(one));
  return leastMs;
}

/** How long the operations of each action took lately. */
export class Durations {
  readonly #byAction = new Map<string, number[]>();

  /** Takes note of an operation that took so many milliseconds. */
  add(action: string, ms: number): void {
    const known = this.#byAction.get(action) ?? [];
    this.#byAction.set(action, [...known.slice(1 - REMEMBERED), ms]);
  }

  /**
   * Milliseconds to wait before the next look at an operation that has been waited on for `ageMs`: until it may end, then
   * often until it should have ended, then more and more seldom.
   */
  gapMs(action: string, ageMs: number): number {
    const known = this.#byAction.get(action);
    if (known === undefined) return pollGapMs(ageMs);
    // The fewer are known, the further the next one may be from all of them.
    const margin = 0.25 / known.length;
    const fromMs = Math.min(...known) * (1 - margin);
    const toMs = Math.max(...known) * (1 + 2 * margin);
    if (ageMs >= toMs) return pollGapMs(ageMs - toMs);
    const nextMs = Math.min(toMs, Math.max(ageMs, fromMs) + SHORT_GAP_MS);
    return Math.min(MAX_POLL_GAP_MS, Math.max(1, nextMs - ageMs));
  }
}

/** Bounds a waiter's looks: several a second while the account's limit is hardly used, and few when it is nearly met. */
export class LookBudget {
  #tokens = 1;
  #atMs: number;

  /** `used` gives the share of the account's limit that the last minute's requests have used. */
  constructor(
    private readonly clock: Clock,
    private readonly used: () => number,
  ) {
    this.#atMs = clock.now();
  }

  /** The moment at which the next look may be made. */
  nextMs(): number {
    const perSecond = this.#refill();
    return this.#atMs + Math.ceil(((1 - this.#tokens) * 1_000) / perSecond);
  }

  /** Takes note of a request that was made for a look. */
  spend(): void {
    this.#refill();
    this.#tokens = Math.max(-MAX_DEBT, this.#tokens - 1);
  }

  #refill(): number {
    const nowMs = this.clock.now();
    const share = Math.min(1, (1 - this.used()) / (1 - FREE_SHARE));
    const perSecond = Math.max(LEAST_PER_SECOND, LOOKS_PER_SECOND * share);
    this.#tokens = Math.min(1, this.#tokens + (Math.max(0, nowMs - this.#atMs) * perSecond) / 1_000);
    this.#atMs = nowMs;
    return perSecond;
  }
}
