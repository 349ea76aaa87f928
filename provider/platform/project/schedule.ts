import type { Clock } from "../../lib/clock";

/** The longest time between two looks at an open operation, in milliseconds (specification, section 4.2). */
export const MAX_POLL_GAP_MS = 5_000;

const FIRST_POLL_MS = 250;
const GAP_PER_AGE = 0.22;
// A little under two, so that the burst at the start is made up for within a short run.
const BUDGET_PER_SECOND = 1.9;
const BUDGET_BURST = 2;
/** Enough for one look at each change where changes go one at a time. */
const SERIAL_BUDGET_PER_SECOND = 4;

/**
 * Milliseconds to wait before the next look at an operation that has been waited on for `ageMs`. Grows with the age, so
 * that an operation of D seconds is seen to have ended within 0.3 s + 0.25 D, and never later than 5 s.
 */
export function pollGapMs(ageMs: number): number {
  return Math.min(MAX_POLL_GAP_MS, FIRST_POLL_MS + GAP_PER_AGE * ageMs);
}

/** Bounds a waiter's calls to two a second on average, so that a steady stream of new operations costs no more. */
export class PollBudget {
  #tokens = BUDGET_BURST;
  #perSecond = BUDGET_PER_SECOND;
  #at: number;

  constructor(private readonly clock: Clock) {
    this.#at = clock.now();
  }

  /** Milliseconds until a call may be made; 0 when one may be made now. */
  waitMs(): number {
    this.#refill();
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1_000) / this.#perSecond);
  }

  /** From now on each look serves one change only, so that looks have to come as often as changes. */
  serveSerial(): void {
    this.#refill();
    this.#perSecond = SERIAL_BUDGET_PER_SECOND;
  }

  /** Takes note of a call that was made. */
  spend(): void {
    this.#refill();
    this.#tokens -= 1;
  }

  #refill(): void {
    const now = this.clock.now();
    this.#tokens = Math.min(BUDGET_BURST, this.#tokens + ((now - this.#at) * this.#perSecond) / 1_000);
    this.#at = now;
  }
}
