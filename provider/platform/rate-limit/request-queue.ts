import type { Clock } from "../../lib/clock";
import { MAX_CONNECTIONS } from "../http/transport";
import { createEventLog, type Limit } from "./event-log";
import { createLearnedLimit } from "./learned-limit";

/** The leave to make one attempt. Exactly one of its methods is called when the attempt has ended. */
export interface Pass {
  /** The limit let the attempt through, whatever its answer said. */
  passed(): void;
  /** The attempt was refused for the rate limit. */
  refused(retryAfterMs?: number | undefined): void;
  /** The attempt says nothing about the limit, for no answer came. */
  unknown(): void;
}

/** Where an attempt stands in the queue: changes go before reads, and what was refused goes before both. */
export type Rank = "refused" | "change" | "read";

/** Lets the attempts of one client through, all its callers together. */
export interface Pace {
  /**
   * Waits for leave. Rejects with the signal's reason when it is aborted; resolves with undefined when the account's
   * limit has let nothing through, or will not, for longer than `maxRateLimitMs`.
   */
  enter(rank: Rank, signal: AbortSignal): Promise<Pass | undefined>;
  /** Ends the timer; those who wait are left to their signals. */
  close(): void;
}

/** What a pace is made of. */
export interface PaceOptions {
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  /** Starts allowed in any one second, kept exactly. None, and only a limit that was met holds calls back. */
  maxRequestsPerSecond?: number | undefined;
  /** In milliseconds. */
  maxRateLimitMs: number;
}

interface Waiter {
  rank: Rank;
  admit(pass: Pass | undefined): void;
}

// Longer than the second that is promised, so that the promise also holds where the calls arrive.
const CONFIGURED_SPAN_MS = 1_050;
/** Changes that may overtake a waiting read before it gets its turn. */
const CHANGES_PER_READ = 3;

/** Opens a pace without memory: until a call is refused or where no maximum is set, nobody waits. */
export function createPace(options: PaceOptions): Pace {
  const { clock } = options;
  const configured = configuredLimit(options.maxRequestsPerSecond);
  const learned = createLearnedLimit(options.random, options.maxRequestsPerSecond);
  const starts = createEventLog();
  const open: number[] = [];
  const queues: Record<Rank, Set<Waiter>> = { refused: new Set(), change: new Set(), read: new Set() };
  let overtaken = 0;
  let alarm: { atMs: number; stop: AbortController } | undefined;
  let closed = false;

  const waiting = () => queues.refused.size + queues.change.size + queues.read.size;

  const freeAt = (nowMs: number): number => {
    if (open.length >= MAX_CONNECTIONS) return Number.POSITIVE_INFINITY;
    const own = configured === undefined ? 0 : starts.freeAt(configured, nowMs);
    return Math.max(own, learned.freeAt({ nowMs, starts, open, waiting: waiting() }));
  };

  const next = (): Waiter | undefined => {
    const [refused] = queues.refused;
    if (refused !== undefined) return refused;
    const [change] = queues.change;
    const [read] = queues.read;
    const readFirst = read !== undefined && (change === undefined || overtaken >= CHANGES_PER_READ);
    overtaken = readFirst || read === undefined ? 0 : overtaken + 1;
    return readFirst ? read : change;
  };

  const begin = (nowMs: number): Pass => {
    starts.add(nowMs);
    open.push(nowMs);
    let ended = false;
    const end = (tell: (endMs: number) => void) => {
      if (ended) return;
      ended = true;
      open.splice(open.indexOf(nowMs), 1);
      tell(clock.now());
      pump();
    };
    return {
      passed: () => end((endMs) => learned.passed(nowMs, endMs)),
      refused: (retryAfterMs) => end((endMs) => learned.refused(nowMs, endMs, retryAfterMs)),
      unknown: () => end(() => {}),
    };
  };

  const giveUp = () => {
    for (const queue of Object.values(queues)) {
      for (const waiter of queue) waiter.admit(undefined);
    }
  };

  const isHopeless = (nowMs: number): boolean => {
    const closure = learned.closure();
    if (closure === undefined || closure.untilMs <= nowMs) return false;
    return closure.untilMs - closure.sinceMs > options.maxRateLimitMs;
  };

  const ring = (atMs: number, nowMs: number) => {
    if (alarm !== undefined && alarm.atMs === atMs) return;
    alarm?.stop.abort();
    alarm = undefined;
    if (!Number.isFinite(atMs)) return;
    const mine = { atMs, stop: new AbortController() };
    alarm = mine;
    const rung = () => {
      if (alarm !== mine) return;
      alarm = undefined;
      pump();
    };
    // A sleep that was stopped belongs to an alarm that has been replaced.
    clock.sleep(atMs - nowMs, mine.stop.signal).then(rung, () => {});
  };

  const pump = () => {
    if (closed) return;
    for (;;) {
      if (waiting() === 0) return ring(Number.POSITIVE_INFINITY, 0);
      const nowMs = clock.now();
      if (isHopeless(nowMs)) return giveUp();
      const atMs = freeAt(nowMs);
      if (atMs > nowMs) return ring(atMs, nowMs);
      next()?.admit(begin(nowMs));
    }
  };

  return {
    enter: (rank, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const leave = () => {
          signal.removeEventListener("abort", abort);
          queues[rank].delete(waiter);
        };
        const waiter: Waiter = {
          rank,
          admit(pass) {
            leave();
            resolve(pass);
          },
        };
        const abort = () => {
          leave();
          reject(signal.reason);
          pump();
        };
        queues[rank].add(waiter);
        signal.addEventListener("abort", abort, { once: true });
        pump();
      }),
    close() {
      closed = true;
      alarm?.stop.abort();
      alarm = undefined;
    },
  };
}

function configuredLimit(perSecond: number | undefined): Limit | undefined {
  if (perSecond === undefined) return undefined;
  if (perSecond >= 1) return { calls: Math.floor(perSecond), perMs: CONFIGURED_SPAN_MS };
  return { calls: 1, perMs: CONFIGURED_SPAN_MS / perSecond };
}
