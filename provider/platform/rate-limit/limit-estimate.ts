import type { EventLog, Limit } from "./event-log";

/** What is known when calls pass again after a closure. Times in milliseconds. */
export interface ClosureHistory {
  /** Every pass; the last one is the probe that found the door open. */
  passes: EventLog;
  /** When the first call was refused. */
  closedMs: number;
  reopenedMs: number;
  /** Passes before the probe, of the client's whole life. */
  passed: number;
}

/** A moment at which the platform's bucket was empty, and the passes before it. */
export interface EmptyMoment {
  atMs: number;
  passed: number;
}

/** A limit by the second, as far as it is known. */
export interface ShortLimit extends Limit {
  /** Calls a millisecond that the measurement behind it leaves possible at most; none while it is a first guess. */
  maxRate?: number;
  /** From where on a measurement counts. */
  anchor?: EmptyMoment;
  /** The limit before it was widened, and how often widening went wrong. */
  before?: Limit;
  setbacks: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
// A little longer than the platform's own span, because calls do not travel equally fast.
const SPAN_MS = 1_040;
// Within a burst of up to this time, little can have trickled into a bucket.
const BURST_MS = 120;
const LONG_MARGIN_MS = 500;
const SAFETY = 0.96;
// A limit by the minute that was met at this share of its calls was nearly right.
const NEARLY = 0.8;
// Measurements over more calls than this are precise; what is older only blurs them.
const PRECISE_CALLS = 30;
const ANCHOR_AGE_MS = 180_000;
const QUICK_CALLS = 5;
const QUICK_FACTOR = 1.08;
const PATIENT_CALLS = 400;
const PATIENT_FACTOR = 1.05;

/**
 * The limit by the second that a first short closure points to: what passed in the second before it, taken for a
 * second's allowance. That holds for windows, and for buckets that refill within the second.
 */
export function firstShort(history: ClosureHistory): ShortLimit {
  const { passes, closedMs } = history;
  const calls = passesSince(history, closedMs - SECOND_MS);
  const burstMs = closedMs - passes.firstAfter(closedMs - SECOND_MS);
  // A window gave all that passed; into a bucket something may have trickled meanwhile.
  const least = burstMs <= BURST_MS ? calls / (1 + burstMs / SECOND_MS) : calls;
  return { ...(roundLimit(least - 0.5, calls) ?? bySecond(least / SPAN_MS)), setbacks: 0 };
}

/**
 * The limit by the second after it was met again. The bucket was empty at both moments, so what passed between them is
 * what it was filled with, to within one call. `last` is the moment before.
 */
export function nextShort(history: ClosureHistory, present: ShortLimit, last: EmptyMoment): ShortLimit {
  const setbacks = present.setbacks + 1;
  // It was wide enough before it was widened.
  if (present.before !== undefined) return { ...present.before, maxRate: 0, setbacks };
  const { closedMs, passed } = history;
  const known = present.anchor ?? last;
  const anchor = closedMs - known.atMs < ANCHOR_AGE_MS ? known : last;
  const spanMs = Math.max(1, closedMs - anchor.atMs);
  const calls = Math.max(1, passed - anchor.passed);
  // Windows give their calls at once, so that the last part of the span may have been without any.
  const seconds = Math.max(1, Math.floor(spanMs / SECOND_MS));
  const rate = calls / spanMs;
  return {
    ...(roundLimit(rate * SECOND_MS * SAFETY, rate * SECOND_MS * 1.02) ?? bySecond(rate * SAFETY)),
    maxRate: Math.max((calls + 1) / spanMs, calls / (seconds * SECOND_MS)),
    anchor: calls < PRECISE_CALLS ? anchor : { atMs: closedMs, passed },
    setbacks: present.setbacks,
  };
}

/**
 * The limit by the minute that a long closure points to: what passed in the minute before it, or since the moment
 * before, where that was a closure of the same limit.
 */
export function judgeLong(history: ClosureHistory, present: Limit | undefined, same: EmptyMoment | undefined): Limit {
  const lately = passesSince(history, history.closedMs - MINUTE_MS);
  const calls = same === undefined ? lately : Math.max(1, Math.min(lately, history.passed - same.passed));
  const perMs = MINUTE_MS + LONG_MARGIN_MS;
  if (present === undefined || calls < present.calls * NEARLY) return { calls, perMs };
  return { calls: Math.max(1, Math.floor(present.calls * SAFETY)), perMs };
}

/**
 * The limit after so many calls without a refusal, or undefined while it is too early to widen it: soon while a rough
 * measurement leaves much room, else a little after a long run, and the later the more often that went wrong.
 */
export function widened(present: ShortLimit, passed: number): ShortLimit | undefined {
  const rate = present.calls / present.perMs;
  if (present.maxRate !== undefined && rate * 1.25 < present.maxRate && passed >= QUICK_CALLS) {
    return { ...present, ...bySecond(rate * QUICK_FACTOR) };
  }
  if (passed < Math.max(PATIENT_CALLS, present.calls * 20) * 2 ** Math.min(6, present.setbacks)) return undefined;
  const { calls, perMs } = present;
  return { ...present, ...bySecond(rate * PATIENT_FACTOR), before: { calls, perMs } };
}

/**
 * The limit by the second with the roundest number of calls in a range, if there is one: platforms choose round numbers,
 * and one call too few in each second adds up.
 */
function roundLimit(least: number, most: number): Limit | undefined {
  for (const step of [10, 5]) {
    const calls = Math.floor(most / step) * step;
    if (calls > 0 && calls >= least) return { calls, perMs: SPAN_MS };
  }
  return undefined;
}

/** Calls that were let in, up to the closure: answers that came later belong to calls from before it. */
function passesSince({ passes, reopenedMs }: ClosureHistory, fromMs: number): number {
  return Math.max(1, passes.count(fromMs, reopenedMs) - 1);
}

/** Whole calls in a second or a little more: never less, or two shares would fall into one window. */
function bySecond(rate: number): Limit {
  const calls = Math.max(1, Math.ceil(rate * SECOND_MS));
  return { calls, perMs: calls / rate };
}
