/** A time in which the limit lets nothing through: from the first refusal to the first call that passes again. */
export interface Closure {
  /** When the first call was refused, in milliseconds. */
  sinceMs: number;
  /** End of the present pause. A call that starts then or later is a probe, and only probes tell of an open door. */
  untilMs: number;
  /** When the latest probe was refused. */
  lastRefusedMs: number;
  /** Longest that a Retry-After asked for. */
  askedMs: number;
  refusedProbes: number;
}

// Pauses where the platform does not say how long, one for each probe refused in a row: limits are by the second or
// by the minute, so the first probe comes after a second, and later ones look around within the minute.
const PAUSES_MS = [1_000, 4_000, 10_000, 15_000, 30_000, 60_000];
const MINUTE_MS = 60_000;
const MIN_PAUSE_MS = 250;
/** A closure of this length cannot be that of a limit by the second. */
export const LONG_CLOSURE_MS = 4_000;
/** Probes spent in a minute, as a share of all calls so far. */
const PROBES_SHARE = 0.01;

/** What decides on the length of a pause besides what the platform asks for. */
export interface PauseContext {
  /** Calls that have passed so far: the more, the more probes may be spent on finding the moment. */
  passed: number;
  /** 0 to 1; pauses are up to 3 % longer, so that several clients do not return together. */
  random: () => number;
}

/** A closure that begins with a refusal. `askedMs` is its `Retry-After`. */
export function beginClosure(nowMs: number, askedMs: number | undefined, context: PauseContext): Closure {
  return {
    sinceMs: nowMs,
    untilMs: nowMs + pauseMs(0, askedMs, context),
    lastRefusedMs: nowMs,
    askedMs: askedMs ?? 0,
    refusedProbes: 0,
  };
}

/** The closure after one more refusal, of a call that started at `startedMs`. */
export function prolongClosure(
  closure: Closure,
  startedMs: number,
  nowMs: number,
  askedMs: number | undefined,
  context: PauseContext,
): Closure {
  const longest = Math.max(closure.askedMs, askedMs ?? 0);
  if (startedMs < closure.untilMs) {
    // It was under way when the limit was met and tells nothing new, but when to come back.
    return { ...closure, untilMs: Math.max(closure.untilMs, nowMs + (askedMs ?? 0)), askedMs: longest };
  }
  const refusedProbes = closure.refusedProbes + 1;
  const untilMs = nowMs + pauseMs(refusedProbes, askedMs, context);
  return { sinceMs: closure.sinceMs, untilMs, lastRefusedMs: nowMs, askedMs: longest, refusedProbes };
}

/** Milliseconds for which the limit was closed for certain: probes were refused, or the platform said so. */
export function certainMs(closure: Closure): number {
  // Whole seconds are all that a header tells, rounded up.
  return Math.max(closure.lastRefusedMs - closure.sinceMs, closure.askedMs - 1_000);
}

function pauseMs(refusedProbes: number, askedMs: number | undefined, context: PauseContext): number {
  // After a refused probe, a header that still asks for little is not believed without end.
  const least = refusedProbes === 0 ? MIN_PAUSE_MS : ownPauseMs(refusedProbes - 1, context.passed);
  const length = askedMs === undefined ? ownPauseMs(refusedProbes, context.passed) : Math.max(askedMs, least);
  return length * (1 + 0.03 * context.random()) + 10;
}

function ownPauseMs(refusedProbes: number, passed: number): number {
  const listed = PAUSES_MS[Math.min(refusedProbes, PAUSES_MS.length - 1)] ?? MINUTE_MS;
  return Math.min(listed, Math.max(LONG_CLOSURE_MS, MINUTE_MS / (PROBES_SHARE * passed + 1)));
}
