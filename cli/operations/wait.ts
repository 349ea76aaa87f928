import { boundsOf } from "../../provider/endpoint/context";
import type { Account } from "../../provider/platform/account";
import type { RequestOptions } from "../../provider/platform/api";
import { isKind, OperationError, type PgComputeError } from "../../provider/platform/errors";
import { hasSucceeded } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";
import { exitCodes } from "../exit-code";

/** How one wait ended. */
export interface Waited {
  id: string;
  /** As last seen; absent where the platform does not know it. */
  operation?: OperationRecord;
  /** `succeeded`, `failed`, `timeout`, `interrupted`, or `unknown` for one that the platform does not know. */
  outcome: "succeeded" | "failed" | "timeout" | "interrupted" | "unknown";
  /** Why it did not end well. */
  reason?: string;
}

/** Waiting, for whoever shows it. */
export interface WaitSettings {
  timeoutMs: number;
  signal: AbortSignal;
  onProgress(operation: OperationRecord): void;
}

/**
 * Waits for each of the operations to its own end (specification, sections 3.1 and 4.2); all of them share their looks. Throws
 * only what stops all waits, such as a key that is not accepted.
 */
export async function waitForOperations(
  account: Account,
  projectId: string,
  ids: readonly string[],
  settings: WaitSettings,
): Promise<Waited[]> {
  const { signal } = settings;
  const options = { signal, deadlineMs: boundsOf(account, settings.timeoutMs).deadlineMs };
  const found = await Promise.all([...new Set(ids)].map((id) => lookUp(account, projectId, id, options)));
  return Promise.all(
    found.map(async (one): Promise<Waited> => {
      if (!one.operation) return one;
      let { operation } = one;
      const { error } = await account.project(projectId).waiter.wait([operation], {
        timeoutMs: settings.timeoutMs,
        signal,
        onProgress: (progress) => {
          operation = progress.operation;
          settings.onProgress(operation);
        },
      });
      if (!error && !hasSucceeded(operation)) {
        // The wait tells that it ended well, not when.
        operation = await account.api.getOperation(projectId, one.id, options);
      }
      return ended(operation, error);
    }),
  );
}

/** The exit code for all of them: the worst of their ends. */
export function exitCodeOf(all: readonly Waited[]): number {
  const has = (...outcomes: Waited["outcome"][]) => all.some(({ outcome }) => outcomes.includes(outcome));
  if (has("interrupted")) return exitCodes.interrupted;
  if (has("failed", "unknown")) return exitCodes.failed;
  return has("timeout") ? exitCodes.timeout : exitCodes.ok;
}

async function lookUp(account: Account, projectId: string, id: string, options: RequestOptions): Promise<Waited> {
  try {
    return { id, outcome: "succeeded", operation: await account.api.getOperation(projectId, id, options) };
  } catch (error) {
    if (!isKind(error, "not_found")) throw error;
    return { id, outcome: "unknown", reason: `project ${projectId} has no such operation` };
  }
}

function ended(operation: OperationRecord, error: PgComputeError | undefined): Waited {
  const { id, status } = operation;
  if (!error) return { id, outcome: "succeeded", operation };
  if (!(error instanceof OperationError)) {
    if (error.kind !== "cancelled") throw error;
    return { id, outcome: "interrupted", operation, reason: `still "${status}"` };
  }
  switch (error.kind) {
    case "operation_timeout":
      return { id, outcome: "timeout", operation, reason: `still "${status}" when the wait timed out` };
    case "operation_vanished":
      return { id, outcome: "unknown", operation, reason: "the platform no longer knows it" };
    case "operation_failed": {
      // Progress told only of looks before the last one.
      const last = { ...operation, status: error.status, failuresCount: error.failuresCount };
      return { id, outcome: "failed", operation: last, reason: error.summary };
    }
  }
}
