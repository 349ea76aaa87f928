/** The results of operations: status, errors of failed ones, and durations of restarts. */
import { OperationError, type PgComputeError } from "../errors";
import { ages, gaps } from "../policy";
import type { OperationRecord } from "../records";

/** The meaning of an operation's status: succeeded, still open, or failed. */
export type Outcome = "succeeded" | "open" | "failed";

const succeeded = new Set(["finished", "skipped"]);
const failed = new Set(["failed", "error", "cancelled"]);

/**
 * The outcome of an operation at `nowMs` of the platform's clock (specification, section 3.1; section 2.1, published).
 * Unknown statuses and recent retries are open.
 */
export function outcomeOf(operation: Pick<OperationRecord, "status" | "retryAt">, nowMs: number): Outcome {
  if (hasSucceeded(operation)) return "succeeded";
  if (!failed.has(operation.status)) return "open";
  const retriedMs = Date.parse(operation.retryAt ?? "");
  return operation.status === "failed" && nowMs - retriedMs < gaps.retriedMs ? "open" : "failed";
}

/** True while the platform works on the operation, or may retry it. */
export function isOpen(operation: Pick<OperationRecord, "status" | "retryAt">, nowMs: number): boolean {
  return outcomeOf(operation, nowMs) === "open";
}

/** True for an operation that succeeded, which is final. */
export function hasSucceeded({ status }: Pick<OperationRecord, "status">): boolean {
  return succeeded.has(status);
}

/** The error of an operation that has failed by `nowMs`; undefined otherwise. */
export function failureOf(operation: OperationRecord, nowMs: number): OperationError | undefined {
  if (outcomeOf(operation, nowMs) !== "failed") return undefined;
  const times = operation.failuresCount === 1 ? "1 failure" : `${operation.failuresCount} failures`;
  const why = operation.error ? `: ${operation.error}` : "; the platform gives no reason";
  return new OperationError(
    "operation_failed",
    `operation ${operation.id} (${operation.action}) ended as "${operation.status}" after ${times}${why}`,
    operation,
  );
}

/** The error of an operation still open at the end of the wait, with its duration and the last poll's failure. */
export function timeoutOf(
  operation: OperationRecord,
  over: { timeoutMs: number; waitedMs: number; openMs: number; failed?: PgComputeError | undefined },
): OperationError {
  const { timeoutMs, waitedMs, openMs, failed } = over;
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
  const which = `operation ${operation.id} (${operation.action})`;
  const isCut = timeoutMs - waitedMs >= 1_000;
  const whole = isCut
    ? `${seconds(waitedMs)}, all that the change had left of ${seconds(timeoutMs)}`
    : seconds(timeoutMs);

  const say = (text: string) => new OperationError("operation_timeout", `${which} ${text}`, operation);
  const still = `was still "${operation.status}"`;
  if (waitedMs <= 0) return say(`${still} when all of the change's ${seconds(timeoutMs)} were over`);
  if (failed) return say(`${still} after ${whole}, as it was last seen; the last look failed: ${failed.summary}`);
  if (waitedMs - openMs <= gaps.longestMs) return say(`${still} after ${whole}`);
  return say(`was last seen "${operation.status}" after ${seconds(openMs)} of ${whole}`);
}

/** The error of an operation that the platform no longer has. */
export function vanishedOf(operation: OperationRecord): OperationError {
  return new OperationError(
    "operation_vanished",
    `the platform no longer knows operation ${operation.id} (${operation.action}, last seen "${operation.status}"), ` +
      "so its outcome is unknown",
    operation,
  );
}

/** Durations of successful restarts among one endpoint's operations, in milliseconds, oldest first. */
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
    if (!start || start.fromMs > suspend.toMs + ages.sameChangeMs) return [];
    const apply = applied.find(({ fromMs, toMs }) => fromMs === suspend.fromMs && toMs <= suspend.toMs);
    return [Math.max(0, start.toMs - (apply?.toMs ?? suspend.fromMs))];
  });
}

/** True for a start that the platform has skipped, and that the first connection then causes. */
export function isSkippedStart({ action, status }: Pick<OperationRecord, "action" | "status">): boolean {
  return action === "start_compute" && status === "skipped";
}

/** Formats a duration: below a minute as `0.9 s`, else as `2 min`. */
export function formatAway(ms: number): string {
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** The end of an operation: by the platform's own duration if there is one, as its times have whole seconds. */
function endOf({ createdAt, updatedAt, totalDurationMs }: OperationRecord): number {
  return totalDurationMs === undefined ? Date.parse(updatedAt) : Date.parse(createdAt) + totalDurationMs;
}
