/** What a client knows of the account's rate limit: nothing before the first refusal, then the published one, then what it measures. */
import { Breaker } from "./breaker";

/** Requests a minute that the platform publishes as its limit (specification, section 8, published). */
const PUBLISHED_PER_MINUTE = 700;
const PUBLISHED_PER_SECOND = 40;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Start times that are kept, and so the most that a measured rate sends together. */
const MAX_STARTS = 1_000;
/** From this length on, a breaker was open for a limit by the minute that gives its requests at once. */
const LONG_MS = 4_000;
/** A limit that was not reached for so long is forgotten. */
const FORGET_MS = 600_000;
/** A refusal is quick: a request that is unanswered for longer was let in, and is no longer at risk of one. */
const QUICK_MS = 100;
/** Requests at risk at once: while no limit is known, with one more for so many that have passed; and at a rate. */
const FIRST_AT_RISK = 8;
const PASSED_PER_RISK = 40;
const AT_RISK = 4;
/** Requests without a refusal after which the rate is raised, doubled with each time that this went wrong. */
const RAISED_AFTER = 20;
const RAISE = 1.05;
/** The same while the measurement leaves much room. */
const QUICK_AFTER = 5;
const QUICK_RAISE = 1.06;
/** A rate that was refused at less than this many times its measurement was nearly right. */
const NEARLY_RIGHT = 1.3;
/** The share of what was measured that is used. */
const MARGIN = 0.97;
const PUBLISHED_RATE = (PUBLISHED_PER_SECOND * MARGIN) / SECOND_MS;

/** The rate limit as one client finds it out. Times in milliseconds. */
export class RateLimit {
  readonly #breaker: Breaker;
  #passed = 0;
  /** Requests a millisecond, once a limit was met. */
  #rate: number | undefined;
  #isMeasured = false;
  /** Requests a millisecond that the measurement leaves possible at most. */
  #most = 0;
  /** The last two moments at which nothing was left, and what had passed until then. */
  #empty: { atMs: number; passed: number } | undefined;
  /** True once nobody has asked for a second since then: what has passed is what was asked for. */
  #wasQuiet = false;
  /** When a limit by the minute gave its requests last, what had passed until then, and how many it gives: at least what others left of them. */
  #given: { atMs: number; passed: number; most: number } | undefined;
  #passedAtChange = 0;
  #setbacks = 0;
  /** The latest start times. */
  #starts: number[] = [];

  constructor(random: () => number) {
    this.#breaker = new Breaker(random);
  }

  /** When the next request may start. `open` are the start times of those without an answer. */
  freeAt(nowMs: number, open: readonly number[]): number {
    if (this.#empty && nowMs - this.#empty.atMs > FORGET_MS && !this.#breaker.opened()) this.#forget();
    const pacedMs = this.#pacedAt(nowMs);
    if (this.#breaker.opened()) return Math.max(this.#breaker.freeAt(nowMs), pacedMs);
    return Math.max(pacedMs, this.#riskFreeAt(nowMs, open));
  }

  /** Since when, and until when at least, nothing passes. */
  opened(): { sinceMs: number; untilMs: number } | undefined {
    return this.#breaker.opened();
  }

  /**
   * Requests a minute that the account allows, as far as anything is known; `answered` is how many were answered in the last one.
   * More than the published limit without a refusal say that this account has another one, of which nothing is known.
   */
  perMinute(answered: number): number {
    if (this.#given) return Math.max(1, this.#given.most);
    if (this.#isMeasured && this.#rate !== undefined) return this.#rate * MINUTE_MS;
    return this.#empty === undefined && answered > PUBLISHED_PER_MINUTE
      ? Number.POSITIVE_INFINITY
      : PUBLISHED_PER_MINUTE;
  }

  started(nowMs: number): void {
    const couldMs = Math.max(this.#starts.at(-1) ?? nowMs, this.#pacedAt(nowMs), this.#breaker.freeAt(nowMs));
    if (nowMs - couldMs > SECOND_MS) this.#wasQuiet = true;
    this.#starts.push(nowMs);
    // Dropped in large pieces, so that adding stays cheap.
    if (this.#starts.length > 2 * MAX_STARTS) this.#starts = this.#starts.slice(-MAX_STARTS);
    const given = this.#given;
    if (given && nowMs >= given.atMs + MINUTE_MS) {
      const most = Math.max(given.most, this.#passed - given.passed);
      this.#given = { ...given, atMs: nowMs, passed: this.#passed, most };
    }
    this.#breaker.started(nowMs);
  }

  unanswered(startedMs: number): void {
    this.#breaker.unanswered(startedMs);
  }

  passed(startedMs: number, nowMs: number): void {
    this.#passed += 1;
    const openedMs = this.#breaker.passed(startedMs, nowMs);
    if (openedMs !== undefined) this.#closed(openedMs, nowMs);
    if (this.#rate === undefined || !this.#isMeasured) return;
    // A measurement of few requests leaves much room above it.
    const isRough = this.#rate * QUICK_RAISE < this.#most;
    if (this.#passed - this.#passedAtChange < (isRough ? QUICK_AFTER : RAISED_AFTER * 2 ** this.#setbacks)) return;
    this.#rate *= isRough ? QUICK_RAISE : RAISE;
    this.#passedAtChange = this.#passed;
  }

  refused(startedMs: number, nowMs: number, retryAfterMs: number | undefined): void {
    const given = this.#given;
    // Where the platform does not say when: a limit by the second may refuse as well, long before the minute's requests are used up.
    const isUsedUp = given !== undefined && this.#passed - given.passed >= given.most;
    const leastMs = isUsedUp && retryAfterMs === undefined ? given.atMs + MINUTE_MS : 0;
    if (!this.#breaker.refused(startedMs, nowMs, retryAfterMs, leastMs, this.#passed)) return;
    const last = this.#empty;
    const wasQuiet = this.#wasQuiet;
    this.#empty = { atMs: nowMs, passed: this.#passed };
    this.#wasQuiet = false;
    // What passed since the minute's pause, or while nobody asked, says nothing of a rate.
    if (last === undefined || this.#rate === undefined || given !== undefined || wasQuiet) return;
    const passed = this.#passed - last.passed;
    const spanMs = Math.max(1, nowMs - last.atMs);
    const measured = passed / spanMs;
    // Windows give theirs at once, so that the last part of the span may have been without any.
    this.#most = Math.max((passed + 1) / spanMs, passed / (SECOND_MS * Math.max(1, Math.floor(spanMs / SECOND_MS))));
    // A rate that held for long and was raised once too often was nearly right.
    const held = this.#isMeasured && this.#rate < measured * NEARLY_RIGHT;
    this.#rate = (held ? Math.max(measured, this.#rate / RAISE) : measured) * MARGIN;
    this.#setbacks = held ? this.#setbacks + 1 : 0;
    this.#isMeasured = true;
    this.#passedAtChange = this.#passed;
  }

  /** The breaker is closed: a long time means that requests are given at once, a short one that they come one by one. */
  #closed(openedMs: number, nowMs: number): void {
    if (nowMs - openedMs >= LONG_MS) {
      // The probe is the first of them.
      const passed = this.#passed - 1;
      this.#given = { atMs: nowMs, passed, most: passed - (this.#given?.passed ?? 0) };
      // By the second as published, so that its refusals are not taken for the minute's.
      this.#rate = PUBLISHED_RATE;
      this.#isMeasured = false;
    } else {
      this.#given = undefined;
      this.#rate ??= PUBLISHED_RATE;
    }
    this.#passedAtChange = this.#passed;
  }

  /** A second's requests may come at once: windows give them so, and so does what a bucket has gathered. */
  #pacedAt(nowMs: number): number {
    if (this.#rate === undefined) return 0;
    const requests = Math.min(MAX_STARTS, Math.max(1, Math.round((this.#rate * SECOND_MS) / MARGIN)));
    const oldest = this.#starts.at(-requests);
    // A machine's clock may be set back; a time that has not come yet says nothing.
    return oldest === undefined || oldest > nowMs ? 0 : oldest + requests / this.#rate;
  }

  #riskFreeAt(nowMs: number, open: readonly number[]): number {
    const first = FIRST_AT_RISK + Math.floor(this.#passed / PASSED_PER_RISK);
    const most = this.#rate === undefined ? first : AT_RISK;
    const atRisk = open.filter((at) => at <= nowMs && at + QUICK_MS > nowMs);
    const blocking = atRisk[atRisk.length - most];
    return blocking === undefined ? 0 : blocking + QUICK_MS;
  }

  #forget(): void {
    this.#rate = undefined;
    this.#isMeasured = false;
    this.#empty = undefined;
    this.#given = undefined;
    this.#setbacks = 0;
  }
}
