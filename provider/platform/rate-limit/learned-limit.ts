import { beginClosure, type Closure, certainMs, LONG_CLOSURE_MS, prolongClosure } from "./breaker";
import { createEventLog, type EventLog, type Limit } from "./event-log";
import { type EmptyMoment, firstShort, judgeLong, nextShort, type ShortLimit, widened } from "./limit-estimate";

/** What a client has found out about the account's rate limit, and what follows for its next call. */
export interface LearnedLimit {
  /** A call was let through by the limit, whatever its answer said. */
  passed(startedMs: number, nowMs: number): void;
  /** A call was refused for the rate limit. */
  refused(startedMs: number, nowMs: number, retryAfterMs: number | undefined): void;
  /** When the next call may start, in milliseconds: a time in the past or 0 for at once. */
  freeAt(view: View): number;
  /** The time in which nothing passes, or undefined while calls pass. */
  closure(): Readonly<Closure> | undefined;
}

/** What the queue knows at this moment. */
export interface View {
  nowMs: number;
  /** Start times of all calls, this client's whole past. */
  starts: EventLog;
  /** Start times of the calls still without an answer, oldest first. */
  open: readonly number[];
  /** Calls that wait for their turn. */
  waiting: number;
}

// A refusal comes from the platform's door and is quick; a call open for longer has been let in.
const SETTLED_MS = 100;
const PROBE_SETTLED_MS = 2_000;
// The calls open and not let in yet are what meeting the limit costs, so before anything is known of it they are kept to
// a share of the calls known of. Four in a tenth of a second are the 40 a second that the platform documents.
const RISKED_SHARE = 0.02;
const MIN_RISKED = 4;
const MAX_RISKED = 64;
// The same once a limit is known: at first, and after so many calls that kept to it, for a guess and for a measurement.
const UNPROVEN_RISKED = 2;
const PROVEN_CALLS = 10;
const GUESS_RISKED = 4;
const MEASURED_RISKED = 8;
const FORGET_MS = 600_000;

/**
 * Nothing is known at first. A refusal closes the door for all; one probe at a time looks whether it is open again; how
 * long it was closed and what passed before tell the limit, which is kept from then on and widened with care. `random`
 * returns 0 to 1; up to `expectedPerSecond` calls a second are trusted to be allowed.
 */
export function createLearnedLimit(random: () => number, expectedPerSecond = 0): LearnedLimit {
  const trusted = Math.max(MIN_RISKED, Math.ceil((expectedPerSecond * SETTLED_MS) / 1_000));
  const passes = createEventLog();
  let total = 0;
  let closure: Closure | undefined;
  let reopenedMs = 0;
  let last: EmptyMoment | undefined;
  let short: ShortLimit | undefined;
  /** With the moment from which on it counts: a window that opened. */
  let long: (Limit & { fromMs: number }) | undefined;
  /** Passes since the limit was last met, and since it was last changed. */
  let proof = 0;
  let unchanged = 0;

  const reopen = (ended: Closure, nowMs: number) => {
    const history = { passes, closedMs: ended.sinceMs, reopenedMs: nowMs, passed: total - 1 };
    if (certainMs(ended) >= LONG_CLOSURE_MS) {
      // A limit by the second that was hardly tried was a wrong reading of this one.
      const misread = short !== undefined && proof < short.calls * 2;
      if (misread) short = undefined;
      long = { ...judgeLong(history, long, misread ? last : undefined), fromMs: ended.untilMs };
    } else if (short === undefined || last === undefined) short = firstShort(history);
    else short = nextShort(history, short, last);
    last = { atMs: ended.sinceMs, passed: history.passed };
    closure = undefined;
    reopenedMs = nowMs;
    proof = 0;
    unchanged = 0;
  };

  const forget = (nowMs: number) => {
    if (closure !== undefined || last === undefined || nowMs - last.atMs < FORGET_MS) return;
    short = undefined;
    long = undefined;
    last = undefined;
  };

  const riskable = (view: View): number => {
    if (closure !== undefined) return 1;
    if (short === undefined && long === undefined) {
      const known = total + view.waiting + view.open.length;
      return Math.min(MAX_RISKED, Math.max(trusted, Math.ceil(known * RISKED_SHARE)));
    }
    if (proof < PROVEN_CALLS) return UNPROVEN_RISKED;
    return short?.maxRate === undefined ? GUESS_RISKED : MEASURED_RISKED;
  };

  const settledAt = (view: View): number => {
    const fromMs = closure?.untilMs ?? 0;
    const settledMs = closure === undefined ? SETTLED_MS : PROBE_SETTLED_MS;
    const risked = view.open.filter((at) => at >= fromMs && at <= view.nowMs && at + settledMs > view.nowMs);
    const blocking = risked[risked.length - riskable(view)];
    return blocking === undefined ? 0 : blocking + settledMs;
  };

  return {
    passed(startedMs, nowMs) {
      passes.add(nowMs);
      total += 1;
      if (closure !== undefined) {
        if (startedMs >= closure.untilMs) reopen(closure, nowMs);
        return;
      }
      proof += 1;
      unchanged += 1;
      const wider = short === undefined ? undefined : widened(short, unchanged);
      if (wider === undefined) return;
      short = wider;
      unchanged = 0;
    },
    refused(startedMs, nowMs, askedMs) {
      const context = { passed: total, random };
      if (closure !== undefined) closure = prolongClosure(closure, startedMs, nowMs, askedMs, context);
      // A late answer to a call from before the door opened again is no news.
      else if (startedMs >= reopenedMs || nowMs - reopenedMs >= SETTLED_MS) {
        closure = beginClosure(nowMs, askedMs, context);
      }
    },
    freeAt(view) {
      forget(view.nowMs);
      return Math.max(
        closure?.untilMs ?? 0,
        settledAt(view),
        short === undefined ? 0 : view.starts.freeAt(short, view.nowMs),
        long === undefined ? 0 : view.starts.freeAt(long, view.nowMs, long.fromMs),
      );
    },
    closure: () => closure,
  };
}
