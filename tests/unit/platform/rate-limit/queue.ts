/** A queue of requests on a steered clock, and random numbers that are the same in every run. */
import { setMaxListeners } from "node:events";
import { type QueueOptions, RequestQueue } from "../../../../provider/platform/rate-limit/request-queue";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock";

/** For callers who are never cancelled. */
export const idle = new AbortController().signal;
setMaxListeners(0, idle);

/** A queue that has sent nothing yet. It begins in the middle of a second, so that dates round. */
export function setUp(options: Partial<QueueOptions> = {}): { clock: VirtualClock; queue: RequestQueue } {
  const clock = createVirtualClock({ startAt: Date.UTC(2025, 0, 1) + 337 });
  const queue = new RequestQueue({ clock, random: sequence(1), maxRateLimitMs: 600_000, ...options });
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
