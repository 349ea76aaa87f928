/** The queue of an account's requests: as fast as answers come, until the rate limit refuses one. */
import { boundSignal, type Clock, onAbort } from "../../lib/clock";
import { isRefusedTooLong, rateLimit, shown } from "../policy";
import type { RequestOptions } from "./request";

/** The permit for one attempt. Call one of its methods when the attempt ends; only the first call counts. */
export interface Permit {
  /** The rate limit accepted the attempt, whatever its answer. */
  passed(): void;
  /** The rate limit refused the attempt. */
  refused(retryAfterMs?: number | undefined): void;
  /** The attempt shows nothing about the limit: no answer, or a 503. */
  unanswered(): void;
}

/** Priorities of requests: refused ones, changes, reads, then lookups. Many overtakers bring a lower one forward. */
export type Rank = "refused" | "change" | "read" | "look";

/** Bounds of an attempt's wait for its permit, and a callback for a long wait, called once. */
export type Turn = Pick<RequestOptions, "deadlineMs" | "onWait">;

/** The options of a queue. */
export interface QueueOptions {
  clock: Clock;
  /** A random number from 0 to 1. */
  random: () => number;
  /**
   * Requests started per second; with 2.5, three in any 1.2 seconds. Without it only a limit that was met delays
   * requests.
   */
  maxRequestsPerSecond?: number | undefined;
}

/** Ends a waiter's wait, with or without a permit. */
type Admit = (permit: Permit | undefined) => void;

/** The pause after a 429: no request before `untilMs`, then at most the pace. */
interface Pause {
  /** Time of the first refusal since a request was accepted. */
  sinceMs: number;
  untilMs: number;
  refusals: number;
}

const SECOND_MS = 1_000;

/** Grants permits to one client's attempts. */
export class RequestQueue {
  /** Waiters by rank; `overtaken` counts those that went before the longest waiter of a rank. */
  readonly #ranks: Record<Rank, { waiters: Set<Admit>; overtaken: number }> = {
    refused: { waiters: new Set(), overtaken: 0 },
    change: { waiters: new Set(), overtaken: 0 },
    read: { waiters: new Set(), overtaken: 0 },
    look: { waiters: new Set(), overtaken: 0 },
  };
  /** Start times of unanswered attempts, and of those in about the last second. */
  readonly #unanswered: number[] = [];
  #starts: number[] = [];
  #pause: Pause | undefined;
  /** Attempts started by this time say nothing new: they left before the last refusal arrived. */
  #refusedMs = Number.NEGATIVE_INFINITY;
  /** Requests a second after a refusal, and the number accepted since the last change of pace. */
  #pace: number | undefined;
  #passedAtPace = 0;
  #alarm: { atMs: number; stop: AbortController } | undefined;

  constructor(private readonly options: QueueOptions) {}

  /**
   * Waits for a permit. Undefined if the signal aborts first, the rate limit refuses all for longer than
   * `givenUpAfterMs`, or the deadline passes.
   */
  acquire(rank: Rank, signal: AbortSignal, { deadlineMs, onWait }: Turn = {}): Promise<Permit | undefined> {
    const { clock } = this.options;
    const { waiters } = this.#ranks[rank];
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      let release = () => {};
      const admit = (permit: Permit | undefined) => {
        waiters.delete(admit);
        release();
        resolve(permit);
      };

      waiters.add(admit);
      this.#pump();

      // Most get a permit at once, and need no timers.
      if (!waiters.has(admit)) return;
      const bound = boundSignal(clock, { signal, deadlineMs });
      const noticed = new AbortController();
      release = () => {
        bound.release();
        noticed.abort("left");
      };

      const leave = () => {
        admit(undefined);
        this.#pump();
      };
      if (bound.signal.aborted) return leave();
      onAbort(bound.signal, leave);
      const notice = () => onWait?.(`waiting for ${this.#cause(clock.now())}`);
      if (onWait) clock.sleep(shown.noticedMs, noticed.signal).then(notice, () => {});
    });
  }

  /** The reason why requests are delayed; undefined if none waits, or only for a moment. */
  waitingFor(): string | undefined {
    const nowMs = this.options.clock.now();
    if (this.#waiting() === 0 || this.#freeAt(nowMs) <= nowMs) return undefined;
    return this.#isFull() ? this.#cause(nowMs) : this.#limit(nowMs);
  }

  /** The reason why a request had no turn after this wait, and whether the rate limit is it. */
  noTurn(waitedMs: number): { kind: "rate_limited" | "timeout"; why: string } {
    const nowMs = this.options.clock.now();
    const seconds = (ms: number) => `${Math.round(ms / SECOND_MS)} s`;
    if (this.#isHopeless(nowMs)) {
      const leftMs = (this.#pause?.untilMs ?? nowMs) - nowMs;
      const sofar =
        waitedMs < SECOND_MS ? "lets nothing through" : `let nothing through for ${seconds(waitedMs)}, and will not`;
      return { kind: "rate_limited", why: `the account's rate limit ${sofar} for another ${seconds(leftMs)}` };
    }

    // Near a deadline, the request's own wait is no useful figure.
    const within = waitedMs < SECOND_MS ? "in the time that was left" : `within ${seconds(waitedMs)}`;
    const limit = this.#limit(nowMs);
    if (limit === undefined) return { kind: "timeout", why: `${this.#open()} under way left no turn for it ${within}` };
    return { kind: "rate_limited", why: `${limit} left no turn for it ${within}` };
  }

  #pump(): void {
    while (this.#waiting() > 0) {
      const nowMs = this.options.clock.now();
      if (this.#isHopeless(nowMs)) this.#giveUp();
      else {
        const atMs = this.#freeAt(nowMs);
        if (atMs > nowMs) {
          this.#ring(atMs, nowMs);
          return;
        }
        this.#next()?.(this.#begin(nowMs));
      }
    }
    this.#ring(Number.POSITIVE_INFINITY, 0);
  }

  /** Earliest start of the next attempt; a past time means at once. */
  #freeAt(nowMs: number): number {
    if (this.#isFull()) return Number.POSITIVE_INFINITY;
    return Math.max(this.#configuredAt(), this.#pause?.untilMs ?? 0, this.#pacedAt() ?? this.#riskFreeAt(nowMs));
  }

  #configuredAt(): number {
    const { maxRequestsPerSecond: perSecond } = this.options;
    if (perSecond === undefined) return 0;
    const together = Math.ceil(perSecond);
    const oldest = this.#starts.at(-together);
    // Longer than the promised span, so that it also holds where requests arrive.
    return oldest === undefined ? 0 : oldest + (SECOND_MS * rateLimit.longer * together) / perSecond;
  }

  #pacedAt(): number | undefined {
    return this.#pace && (this.#starts.at(-1) ?? 0) + SECOND_MS / this.#pace;
  }

  /** Before the first refusal only a few may be young enough to be refused, whatever the limit. */
  #riskFreeAt(nowMs: number): number {
    const young = this.#unanswered.filter((at) => at + rateLimit.refusalMs > nowMs);
    const oldest = young[young.length - rateLimit.mostAtRisk];
    return oldest === undefined ? 0 : oldest + rateLimit.refusalMs;
  }

  #begin(nowMs: number): Permit {
    const kept = Math.ceil(this.options.maxRequestsPerSecond ?? 1);
    this.#starts = [...this.#starts.slice(-kept), nowMs];
    this.#unanswered.push(nowMs);
    let ended = false;

    const end = (tell: (endMs: number) => void) => {
      if (ended) return;
      ended = true;
      this.#unanswered.splice(this.#unanswered.indexOf(nowMs), 1);
      tell(this.options.clock.now());
      this.#pump();
    };

    return {
      passed: () => end(() => this.#passed(nowMs)),
      refused: (retryAfterMs) => end((endMs) => this.#refused(nowMs, endMs, retryAfterMs)),
      unanswered: () => end(() => {}),
    };
  }

  /** Raises the pace a little after a few accepted requests. */
  #passed(startedMs: number): void {
    if (this.#pace === undefined || startedMs <= this.#refusedMs) return;
    this.#pause = undefined;
    this.#passedAtPace += 1;
    if (this.#passedAtPace < rateLimit.raisedAfter) return;
    this.#pace *= rateLimit.raise;
    this.#passedAtPace = 0;
  }

  /**
   * Pauses all requests, as long as asked, or twice as long each time. The first refusal after an accepted request
   * halves the pace.
   */
  #refused(startedMs: number, nowMs: number, askedMs: number | undefined): void {
    const { firstPauseMs, longestPauseMs, longer, publishedPerSecond, slowestPerSecond } = rateLimit;
    if (startedMs <= this.#refusedMs) {
      if (this.#pause && askedMs) this.#pause.untilMs = Math.max(this.#pause.untilMs, nowMs + askedMs);
      return;
    }

    const { sinceMs = nowMs, refusals = 0 } = this.#pause ?? {};
    const own = (count: number) => Math.min(firstPauseMs * 2 ** count, longestPauseMs);
    // After a second refusal a short `Retry-After` is no longer believed.
    const pauseMs = Math.max(askedMs ?? own(refusals), refusals === 0 ? 0 : own(refusals - 1));

    // A little longer, so that clients do not return together.
    const untilMs = nowMs + pauseMs * (1 + (longer - 1) * this.options.random());
    this.#pause = { sinceMs, untilMs, refusals: refusals + 1 };
    this.#refusedMs = nowMs;
    if (refusals > 0) return;
    this.#pace = Math.max(slowestPerSecond, (this.#pace ?? publishedPerSecond) / 2);
    this.#passedAtPace = 0;
  }

  #waiting(): number {
    return Object.values(this.#ranks).reduce((sum, { waiters }) => sum + waiters.size, 0);
  }

  #next(): Admit | undefined {
    const ranks = Object.values(this.#ranks);
    const waiting = ranks.filter(({ waiters }) => waiters.size > 0);
    const next = waiting.findLast(({ overtaken }) => overtaken >= rateLimit.mostOvertaking) ?? waiting[0];
    for (const rank of ranks) rank.overtaken = rank === next || rank.waiters.size === 0 ? 0 : rank.overtaken + 1;
    const [first] = next?.waiters ?? [];
    return first;
  }

  #isFull(): boolean {
    return this.#unanswered.length >= rateLimit.mostUnanswered;
  }

  #open(): string {
    return `${this.#unanswered.length} requests`;
  }

  #cause(nowMs: number): string {
    return this.#limit(nowMs) ?? `${this.#open()} that are under way`;
  }

  /** The limit that delays requests; undefined if it is only the number of open ones. */
  #limit(nowMs: number): string | undefined {
    if (this.#isFull()) return undefined;
    if (this.#configuredAt() > nowMs) return "maxRequestsPerSecond";
    return this.#pause || this.#pace ? "the account's rate limit" : undefined;
  }

  #isHopeless(nowMs: number): boolean {
    if (this.#pause === undefined || this.#pause.untilMs <= nowMs) return false;
    return isRefusedTooLong(this.#pause.sinceMs, this.#pause.untilMs);
  }

  #giveUp(): void {
    for (const { waiters } of Object.values(this.#ranks)) for (const admit of waiters) admit(undefined);
  }

  #ring(atMs: number, nowMs: number): void {
    if (this.#alarm?.atMs === atMs) return;
    this.#alarm?.stop.abort("replaced");
    this.#alarm = undefined;
    if (!Number.isFinite(atMs)) return;
    const stop = new AbortController();
    this.#alarm = { atMs, stop };

    const rung = () => {
      if (this.#alarm?.stop !== stop) return;
      this.#alarm = undefined;
      this.#pump();
    };

    // The stopped sleep of a replaced alarm.
    this.options.clock.sleep(atMs - nowMs, stop.signal).then(rung, () => {});
  }
}
