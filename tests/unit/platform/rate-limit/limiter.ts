/** A request queue and its callers against a platform that refuses what is beyond its limit, on a steered clock. */

import { setMaxListeners } from "node:events";
import type { Clock } from "../../../../provider/lib/clock";
import { type QueueOptions, RequestQueue } from "../../../../provider/platform/rate-limit/request-queue";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock";

/** So many calls in a span: a token bucket that starts full, or windows that give all of theirs at once. */
interface Allowance {
  kind: "bucket" | "window";
  calls: number;
  perMs: number;
}

/** How a simulated platform limits its calls. */
export interface LimiterShape extends Allowance {
  retryAfter: "none" | "seconds" | "date";
  /** Where in its span the window stands at the first call, from 0 to 1. */
  phase?: number;
  /** Calls of the first window that others have made. */
  others?: number;
  /** A second limit that must let the call through, too. */
  also?: Allowance;
  /** The call of this number, counted from 1, is refused by somebody between, who asks for a pause. */
  between?: { call: number; retryAfterMs: number };
}

/** Says 0 for a call that passes, else the milliseconds until one could. */
export type Limiter = (nowMs: number) => number;

/** One limit: how long a call would have to wait, and that it was let through. */
interface Meter {
  waitMs(nowMs: number): number;
  take(): void;
}

/** What a platform of this shape says to each call. */
export function createLimiter(shape: LimiterShape, startMs: number): Limiter {
  const meters = [shape, ...(shape.also ? [shape.also] : [])].map((one) =>
    one.kind === "bucket" ? createBucket(one, startMs) : createWindows(one, startMs),
  );
  return (nowMs) => {
    const waitMs = Math.max(...meters.map((meter) => meter.waitMs(nowMs)));
    if (waitMs === 0) for (const meter of meters) meter.take();
    return waitMs;
  };
}

function createBucket({ calls, perMs }: Allowance, startMs: number): Meter {
  const perToken = perMs / calls;
  let tokens = calls;
  let filledMs = startMs;
  return {
    waitMs(nowMs) {
      tokens = Math.min(calls, tokens + (nowMs - filledMs) / perToken);
      filledMs = nowMs;
      return tokens < 1 - 1e-6 ? Math.ceil((1 - tokens) * perToken) : 0;
    },
    take() {
      tokens -= 1;
    },
  };
}

function createWindows(
  { calls, perMs, phase = 0, others = 0 }: Allowance & Partial<LimiterShape>,
  startMs: number,
): Meter {
  const zero = startMs - phase * perMs;
  let window = -1;
  let used = 0;
  return {
    waitMs(nowMs) {
      const index = Math.floor((nowMs - zero) / perMs);
      if (index !== window) {
        used = window === -1 ? others : 0;
        window = index;
      }
      return used >= calls ? zero + (index + 1) * perMs - nowMs : 0;
    },
    take() {
      used += 1;
    },
  };
}

/** Milliseconds that N calls take against the limiter when every call comes at the first moment that it can permit. */
export function floorMs(shape: LimiterShape, n: number): number {
  const limiter = createLimiter(shape, 0);
  let nowMs = 0;
  for (let done = 0; done < n; ) {
    const waitMs = limiter(nowMs);
    if (waitMs === 0) done += 1;
    else nowMs += waitMs;
  }
  return nowMs;
}

/** Makes N calls from so many callers, each of which is repeated until it passes; gives what that came to. */
export async function runCallers(
  queue: RequestQueue,
  clock: Clock,
  shape: LimiterShape | undefined,
  options: { n: number; callers: number; latencyMs: (index: number) => number },
) {
  const startMs = clock.now();
  const limiter = shape === undefined ? () => 0 : createLimiter(shape, startMs);
  const result = { ms: 0, refused: 0, calls: 0, starts: [] as number[] };
  const signal = new AbortController().signal;
  setMaxListeners(0, signal);
  let left = options.n;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      for (let rank: "change" | "refused" = "change"; ; rank = "refused") {
        const permit = await queue.acquire(rank, signal);
        if (permit === undefined) throw new Error("given up");
        result.starts.push(clock.now());
        result.calls += 1;
        const latencyMs = options.latencyMs(result.calls);
        await clock.sleep(latencyMs / 2);
        const between = result.calls === shape?.between?.call ? shape.between : undefined;
        const waitMs = between?.retryAfterMs ?? limiter(clock.now());
        const retryAfter = between
          ? () => between.retryAfterMs
          : retryAfterMs(shape?.retryAfter ?? "none", clock.now(), waitMs);
        // A refusal comes from the platform's door, however long its work takes.
        await clock.sleep(waitMs === 0 ? latencyMs / 2 : Math.min(latencyMs / 2, 30));
        if (waitMs === 0) {
          permit.passed();
          break;
        }
        result.refused += 1;
        permit.refused(retryAfter?.(clock.now()));
      }
    }
  };
  await Promise.all(Array.from({ length: options.callers }, caller));
  result.ms = clock.now() - startMs;
  return result;
}

function retryAfterMs(
  form: LimiterShape["retryAfter"],
  nowMs: number,
  waitMs: number,
): ((readMs: number) => number) | undefined {
  if (form === "none") return undefined;
  if (form === "seconds") return () => Math.ceil(waitMs / 1_000) * 1_000;
  const date = Math.ceil((nowMs + waitMs) / 1_000) * 1_000;
  return (readMs) => Math.max(0, date - readMs);
}

/** For callers who are never cancelled. */
export const idle = new AbortController().signal;
setMaxListeners(0, idle);

/** A queue that has sent nothing yet. It begins in the middle of a second, so that dates round. */
export function setUp(options: Partial<QueueOptions> = {}): { clock: VirtualClock; queue: RequestQueue } {
  const clock = createVirtualClock({ startAt: Date.UTC(2025, 0, 1) + 337 });
  const queue = new RequestQueue({ clock, random: sequence(1), ...options });
  return { clock, queue };
}

/** Numbers from 0 to 1 that are the same in every run. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
