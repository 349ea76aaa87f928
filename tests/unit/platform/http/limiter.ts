/** A request queue and its callers against a platform that refuses what is beyond its limit, on a steered clock. */
import { type QueueOptions, RequestQueue } from "../../../../provider/platform/http/request-queue";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock";

/** So many calls in a span: a token bucket that starts full, or windows that give all of theirs at once. */
export interface Limit {
  kind: "bucket" | "window" | "none";
  calls: number;
  perMs: number;
  /** Whether a refusal says how long to wait, in whole seconds. */
  retryAfter: boolean;
}

/** Says 0 for a call that passes, else the milliseconds until one could. */
function createLimiter({ kind, calls, perMs }: Limit): (nowMs: number) => number {
  let left = calls;
  let sinceMs: number | undefined;
  return (nowMs) => {
    if (kind === "none") return 0;
    sinceMs ??= nowMs;
    if (kind === "bucket") {
      left = Math.min(calls, left + ((nowMs - sinceMs) * calls) / perMs);
      sinceMs = nowMs;
    } else if (nowMs >= sinceMs + perMs) {
      left = calls;
      sinceMs += perMs * Math.floor((nowMs - sinceMs) / perMs);
    }
    if (left < 1 - 1e-6) return kind === "bucket" ? Math.ceil(((1 - left) * perMs) / calls) : sinceMs + perMs - nowMs;
    left -= 1;
    return 0;
  };
}

/** Milliseconds that N calls take when every call comes at the first moment that the limit permits. */
export function dictatedMs(limit: Limit, n: number): number {
  const limiter = createLimiter(limit);
  let nowMs = 0;
  for (let done = 0; done < n; ) {
    const waitMs = limiter(nowMs);
    if (waitMs === 0) done += 1;
    else nowMs += waitMs;
  }
  return nowMs;
}

/** Makes N calls from so many callers, repeats each until it passes, and returns the totals. */
export async function runCallers(
  { clock, queue }: ReturnType<typeof setUp>,
  limit: Limit,
  { n, callers, latencyMs }: { n: number; callers: number; latencyMs: number },
) {
  const startMs = clock.now();
  const limiter = createLimiter(limit);
  const result = { ms: 0, refused: 0, starts: [] as number[] };
  let left = n;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      for (let rank: "change" | "refused" = "change"; ; rank = "refused") {
        const permit = await queue.acquire(rank, idle);
        if (permit === undefined) throw new Error("given up");
        result.starts.push(clock.now());
        await clock.sleep(latencyMs / 2);
        const waitMs = limiter(clock.now());
        // A refusal comes from the platform's door, however long its work takes.
        await clock.sleep(waitMs === 0 ? latencyMs / 2 : Math.min(latencyMs / 2, 30));
        if (waitMs === 0) {
          permit.passed();
          break;
        }
        result.refused += 1;
        permit.refused(limit.retryAfter ? Math.ceil(waitMs / 1_000) * 1_000 : undefined);
      }
    }
  };
  await clock.run(Promise.all(Array.from({ length: callers }, caller)));
  result.ms = clock.now() - startMs;
  return result;
}

/** For callers who are never cancelled. */
export const idle = new AbortController().signal;

/** A queue that has sent nothing yet. */
export function setUp(options: Partial<QueueOptions> = {}): { clock: VirtualClock; queue: RequestQueue } {
  const clock = createVirtualClock();
  const queue = new RequestQueue({ clock, random: () => 0.5, ...options });
  return { clock, queue };
}
