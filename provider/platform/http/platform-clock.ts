/**
 * The platform's clock, as the `Date` of its answers tells it: what the platform dates can be compared with moments of this run,
 * however wrong the machine's own clock is.
 */
import type { Clock } from "../../lib/clock";
import { parseHttpDate } from "./http-errors";

/** The platform's clock. */
export class PlatformClock {
  #aheadMs: number | undefined;

  constructor(private readonly clock: Clock) {}

  /** Takes note of the `Date` of an answer that has just come. */
  learn(date: string | undefined): void {
    const atMs = parseHttpDate(date);
    if (atMs !== undefined) this.#aheadMs = atMs - this.clock.now();
  }

  /**
   * The platform's time in milliseconds since the epoch, never ahead of it: behind by up to the second that a `Date` leaves out, and
   * by the way of the last answer. Undefined until an answer has told.
   */
  now(): number | undefined {
    return this.#aheadMs === undefined ? undefined : this.clock.now() + this.#aheadMs;
  }
}
