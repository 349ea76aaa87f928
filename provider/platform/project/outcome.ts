/** How an operation stands, by its status as last seen, and the error of one that did not end well. */
import type { Clock } from "../../lib/clock";
import type { Api } from "../api";
import { OperationError, type PgComputeError } from "../errors";
import type { OperationRecord } from "../records";

/** What a status says about an operation: it ended well, it is still under way, or it ended badly. */
export type Outcome = "succeeded" | "open" | "failed";

/** The longest time between two looks at an open operation, in milliseconds (specification, section 4.2). */
export const MAX_POLL_GAP_MS = 5_000;

const succeeded = new Set(["finished", "skipped"]);
const failed = new Set(["failed", "error", "cancelled"]);

/** For so many milliseconds after the platform tried a failed operation again, it may try once more. */
const RETRY_MS = 60_000;

/**
 * The outcome of an operation as last seen, at `nowMs` of the platform's clock (specification, section 3.1; section 2.1, published). Success is
 * only what is listed as success; a status that this version does not know is waited on. A failure that the platform has
 * tried again within the last minute (`retry_at`) is still under way.
 */
export function outcomeOf(operation: Pick<OperationRecord, "status" | "retryAt">, nowMs: number): Outcome {
  if (hasSucceeded(operation)) return "succeeded";
  if (!failed.has(operation.status)) return "open";
  const retriedMs = Date.parse(operation.retryAt ?? "");
  return operation.status === "failed" && nowMs - retriedMs < RETRY_MS ? "open" : "failed";
}

/** The platform's time where an answer has told it, else the machine's, in milliseconds: by which outcomes are judged. */
export function platformNow(api: Pick<Api, "platformTime">, clock: Clock): number {
  return api.platformTime() ?? clock.now();
}

/** True while the platform still works on the operation, or may take it up again. */
export function isOpen(operation: Pick<OperationRecord, "status" | "retryAt">, nowMs: number): boolean {
  return outcomeOf(operation, nowMs) === "open";
}

/** True for an operation that ended well, which is for ever. */
export function hasSucceeded({ status }: Pick<OperationRecord, "status">): boolean {
  return succeeded.has(status);
}

/** The error of an operation that has ended badly by `nowMs`; undefined for any other. */
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

/** A wait that has come to its end: how long it was to be at most, how long it was, and how far into it the operation was last seen open. */
export interface WaitOver {
  timeoutMs: number;
  waitedMs: number;
  openMs: number;
  /** Why the last look saw nothing. */
  failed?: PgComputeError | undefined;
}

/** The error of an operation that was still open when the wait for it was over. */
export function timeoutOf(
  operation: OperationRecord,
  { timeoutMs, waitedMs, openMs, failed }: WaitOver,
): OperationError {
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
  if (waitedMs - openMs <= MAX_POLL_GAP_MS) return say(`${still} after ${whole}`);
  return say(`was last seen "${operation.status}" after ${seconds(openMs)} of ${whole}`);
}

/** The error of an operation that the platform no longer knows. */
export function vanishedOf(operation: OperationRecord): OperationError {
  return new OperationError(
    "operation_vanished",
    `the platform no longer knows operation ${operation.id} (${operation.action}, last seen "${operation.status}"), ` +
      "so its outcome is unknown",
    operation,
  );
}

/** The first error of several waits; undefined once all have ended well. */
export function firstError(waits: Promise<PgComputeError | undefined>[]): Promise<PgComputeError | undefined> {
  return new Promise((resolve) => {
    let open = waits.length;
    if (open === 0) resolve(undefined);
    for (const wait of waits) {
      void wait.then((error) => {
        open -= 1;
        if (error || open === 0) resolve(error);
      });
    }
  });
}
