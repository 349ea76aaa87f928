import { boundSignal, type Clock, NOTICED_MS, onAbort } from "../../lib/clock";
import type { RequestOptions } from "../api";
import { MAX_REFUSED_MS, MINUTE_MS, PUBLISHED_PER_SECOND, RateLimit, SECOND_MS, STEP } from "./rate-limit";

/** The permit to make one attempt. Exactly one of its methods is called when the attempt has ended. */
export interface Permit {
  /** The limit let the attempt through, whatever its answer said. */
  passed(): void;
  /** The attempt was refused for the rate limit. */
  refused(retryAfterMs?: number | undefined): void;
  /** The attempt says nothing about the limit, for no answer came. */
  unanswered(): void;
}

/** Where an attempt stands in the queue: what was refused goes first, then changes, then reads, and looks when nobody else waits or many have gone first. */
export type Rank = "refused" | "change" | "read" | "look";

/** How long an attempt may wait for its permit, and who is told, once, when it takes long. */
export type Turn = Pick<RequestOptions, "deadlineMs" | "onWait">;

/** What a queue is made of. */
export interface QueueOptions {
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  /** Starts allowed in any one second, kept exactly. None, and only a limit that was met holds requests back. */
  maxRequestsPerSecond?: number | undefined;
}

/** Ends somebody's wait, with the permit or without one. */
type Admit = (permit: Permit | undefined) => void;

/** So many may overtake one that waits in a rank below theirs: else a stream of changes would leave no turn to a read or a look. */
const OVERTAKEN = 10;

/** Lets the attempts of one client through; until one is refused, no more at once than an unknown limit could refuse without harm. */
export class RequestQueue {
  readonly #limit: RateLimit;
  /** The first rank first; `overtaken` counts those that went before whoever waits longest in a rank. */
  readonly #ranks: Record<Rank, { waiters: Set<Admit>; overtaken: number }> = {
    refused: { waiters: new Set(), overtaken: 0 },
    change: { waiters: new Set(), overtaken: 0 },
    read: { waiters: new Set(), overtaken: 0 },
    look: { waiters: new Set(), overtaken: 0 },
  };
  readonly #unanswered: number[] = [];
  /** All start times, eight bytes each. */
  readonly #starts: number[] = [];
  #alarm: { atMs: number; stop: AbortController } | undefined;

  constructor(private readonly options: QueueOptions) {
    this.#limit = new RateLimit(options.random, this.#starts);
  }

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
      if (onWait) clock.sleep(NOTICED_MS, noticed.signal).then(notice, () => {});
    });
  }

  /** The share of the account's limit that the last minute's requests have used; more than 1 where they went beyond it. */
  used(): number {
    const sinceMs = this.options.clock.now() - MINUTE_MS;
    let first = this.#starts.length;
    while (first > 0 && (this.#starts[first - 1] ?? 0) > sinceMs) first -= 1;
    const sent = this.#starts.length - first;
    return sent / this.#limit.perMinute(sent - this.#unanswered.length);
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

  #freeAt(nowMs: number): number {
    if (this.#unanswered.length >= PUBLISHED_PER_SECOND) return Number.POSITIVE_INFINITY;
    return Math.max(this.#configuredAt(), this.#limit.freeAt(nowMs, this.#unanswered));
  }

  #configuredAt(): number {
    const { maxRequestsPerSecond: perSecond } = this.options;
    if (perSecond === undefined) return 0;
    const calls = Math.max(1, Math.floor(perSecond));
    const oldest = this.#starts.at(-calls);
    // Longer than the second that is promised, so that the promise also holds where the requests arrive.
    return oldest === undefined ? 0 : oldest + (SECOND_MS * STEP) / Math.min(1, perSecond);
  }

  #begin(nowMs: number): Permit {
    this.#limit.started(nowMs);
    this.#starts.push(nowMs);
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
      passed: () => end((endMs) => this.#limit.passed(nowMs, endMs)),
      refused: (retryAfterMs) => end((endMs) => this.#limit.refused(nowMs, endMs, retryAfterMs)),
      unanswered: () => end(() => this.#limit.unanswered(nowMs)),
    };
  }

  #waiting(): number {
    return Object.values(this.#ranks).reduce((sum, { waiters }) => sum + waiters.size, 0);
  }

  #next(): Admit | undefined {
    const waiting = Object.values(this.#ranks).filter(({ waiters }) => waiters.size > 0);
    const next = waiting.findLast(({ overtaken }) => overtaken >= OVERTAKEN) ?? waiting[0];
    for (const rank of Object.values(this.#ranks))
      rank.overtaken = rank === next || rank.waiters.size === 0 ? 0 : rank.overtaken + 1;
    const [first] = next?.waiters ?? [];
    return first;
  }

  /** What holds requests back at this moment; undefined where none waits. */
  waitingFor(): string | undefined {
    const nowMs = this.options.clock.now();
    return this.#waiting() === 0 || this.#freeAt(nowMs) <= nowMs ? undefined : this.#cause(nowMs);
  }

  #cause(nowMs: number): string {
    if (this.#unanswered.length >= PUBLISHED_PER_SECOND) return `${PUBLISHED_PER_SECOND} requests that are under way`;
    return this.#configuredAt() > nowMs ? "maxRequestsPerSecond" : "the account's rate limit";
  }

  /** Why a request that has waited for so many milliseconds had no turn, and whether that is the limit's doing. */
  noTurn(waitedMs: number): { kind: "rate_limited" | "timeout"; why: string } {
    const nowMs = this.options.clock.now();
    const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
    if (this.#isHopeless(nowMs)) {
      const leftMs = (this.#limit.opened?.untilMs ?? nowMs) - nowMs;
      const sofar =
        waitedMs < 1_000 ? "lets nothing through" : `let nothing through for ${seconds(waitedMs)}, and will not`;
      return { kind: "rate_limited", why: `the account's rate limit ${sofar} for another ${seconds(leftMs)}` };
    }
    // Where a deadline was near, how long the request itself has waited says nothing.
    const within = waitedMs < 1_000 ? "in the time that was left" : `within ${seconds(waitedMs)}`;
    if (this.#unanswered.length >= PUBLISHED_PER_SECOND)
      return { kind: "timeout", why: `${PUBLISHED_PER_SECOND} requests under way left no turn for it ${within}` };
    return { kind: "rate_limited", why: `${this.#cause(nowMs)} left no turn for it ${within}` };
  }

  #isHopeless(nowMs: number): boolean {
    const opened = this.#limit.opened;
    if (opened === undefined || opened.untilMs <= nowMs) return false;
    return opened.untilMs - opened.sinceMs > MAX_REFUSED_MS;
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
