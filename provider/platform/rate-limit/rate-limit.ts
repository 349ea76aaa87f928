/**
 * What a client knows of the account's rate limit: nothing before the first refusal, then the published one, then what it measures.
 * A refusal stops all requests, as a circuit breaker does, until one probe passes (docs/decisions/0013-one-breaker-and-a-measured-rate.md).
 */

/** Requests a minute that the platform publishes as its limit (specification, section 8, published). */
const PUBLISHED_PER_MINUTE = 700;
/** The same by the second, and what finding out the limit may cost: so many unanswered at once, one in so many refused. */
export const PUBLISHED_PER_SECOND = 40;
/** Requests at risk of a refusal at once, and twice as many before the first refusal, when most are not. */
const AT_RISK = 4;
/** A refusal is quick: a request that is unanswered for longer was let in, and is no longer at risk of one. */
const QUICK_MS = 100;
/** The rate is raised by this factor, and begins as far below what was measured. Pauses are up to as much longer than asked for. */
export const STEP = 1.04;
/** Requests that pass before the rate is raised; twice as many with each time that this went wrong. */
const RAISED_AFTER = 5;

/** Limits are by the second or by the minute. */
export const SECOND_MS = 1_000;
/** The longest span that a limit is known to have. */
export const MINUTE_MS = 60_000;

/** How long a request that is refused for the rate limit goes on, in milliseconds; a limit that was not met for so long is forgotten. */
export const MAX_REFUSED_MS = 600_000;

/** The breaker: since when, and until when at least, nothing passes, and when the probe was sent that has no answer yet. */
interface Open {
  sinceMs: number;
  untilMs: number;
  probes: number;
  probeMs: number | undefined;
}

/** The rate limit as one client finds it out. Times in milliseconds. */
export class RateLimit {
  #open: Open | undefined;
  #closedMs = Number.NEGATIVE_INFINITY;
  #passed = 0;
  /** Requests a millisecond, once a limit was met. */
  #rate: number | undefined;
  #isMeasured = false;
  /** The last moment at which nothing was left, and what had passed until then. */
  #empty: { atMs: number; passed: number } | undefined;
  /** True once nobody has asked for a second since then: what has passed is what was asked for. */
  #wasQuiet = false;
  #passedAtChange = 0;
  #setbacks = 0;

  /** `starts` are the start times of the requests so far. */
  constructor(
    private readonly random: () => number,
    private readonly starts: readonly number[],
  ) {}

  /** Since when, and until when at least, nothing passes. */
  get opened(): { sinceMs: number; untilMs: number } | undefined {
    return this.#open;
  }

  /** When the next request may start, a time in the past for at once. `unanswered` are the start times of those without an answer. */
  freeAt(nowMs: number, unanswered: readonly number[]): number {
    if (this.#empty && nowMs - this.#empty.atMs > MAX_REFUSED_MS && !this.#open) this.#forget();
    return Math.max(
      this.#pacedAt(),
      this.#open ? this.#probeAt(nowMs, this.#open) : this.#riskFreeAt(nowMs, unanswered),
    );
  }

  /** Requests a minute that the account allows; `answered` is how many were in the last one. Beyond the published limit nothing is known. */
  perMinute(answered: number): number {
    if (this.#isMeasured && this.#rate !== undefined) return this.#rate * MINUTE_MS;
    const isBeyond = this.#empty === undefined && answered > PUBLISHED_PER_MINUTE;
    return isBeyond ? Number.POSITIVE_INFINITY : PUBLISHED_PER_MINUTE;
  }

  /** A request starts, which is not among the start times yet; while the breaker is open it is the probe. */
  started(nowMs: number): void {
    const couldMs = Math.max(this.starts.at(-1) ?? nowMs, this.#pacedAt(), this.#open?.untilMs ?? 0);
    if (nowMs - couldMs > SECOND_MS) this.#wasQuiet = true;
    if (this.#open) this.#open.probeMs = nowMs;
  }

  /** A request ended without an answer: it is no longer the probe. */
  unanswered(startedMs: number): void {
    if (this.#open?.probeMs === startedMs) this.#open.probeMs = undefined;
  }

  passed(startedMs: number, nowMs: number): void {
    this.#passed += 1;
    if (this.#open && startedMs >= this.#open.untilMs) this.#close(nowMs);
    if (this.#rate === undefined || !this.#isMeasured) return;
    if (this.#passed - this.#passedAtChange < RAISED_AFTER * 2 ** this.#setbacks) return;
    this.#rate *= STEP;
    this.#passedAtChange = this.#passed;
  }

  refused(startedMs: number, nowMs: number, askedMs: number | undefined): void {
    const open = this.#open;
    // Sent before it was closed: that is no news.
    if (open === undefined && startedMs < this.#closedMs) return;
    if (open !== undefined && startedMs < open.untilMs) {
      open.untilMs = Math.max(open.untilMs, nowMs + (askedMs ?? 0));
      this.unanswered(startedMs);
      return;
    }
    const probes = open === undefined ? 0 : open.probes + 1;
    this.#open = {
      sinceMs: open?.sinceMs ?? nowMs,
      untilMs: nowMs + this.#pauseMs(probes, askedMs),
      probes,
      probeMs: undefined,
    };
    if (open === undefined) this.#measure(nowMs);
  }

  /** As long as asked for, else a second and then twice as long each time, to no more probes than one of so many requests that have passed. */
  #pauseMs(probes: number, askedMs: number | undefined): number {
    const longestMs = Math.max(SECOND_MS, MINUTE_MS * Math.min(1, PUBLISHED_PER_SECOND / this.#passed));
    const own = (count: number) => Math.min(SECOND_MS * 2 ** count, longestMs);
    // After a refused probe, a header that still asks for little is not believed without end.
    const pauseMs = Math.max(askedMs ?? own(probes), probes === 0 ? 0 : own(probes - 1));
    // A little longer, so that several clients do not return together.
    return pauseMs * (1 + (STEP - 1) * this.random());
  }

  #measure(nowMs: number): void {
    const last = this.#empty;
    const wasQuiet = this.#wasQuiet;
    this.#empty = { atMs: nowMs, passed: this.#passed };
    this.#wasQuiet = false;
    // What passed while nobody asked says nothing of a rate.
    if (last === undefined || this.#rate === undefined || wasQuiet) return;
    const measured = (this.#passed - last.passed) / Math.max(1, nowMs - last.atMs);
    // A measurement of few requests is rough, and so was the rate that has been tried since the last.
    this.#rate = (this.#isMeasured ? (measured + this.#rate) / 2 : measured) / STEP;
    this.#setbacks = this.#isMeasured ? this.#setbacks + 1 : 0;
    this.#isMeasured = true;
    this.#passedAtChange = this.#passed;
  }

  /** A probe has passed. */
  #close(nowMs: number): void {
    this.#open = undefined;
    this.#closedMs = nowMs;
    this.#rate ??= PUBLISHED_PER_SECOND / STEP / SECOND_MS;
    this.#passedAtChange = this.#passed;
  }

  /** A probe that has no answer for a second does not hold up the next. */
  #probeAt(nowMs: number, { untilMs, probeMs }: Open): number {
    return probeMs === undefined || nowMs < probeMs ? untilMs : Math.max(untilMs, probeMs + SECOND_MS);
  }

  /** A second's requests may come at once: windows give them so, and so does what a bucket has gathered. */
  #pacedAt(): number {
    if (this.#rate === undefined) return 0;
    const requests = Math.max(1, Math.round(this.#rate * STEP * SECOND_MS));
    const oldest = this.starts.at(-requests);
    return oldest === undefined ? 0 : oldest + requests / this.#rate;
  }

  #riskFreeAt(nowMs: number, unanswered: readonly number[]): number {
    const most = this.#rate === undefined ? 2 * AT_RISK + Math.floor(this.#passed / PUBLISHED_PER_SECOND) : AT_RISK;
    const atRisk = unanswered.filter((at) => at + QUICK_MS > nowMs);
    const blocking = atRisk[atRisk.length - most];
    return blocking === undefined ? 0 : blocking + QUICK_MS;
  }

  #forget(): void {
    this.#rate = undefined;
    this.#isMeasured = false;
    this.#empty = undefined;
    this.#setbacks = 0;
  }
}
