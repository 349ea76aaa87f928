import type { EventLog, Limit } from "./event-log";

/** What is known when calls pass again after a closure. Times in milliseconds. */
export interface ClosureHistory {
  passes: EventLog;
  /** When the first call was refused. */
  closedMs: number;
  /** When a call passed again. */
  reopenedMs: number;
}

/** A limit by the second, as far as it is known. */
export interface ShortLimit extends Limit {
  /**
   * Set once a rate was measured: a moment at which the platform's bucket was empty, and the calls a millisecond that
   * the measurement leaves possible at most.
   */
  measured?: { anchorMs: number; maxRate: number };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
// A little longer than the platform's own span, because calls do not travel equally fast.
const MARGIN = 1.04;
const LONG_MARGIN_MS = 500;
const SAFETY = 0.95;
// A limit met at this share of its rate or above was nearly right.
const NEARLY = 0.8;
const MIN_SLICE_MS = 100;
// Measurements over more calls than this are precise; what is older only blurs them.
const PRECISE_CALLS = 30;
const ANCHOR_AGE_MS = 180_000;
// Below this many calls a limit is changed by its span, for whole calls would be too coarse.
const FINE_CALLS = 20;

/**
 * The limit by the second that a first short closure points to: what passed in the second before it, taken for a
 * second's allowance. That holds for windows, and for buckets that refill within the second.
 */
export function firstShort({ passes, closedMs }: ClosureHistory): ShortLimit {
  return { calls: Math.max(1, passes.count(closedMs - SECOND_MS, closedMs)), perMs: SECOND_MS * MARGIN };
}

/**
 * The limit by the second after it was met again. The bucket was empty at both moments, so what passed between them is
 * what it was filled with, to within one call.
 */
export function nextShort(history: ClosureHistory, present: ShortLimit, lastClosedMs: number): ShortLimit {
  const { passes, closedMs, reopenedMs } = history;
  const known = present.measured?.anchorMs ?? lastClosedMs;
  const anchorMs = closedMs - known < ANCHOR_AGE_MS ? known : lastClosedMs;
  const spanMs = Math.max(1, closedMs - anchorMs);
  const calls = Math.max(1, passes.count(anchorMs, closedMs));
  const rate = calls / spanMs;
  // Calls that travelled unevenly meet a window's limit although it was right.
  if (present.measured === undefined && rate >= NEARLY * rateOf(present)) return { ...present, ...tightened(present) };
  return {
    ...inSlices(rate * SAFETY, Math.min(SECOND_MS, Math.max(MIN_SLICE_MS, reopenedMs - closedMs))),
    measured: { anchorMs: calls < PRECISE_CALLS ? anchorMs : closedMs, maxRate: (calls + 1) / spanMs },
  };
}

/** The limit by the minute that a long closure points to: what passed since `fromMs`, a minute before it at most. */
export function judgeLong(history: ClosureHistory, present: Limit | undefined, fromMs: number): Limit {
  const { passes, closedMs } = history;
  const calls = Math.max(1, passes.count(Math.max(closedMs - MINUTE_MS, fromMs), closedMs));
  if (present !== undefined && calls >= present.calls * NEARLY) return tightened(present);
  return { calls, perMs: MINUTE_MS + LONG_MARGIN_MS };
}

/**
 * The limit after so many calls without a refusal, or undefined while it is too early to widen it: soon while a rough
 * measurement leaves room, else by 5 % after a long run and by up to 20 % after many.
 */
export function widened(present: ShortLimit, passed: number, times: number): ShortLimit | undefined {
  const room = present.measured !== undefined && rateOf(present) * 1.08 < present.measured.maxRate * SAFETY;
  if (room && passed >= 5) return { ...present, perMs: present.perMs / 1.08 };
  if (passed < Math.max(2 * FINE_CALLS, present.calls * 10)) return undefined;
  const factor = 1 + Math.min(0.2, 0.05 * (times + 1));
  if (present.calls < FINE_CALLS) return { ...present, perMs: present.perMs / factor };
  return { ...present, calls: Math.ceil(present.calls * factor) };
}

function tightened(limit: Limit): Limit {
  if (limit.calls < FINE_CALLS) return { calls: limit.calls, perMs: limit.perMs / SAFETY };
  return { calls: Math.floor(limit.calls * SAFETY), perMs: limit.perMs };
}

function inSlices(rate: number, sliceMs: number): Limit {
  const calls = Math.max(1, Math.floor(rate * sliceMs));
  return { calls, perMs: calls / rate };
}

function rateOf(limit: Limit): number {
  return limit.calls / limit.perMs;
}
