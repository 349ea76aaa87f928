/**
 * When a preview's step may be answered. What was answered before a Check counts as coming first, so that an answer by chance
 * would make an order of what has none: where others may contend, it waits until the engine asks for no more plans.
 */
import type { Clock } from "../../lib/clock";
import type { Claim } from "../../plan/claims";
import { CancelledError } from "../../platform/errors";
import type { EndpointSnapshot } from "../../platform/project/endpoint-cache";

/** How long no Check and no Diff has to come, in milliseconds; the engine sends those that wait for nothing within less. */
export const QUIET_MS = 50;

/** The Checks and Diffs of one run, which the engine asks for one after the other. */
export class PlanningCalls {
  #open = 0;
  #endedMs = Number.NEGATIVE_INFINITY;

  /** Runs a Check or a Diff. */
  async during<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await work();
    } finally {
      this.#open -= 1;
      this.#endedMs = clock.now();
    }
  }

  /** Resolves once none has been under way for a moment; throws a `CancelledError` as soon as the signal is aborted. */
  async quiet(clock: Clock, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = this.#open > 0 ? QUIET_MS : this.#endedMs + QUIET_MS - clock.now();
      if (leftMs <= 0) return;
      await clock.sleep(leftMs, signal).catch((error: unknown) => {
        throw signal.aborted ? new CancelledError() : error;
      });
    }
  }
}

/**
 * True where what becomes of a resource that is not planned yet may depend on whether this one's step comes first. `isPlanned`
 * tells of an endpoint whether its resource is.
 */
export function mayContend(
  { arrival, to, leavesInTime }: Claim,
  snapshot: EndpointSnapshot,
  isPlanned: (endpointId: string) => boolean,
): boolean {
  if (leavesInTime) return true;
  // What is taken over is there already, and stays.
  if (arrival === undefined || arrival === "adopt") return false;
  if (arrival !== "create") return true;
  // To whoever is created, too, a new one makes no difference; and two read-write endpoints are refused in any order.
  return snapshot.all().some(({ id, branchId, type }) => {
    const mayCome = branchId !== to?.branchId && (to?.type !== "read_write" || type !== "read_write");
    return mayCome && !isPlanned(id);
  });
}
