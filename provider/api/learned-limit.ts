import { createEventLog, type EventLog, type Limit } from "./event-log";
import { firstShort, judgeLong, nextShort, type ShortLimit, widened } from "./limit-estimate";

/** What a client has found out about the account's rate limit, and what follows for its next call. */
export interface LearnedLimit {
  /** A call was let through by the limit, whatever its answer said. */
  passed(startedMs: number, nowMs: number): void;
  /** A call was refused for the rate limit. */
  refused(startedMs: number, nowMs: number, retryAfterMs: number | undefined): void;
  /** When the next call may start; a time in the past or 0 for at once, Infinity for not before an answer arrives. */
  freeAt(view: View): number;
  /** Time since which nothing has passed, or undefined while calls pass. */
  closedSince(): number | undefined;
  /** End of the present pause, or undefined while calls pass. */
  closedUntil(): number | undefined;
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

/** A time in which the limit lets nothing through: from the first refusal to the first call that passes again. */
interface Closure {
  sinceMs: number;
  untilMs: number;
  lastRefusedMs: number;
  /** Longest that a Retry-After asked for. */
  askedMs: number;
  refusedProbes: number;
}

// Pauses where the platform does not say how long, one for each probe refused in a row: limits are by the second or
// by the minute, so the first probe comes after a second, and later ones look around within the minute.
const PAUSES_MS = [1_000, 4_000, 10_000, 15_000, 30_000, 60_000];
const MIN_PAUSE_MS = 250;
// A refusal comes from the platform's door and is quick; a call open for longer has been let in.
const SETTLED_MS = 100;
const PROBE_SETTLED_MS = 2_000;
// Calls open at one moment are what a refusal can cost, so they are kept to a share of the calls known of.
const RISKED_SHARE = 0.02;
const MIN_RISKED = 4;
const MAX_RISKED = 64;
const UNPROVEN_RISKED = 2;
const PROVEN_CALLS = 10;
// A closure of this length cannot be a limit by the second.
const LONG_CLOSURE_MS = 4_000;
const FORGET_MS = 600_000;

/** Nothing is known at first and nothing is held back. `random` returns 0 to 1 and spreads the pauses a little. */
export function createLearnedLimit(random: () => number): LearnedLimit {
  const passes = createEventLog();
  let total = 0;
  let closure: Closure | undefined;
  let reopenedMs = 0;
  let lastClosureMs: number | undefined;
  let short: ShortLimit | undefined;
  /** With the moment from which on it counts: a window that opened. */
  let long: (Limit & { fromMs: number }) | undefined;
  /** Passes since the limits were last changed: how far they are proven. */
  let proof = 0;
  let sinceChange = 0;
  let widenings = 0;

  const pause = (refusedProbes: number, askedMs: number | undefined): number => {
    const own = PAUSES_MS[Math.min(refusedProbes, PAUSES_MS.length - 1)] ?? 0;
    // After a refused probe a header that still asks for little is not believed without end.
    const floor = refusedProbes === 0 ? MIN_PAUSE_MS : (PAUSES_MS[Math.min(refusedProbes, PAUSES_MS.length) - 1] ?? 0);
    const length = askedMs === undefined ? own : Math.max(askedMs, floor);
    return length * (1 + 0.03 * random()) + 10;
  };

  const reopen = (ended: Closure, nowMs: number) => {
    const history = { passes, closedMs: ended.sinceMs, reopenedMs: nowMs };
    const closedMs = Math.max(ended.lastRefusedMs - ended.sinceMs, ended.askedMs - 1_000);
    if (closedMs >= LONG_CLOSURE_MS) {
      // A limit by the second that was never proven was a wrong reading of this one.
      const misread = short !== undefined && proof < short.calls * 2;
      if (misread) short = undefined;
      long = { ...judgeLong(history, long, misread ? (lastClosureMs ?? 0) : 0), fromMs: ended.untilMs };
    } else if (short === undefined || lastClosureMs === undefined) short = firstShort(history);
    else short = nextShort(history, short, lastClosureMs);
    lastClosureMs = ended.sinceMs;
    closure = undefined;
    reopenedMs = nowMs;
    proof = 0;
    sinceChange = 0;
    widenings = 0;
  };

  const risked = (view: View): number => {
    const known = total + view.waiting + view.open.length;
    const share = Math.min(MAX_RISKED, Math.max(MIN_RISKED, Math.ceil(known * RISKED_SHARE)));
    if (closure !== undefined) return 1;
    return short === undefined && long === undefined ? share : proof < PROVEN_CALLS ? UNPROVEN_RISKED : MIN_RISKED;
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
      sinceChange += 1;
      const wider = short === undefined ? undefined : widened(short, sinceChange, widenings);
      if (wider === undefined) return;
      short = wider;
      sinceChange = 0;
      widenings += 1;
    },
    refused(startedMs, nowMs, askedMs) {
      if (closure === undefined) {
        // A late answer to a call of the closure before is no news.
        if (startedMs < reopenedMs && nowMs - reopenedMs < SETTLED_MS) return;
        closure = { sinceMs: nowMs, untilMs: 0, lastRefusedMs: nowMs, askedMs: 0, refusedProbes: 0 };
        closure.untilMs = nowMs + pause(0, askedMs);
      } else if (startedMs >= closure.untilMs) {
        closure.refusedProbes += 1;
        closure.lastRefusedMs = nowMs;
        closure.untilMs = nowMs + pause(closure.refusedProbes, askedMs);
      } else if (askedMs !== undefined) {
        closure.untilMs = Math.max(closure.untilMs, nowMs + askedMs);
      }
      closure.askedMs = Math.max(closure.askedMs, askedMs ?? 0);
    },
    freeAt(view) {
      if (lastClosureMs !== undefined && closure === undefined && view.nowMs - lastClosureMs > FORGET_MS) {
        short = undefined;
        long = undefined;
        lastClosureMs = undefined;
      }
      const settled = closure === undefined ? SETTLED_MS : PROBE_SETTLED_MS;
      const from = closure?.untilMs ?? 0;
      const unsettled = view.open.filter((at) => at >= from && at <= view.nowMs && at + settled > view.nowMs);
      const blocking = unsettled[unsettled.length - risked(view)];
      return Math.max(
        closure?.untilMs ?? 0,
        blocking === undefined ? 0 : blocking + settled,
        short === undefined ? 0 : view.starts.freeAt(short, view.nowMs),
        long === undefined ? 0 : view.starts.freeAt(long, view.nowMs, long.fromMs),
      );
    },
    closedSince: () => closure?.sinceMs,
    closedUntil: () => closure?.untilMs,
  };
}
