import type { Command } from "commander";
import { boundsOf } from "../../provider/endpoint/context";
import type { Account } from "../../provider/platform/account";
import type { RequestOptions } from "../../provider/platform/api";
import { isKind, OperationError, type PgComputeError } from "../../provider/platform/errors";
import { hasSucceeded } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import { positiveNumber } from "../arguments";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { formatDuration, paintFor, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { printTable } from "../terminal/table";
import { durationMs } from "./rows";

interface WaitOptions extends AccountOptions {
  timeout?: number;
  json?: boolean;
}

const MS_PER_SECOND = 1_000;

/** Adds `operations wait`. `done` takes the exit code. */
export function addWait(operations: Command, shell: Shell, done: (code: number) => void): void {
  const wait = operations
    .command("wait")
    .description("Waits until the operations have ended, and exits with how they ended.")
    .argument("<id...>", "ids of operations")
    .option("--timeout <seconds>", "give up after so long (default: 600)", positiveNumber("--timeout"))
    .option("--json", "for machines")
    .addHelpText(
      "after",
      "\nExit codes: 0 all ended well; 1 one did not, or is not known; 4 timed out;\n130 interrupted.",
    );
  addAccountOptions(wait).action(async (ids: string[], options: WaitOptions) =>
    done(await waitCommand(shell, ids, options)),
  );
}

async function waitCommand(shell: Shell, ids: string[], options: WaitOptions): Promise<number> {
  const projectId = projectOf(shell, options);
  const progress = openProgress(shell.err);
  const startedMs = shell.clock.now();
  const waited = await withAccount(shell, options, (account) =>
    waitForOperations(account, projectId, ids, {
      timeoutMs: (options.timeout ?? account.settings.operationTimeoutSeconds) * MS_PER_SECOND,
      signal: shell.signal,
      onProgress: ({ id, action, status }) =>
        progress.show(id, `${action} ${status}`, formatDuration(shell.clock.now() - startedMs)),
    }),
  ).finally(() => progress.end());
  if (options.json) shell.out.write(toJson({ operations: waited }));
  else printWaited(shell, waited);
  return exitCodeOf(waited);
}

function printWaited(shell: Shell, waited: readonly Waited[]): void {
  const paint = paintFor(shell, shell.out);
  const columns = [
    { title: "Operation" },
    { title: "Action", leaveOut: 2 },
    { title: "Status" },
    { title: "Duration", leaveOut: 1 },
    { title: "Reason" },
  ];
  printTable(
    shell,
    columns,
    waited.map(({ id, operation, outcome, reason = "" }) => [
      { text: id },
      { text: operation?.action ?? "" },
      { text: operation?.status ?? "unknown", paint: outcome === "succeeded" ? paint.green : paint.red },
      { text: operation ? formatDuration(durationMs(operation, shell.clock.now())) : "" },
      { text: reason },
    ]),
  );
}

/** How one wait ended. */
interface Waited {
  id: string;
  /** As last seen; absent where the platform does not know it. */
  operation?: OperationRecord;
  /** `succeeded`, `failed`, `timeout`, `interrupted`, or `unknown` for one that the platform does not know. */
  outcome: "succeeded" | "failed" | "timeout" | "interrupted" | "unknown";
  /** Why it did not end well. */
  reason?: string;
}

/** Waiting, for whoever shows it. */
interface WaitSettings {
  timeoutMs: number;
  signal: AbortSignal;
  onProgress(operation: OperationRecord): void;
}

/**
 * Waits for each of the operations to its own end (specification, sections 3.1 and 4.2); all of them share their looks. Throws
 * only what stops all waits, such as a key that is not accepted.
 */
async function waitForOperations(
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
function exitCodeOf(all: readonly Waited[]): number {
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
