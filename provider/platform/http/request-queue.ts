/** The queue of an account's requests: it sends as fast as answers come, until the rate limit refuses one. */
import { boundSignal, type Clock, onAbort } from "../../lib/clock";
import { isRefusedTooLong, rateLimit, shown } from "../policy";
import type { RequestOptions } from "./request";

/** The permit to make one attempt. The first call of a method, when the attempt has ended, counts. */
export interface Permit {
  /** The limit let the attempt through, whatever its answer said. */
  passed(): void;
  /** The attempt was refused for the rate limit. */
  refused(retryAfterMs?: number | undefined): void;
  /** The attempt says nothing about the limit: no answer came, or a 503. */
  unanswered(): void;
}

/** Priorities of requests: refused ones, then changes, then reads. Lookups come last, or after many others. */
export type Rank = "refused" | "change" | "read" | "look";

/** Limits of an attempt's wait for its permit, and the callback for a long wait, called once. */
export type Turn = Pick<RequestOptions, "deadlineMs" | "onWait">;

/** The options of a queue. */
export interface QueueOptions {
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  /** Starts a second: of 2.5, three in any 1.2 seconds. Without it only a limit that was met holds requests back. */
  maxRequestsPerSecond?: number | undefined;
}

/** Ends somebody's wait, with the permit or without one. */
type Admit = (permit: Permit | undefined) => void;

/** The pause after a 429: no request before `untilMs`, then at most the pace. */
interface Pause {
  /** Since the first refusal that no request has passed after. */
  sinceMs: number;
  untilMs: number;
  refusals: number;
}

const SECOND_MS = 1_000;

/** Lets the attempts of one client through. */
export class RequestQueue {
  /** The first rank first; `overtaken` counts those that went before whoever waits longest in a rank. */
  readonly #ranks: Record<Rank, { waiters: Set<Admit>; overtaken: number }> = {
    refused: { waiters: new Set(), overtaken: 0 },
    change: { waiters: new Set(), overtaken: 0 },
    read: { waiters: new Set(), overtaken: 0 },
    look: { waiters: new Set(), overtaken: 0 },
  };
  /** The starts of attempts without an answer, and those of the last second or so. */
  readonly #unanswered: number[] = [];
  #starts: number[] = [];
  #pause: Pause | undefined;
  /** Attempts that began by this moment say nothing new: they went out before the last refusal was known. */
  #refusedMs = Number.NEGATIVE_INFINITY;
  /** Requests a second, once one was refused, and how many have passed since it was changed. */
  #pace: number | undefined;
  #passedAtPace = 0;
  #alarm: { atMs: number; stop: AbortController } | undefined;

  constructor(private readonly options: QueueOptions) {}

  /**
   * Waits for a permit; undefined where the signal is aborted first, or where the limit lets nothing through for longer than a request is
   * refused, or not before the deadline.
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
      // Most are let through at once, and need no timers.
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

  /** The reason why requests are held back; undefined if none waits, or only for a moment. */
  waitingFor(): string | undefined {
    const nowMs = this.options.clock.now();
    if (this.#waiting() === 0 || this.#freeAt(nowMs) <= nowMs) return undefined;
    return this.#isFull() ? this.#cause(nowMs) : this.#limit(nowMs);
  }

  /** Why a request that has waited for so many milliseconds had no turn, and whether that is the limit's doing. */
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

  /** When the next attempt may begin, a time in the past for at once. */
  #freeAt(nowMs: number): number {
    if (this.#isFull()) return Number.POSITIVE_INFINITY;
    return Math.max(this.#configuredAt(), this.#pause?.untilMs ?? 0, this.#pacedAt() ?? this.#riskFreeAt(nowMs));
  }

  #configuredAt(): number {
    const { maxRequestsPerSecond: perSecond } = this.options;
    if (perSecond === undefined) return 0;
    const together = Math.ceil(perSecond);
    const oldest = this.#starts.at(-together);
    // Longer than the span that is promised, so that the promise also holds where the requests arrive.
    return oldest === undefined ? 0 : oldest + (SECOND_MS * rateLimit.longer * together) / perSecond;
  }

  #pacedAt(): number | undefined {
    return this.#pace && (this.#starts.at(-1) ?? 0) + SECOND_MS / this.#pace;
  }

  /** Before the first refusal few are young enough to be refused, whatever the limit is. */
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

  /** Back step by step: the pace goes up a little for each few that pass. */
  #passed(startedMs: number): void {
    if (this.#pace === undefined || startedMs <= this.#refusedMs) return;
    this.#pause = undefined;
    this.#passedAtPace += 1;
    if (this.#passedAtPace < rateLimit.raisedAfter) return;
    this.#pace *= rateLimit.raise;
    this.#passedAtPace = 0;
  }

  /** All pause, as long as is asked for or twice as long each time. Half the pace follows the first refusal after one has passed. */
  #refused(startedMs: number, nowMs: number, askedMs: number | undefined): void {
    const { firstPauseMs, longestPauseMs, longer, publishedPerSecond, slowestPerSecond } = rateLimit;
    if (startedMs <= this.#refusedMs) {
      if (this.#pause && askedMs) this.#pause.untilMs = Math.max(this.#pause.untilMs, nowMs + askedMs);
      return;
    }
    const { sinceMs = nowMs, refusals = 0 } = this.#pause ?? {};
    const own = (count: number) => Math.min(firstPauseMs * 2 ** count, longestPauseMs);
    // After a second refusal, a header that still asks for little is not believed without end.
    const pauseMs = Math.max(askedMs ?? own(refusals), refusals === 0 ? 0 : own(refusals - 1));
    // A little longer, so that several clients do not return together.
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

  /** The limit that holds requests back; undefined where that is only how many are under way. */
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
    // A sleep that was stopped belongs to an alarm that has been replaced.
    this.options.clock.sleep(atMs - nowMs, stop.signal).then(rung, () => {});
  }
}
