/** A probe without an answer for so many milliseconds does not hold up the next. */
const PROBE_MS = 2_000;
/** The pause before the first probe where the platform does not ask for one; it doubles with each, up to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Requests that must have passed to halve the longest pause: who has passed many may send more probes to find the moment. */
const PASSED_TO_HALVE = 100;
/** A pause is a little longer than asked for, by up to this share and always by this time, so that several clients do not return together. */
const LONGER_BY = 0.03;
const LONGER_MS = 10;

/** The circuit breaker of the rate limit: a refusal opens it for all requests, and one probe that passes closes it. */
export class Breaker {
  #open: { sinceMs: number; untilMs: number; refusedProbes: number; probeMs: number | undefined } | undefined;
  #closedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly random: () => number) {}

  /** When a request may start, a time in the past for at once. */
  freeAt(nowMs: number): number {
    if (this.#open === undefined) return 0;
    const { untilMs, probeMs } = this.#open;
    return probeMs === undefined || nowMs < probeMs ? untilMs : Math.max(untilMs, probeMs + PROBE_MS);
  }

  /** Since when, and until when at least, nothing passes. */
  opened(): { sinceMs: number; untilMs: number } | undefined {
    return this.#open;
  }

  /** A request starts; while the breaker is open it is the probe. */
  started(nowMs: number): void {
    if (this.#open) this.#open.probeMs = nowMs;
  }

  /** A request ended without an answer: it is no longer the probe. */
  unanswered(startedMs: number): void {
    if (this.#open?.probeMs === startedMs) this.#open.probeMs = undefined;
  }

  /** A request has passed. Where it was the probe, gives since when the breaker was open; now it is closed. */
  passed(startedMs: number, nowMs: number): number | undefined {
    if (this.#open === undefined || startedMs < this.#open.untilMs) return undefined;
    const { sinceMs } = this.#open;
    this.#open = undefined;
    this.#closedMs = nowMs;
    return sinceMs;
  }

  /**
   * A request was refused. True where that opens the breaker. `leastMs` is until when it is known to stay open, and `passed`
   * the requests that have passed so far: the more, the more probes it may cost to find the moment.
   */
  refused(startedMs: number, nowMs: number, askedMs: number | undefined, leastMs: number, passed: number): boolean {
    const open = this.#open;
    // Sent before it was closed: that is no news.
    if (open === undefined && startedMs < this.#closedMs) return false;
    if (open !== undefined && startedMs < open.untilMs) {
      open.untilMs = Math.max(open.untilMs, nowMs + (askedMs ?? 0));
      if (open.probeMs === startedMs) open.probeMs = undefined;
      return false;
    }
    const refusedProbes = open === undefined ? 0 : open.refusedProbes + 1;
    const longestMs = Math.max(FIRST_PAUSE_MS, LONGEST_PAUSE_MS / (1 + passed / PASSED_TO_HALVE));
    const own = (probes: number) => Math.min(FIRST_PAUSE_MS * 2 ** probes, longestMs);
    // After a refused probe, a header that still asks for little is not believed without end.
    const pauseMs = Math.max(askedMs ?? own(refusedProbes), refusedProbes === 0 ? 0 : own(refusedProbes - 1));
    const untilMs = Math.max(nowMs + pauseMs * (1 + LONGER_BY * this.random()) + LONGER_MS, leastMs);
    this.#open = { sinceMs: open?.sinceMs ?? nowMs, untilMs, refusedProbes, probeMs: undefined };
    return open === undefined;
  }
}
