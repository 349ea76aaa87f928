/** How long an endpoint was away when it restarted, by its operations: those of one change, or of a time that was looked at. */
import { hasSucceeded } from "../platform/project/outcome";
import type { OperationRecord } from "../platform/records";

/** Operations of one restart are created within this many milliseconds of the end of the one before. */
const SAME_RESTART_MS = 5_000;

/**
 * How long each restart among these operations took, in milliseconds, in the order in which they began: from the suspend, or from the end of the new
 * configuration that it waited for, until the start had ended. Operations are of one endpoint, in any order; what did not end well is none.
 */
export function restartsIn(operations: readonly OperationRecord[]): number[] {
  const ended = operations
    .filter((one) => hasSucceeded(one))
    .map((one) => ({ action: one.action, fromMs: Date.parse(one.createdAt), toMs: endOf(one) }))
    .filter(({ fromMs, toMs }) => Number.isFinite(fromMs) && Number.isFinite(toMs));
  const inOrder = (action: string) => ended.filter((one) => one.action === action).sort((a, b) => a.fromMs - b.fromMs);
  const starts = inOrder("start_compute");
  const applied = inOrder("apply_config");
  return inOrder("suspend_compute").flatMap((suspend, at, all) => {
    const next = all[at + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const start = starts.find(({ fromMs }) => fromMs >= suspend.fromMs && fromMs < next);
    if (!start || start.fromMs > suspend.toMs + SAME_RESTART_MS) return [];
    const apply = applied.find(({ fromMs, toMs }) => fromMs === suspend.fromMs && toMs <= suspend.toMs);
    return [Math.max(0, start.toMs - (apply?.toMs ?? suspend.fromMs))];
  });
}

/** A span of less than a minute with a digit, such as `0.9 s`. */
export function formatAway(ms: number): string {
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** By its own measure where the platform tells it; times have whole seconds only. */
function endOf({ createdAt, updatedAt, totalDurationMs }: OperationRecord): number {
  return totalDurationMs === undefined ? Date.parse(updatedAt) : Date.parse(createdAt) + totalDurationMs;
}
