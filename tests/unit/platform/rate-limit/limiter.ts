/** A platform's rate limit as a model, and callers that meet it. */
import { setMaxListeners } from "node:events";
import type { Clock } from "../../../../provider/lib/clock";
import type { RequestQueue } from "../../../../provider/platform/rate-limit/request-queue";

/** How a simulated platform limits its calls. */
export interface LimiterShape {
  kind: "bucket" | "window";
  calls: number;
  perMs: number;
  retryAfter: "none" | "seconds" | "date";
  /** Where in its span the window stands at the first call, from 0 to 1. */
  phase?: number;
  /** Calls of the first window that others have made. */
  others?: number;
  /** A second bucket that must have a token, too. */
  also?: { calls: number; perMs: number };
}

/** Says 0 for a call that passes, else the milliseconds until one could. */
export type Limiter = (nowMs: number) => number;

/** A token bucket that starts full, or windows that start where the phase says. */
export function createLimiter(shape: LimiterShape, startMs: number): Limiter {
  if (shape.kind === "bucket") {
    const buckets = [shape, ...(shape.also ? [shape.also] : [])].map((bucket) => ({ ...bucket, tokens: bucket.calls }));
    let filledMs = startMs;
    return (nowMs) => {
      const waits = buckets.map((bucket) => {
        const perToken = bucket.perMs / bucket.calls;
        bucket.tokens = Math.min(bucket.calls, bucket.tokens + (nowMs - filledMs) / perToken);
        return bucket.tokens < 1 - 1e-6 ? Math.ceil((1 - bucket.tokens) * perToken) : 0;
      });
      filledMs = nowMs;
      const waitMs = Math.max(...waits);
      if (waitMs === 0) for (const bucket of buckets) bucket.tokens -= 1;
      return waitMs;
    };
  }
  const { calls, perMs } = shape;
  const zero = startMs - (shape.phase ?? 0) * perMs;
  let window = -1;
  let used = 0;
  return (nowMs) => {
    const index = Math.floor((nowMs - zero) / perMs);
    if (index !== window) {
      used = window === -1 ? (shape.others ?? 0) : 0;
      window = index;
    }
    if (used >= calls) return zero + (index + 1) * perMs - nowMs;
    used += 1;
    return 0;
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

/** What a run of calls through a queue against a simulated platform came to. */
export interface RunResult {
  ms: number;
  refused: number;
  calls: number;
  starts: number[];
}

/** Makes N calls from so many callers; each call is repeated until it passes. */
export async function runCallers(
  queue: RequestQueue,
  clock: Clock,
  shape: LimiterShape | undefined,
  options: { n: number; callers: number; latencyMs: (index: number) => number },
): Promise<RunResult> {
  const startMs = clock.now();
  const limiter = shape === undefined ? () => 0 : createLimiter(shape, startMs);
  const result: RunResult = { ms: 0, refused: 0, calls: 0, starts: [] };
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
        const waitMs = limiter(clock.now());
        const retryAfter = retryAfterMs(shape?.retryAfter ?? "none", clock.now(), waitMs);
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
