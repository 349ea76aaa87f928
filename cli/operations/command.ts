import { type Command, Option } from "commander";
import { boundsOf } from "../../provider/endpoint/context";
import type { Clock } from "../../provider/lib/clock";
import { plain } from "../../provider/lib/wording";
import type { Account } from "../../provider/platform/account";
import type { Api } from "../../provider/platform/api";
import { isKind, type PgComputeError } from "../../provider/platform/errors";
import { hasSucceeded, isOpen, outcomeOf } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, endpointOf, projectOf, withAccount } from "../account";
import { choice, positiveNumber, wholeNumber } from "../arguments";
import { branchIdOf } from "../branches/find";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { nameTheCommand, showDefaultOptions } from "../subcommands";
import { formatDuration, formatTime, type Paint, paintFor, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { type Cell, type Column, printList, printTable, renderTable, widthOf } from "../terminal/table";

interface ListOptions extends AccountOptions, OperationFilter {
  limit: number;
  page: number;
  ids?: boolean;
  follow?: boolean;
  json?: boolean;
}

const DEFAULT_LIMIT = 20;
/** The statuses of the specification, section 2.1, and further ones that are published. */
const operationStatuses = [
  "scheduling",
  "running",
  "finished",
  "failed",
  "error",
  "cancelling",
  "cancelled",
  "skipped",
];

/** Milliseconds between two looks. */
const FOLLOW_GAP_MS = 2_000;
const CALL_SIZE = 100;
const LARGEST_CALL = 1_000;

const MS_PER_SECOND = 1_000;

/** Adds `operations list` and `operations wait`. `done` takes the exit code. */
export function addOperations(program: Command, shell: Shell, done: (code: number) => void): void {
  const operations = program.command("operations").description("Lists a project's operations, or waits for some.");
  const list = operations
    .command("list", { isDefault: true })
    .description("Lists a project's operations, most recent first, as the platform's console does.")
    .option("--limit <number>", "operations per page", wholeNumber("--limit", 1, 10_000), DEFAULT_LIMIT)
    .option("--page <number>", "which page", wholeNumber("--page", 1), 1)
    .option("--endpoint <id>", "only those of this endpoint, by id or PROJECT/ENDPOINT")
    .option("--branch <id>", "only those of this branch, by id or name")
    .addOption(choice("--status <status>", `only those that are ${operationStatuses.join(", ")}`, operationStatuses))
    .option("--ids", "show the operations' ids too")
    .addOption(new Option("--follow", "keep running: show new operations and statuses until Ctrl-C").conflicts("page"))
    .option("--json", "for machines; with --follow one operation a line");
  addAccountOptions(list).action(async (options: ListOptions) => {
    nameTheCommand(list);
    done(await listOperations(shell, options));
  });
  addWait(operations, shell, done);
  showDefaultOptions(operations, list);
}

async function listOperations(shell: Shell, options: ListOptions): Promise<number> {
  const endpoint = options.endpoint === undefined ? undefined : endpointOf(shell, options.endpoint, options);
  const projectId = endpoint?.projectId ?? projectOf(shell, options);
  const ids = options.ids ?? false;
  const paint = paintFor(shell, shell.out);
  await withAccount(shell, options, async ({ api }) => {
    const filter: OperationFilter = {
      ...(endpoint && { endpoint: endpoint.endpointId }),
      ...(options.branch !== undefined && { branch: await branchIdOf(api, projectId, options.branch, shell.signal) }),
      ...(options.status !== undefined && { status: options.status }),
    };
    const { operations, more } = await selectOperations(api, projectId, filter, options, shell.signal);
    if (options.follow) {
      const columns = operationColumns(ids);
      const show = (operation: (typeof operations)[number]) => {
        if (options.json) shell.out.write(toJson(operation, true));
        else write([operationRow(operation, shell.clock.now(), paint, ids)], false);
      };
      const write = (rows: Cell[][], titles: boolean) =>
        shell.out.write(renderTable(columns, rows, { titles, maxWidth: widthOf(shell) }).text);
      if (!options.json) write([], true);
      for (const operation of [...operations].reverse()) show(operation);
      const onTrouble = (message: string) => shell.err.write(`pgcompute: ${plain(message)}; trying again\n`);
      const { clock, signal } = shell;
      for await (const operation of followOperations(projectId, operations, { api, clock, signal }, onTrouble)) {
        if (matches(filter, operation)) show(operation);
      }
      return;
    }
    const columns = operationColumns(ids).map(({ width: _, ...column }) => column);
    const rows = operations.map((operation) => operationRow(operation, shell.clock.now(), paint, ids));
    const json = options.json && { operations, page: options.page, more };
    printList(shell, { noun: "operations", columns, rows, json });
    if (more && !json) shell.err.write(`more with --page ${options.page + 1}\n`);
  });
  return exitCodes.ok;
}

/** The columns of the platform's console (specification, section 2.1) and the endpoint, and on request the ids that `wait` takes. */
function operationColumns(ids: boolean): Column[] {
  return [
    // Whoever asks for ids looks for those of an endpoint.
    { title: "Action", width: 22, ...(ids && { leaveOut: 5 }) },
    { title: "Branch", width: 30, leaveOut: 1 },
    { title: "Endpoint", width: 30, ...(!ids && { leaveOut: 3 }) },
    { title: "Status", width: 12 },
    { title: "Duration", width: 12, leaveOut: 2 },
    { title: "Date and time (UTC)", width: 21, leaveOut: 4 },
    ...(ids ? [{ title: "Operation", width: 38 }] : []),
  ];
}

/** An operation as a row; an open one has lasted until `nowMs`. */
function operationRow(operation: OperationRecord, nowMs: number, paint: Paint, ids: boolean): Cell[] {
  const { id, action, branchId = "", endpointId = "", status, createdAt } = operation;
  const colours = { succeeded: paint.green, open: paint.yellow, failed: paint.red };
  return [
    action,
    branchId,
    endpointId,
    { text: status, paint: colours[outcomeOf(operation, nowMs)] },
    formatDuration(durationMs(operation, nowMs)),
    formatTime(createdAt),
    ...(ids ? [id] : []),
  ];
}

/** How long an operation took, or has taken until `nowMs`, in milliseconds. */
function durationMs(operation: OperationRecord, nowMs: number): number {
  const { totalDurationMs, createdAt, updatedAt } = operation;
  const began = Date.parse(createdAt);
  if (outcomeOf(operation, nowMs) === "open") return nowMs - began;
  return totalDurationMs ?? Date.parse(updatedAt) - began;
}

/** What following needs from outside. */
interface Following {
  api: Pick<Api, "allOperations">;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Every new operation and every new status until the signal is aborted, in the order in which they began. `known` are the operations that
 * were told of already; `onTrouble` hears of a look that failed and may work again. Throws what cannot heal by itself.
 */
export async function* followOperations(
  projectId: string,
  known: readonly OperationRecord[],
  following: Following,
  onTrouble: (message: string) => void,
): AsyncGenerator<OperationRecord> {
  const { clock, signal } = following;
  const seen = new Map(known.map((operation) => [operation.id, operation]));
  while (!signal.aborted) {
    await clock.sleep(FOLLOW_GAP_MS, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      yield* (await look(projectId, seen, following)).reverse();
    } catch (error) {
      if (signal.aborted) return;
      if (!isKind(error, "server", "unreachable", "answer_lost", "bad_answer", "rate_limited")) throw error;
      onTrouble(error.message);
    }
  }
}

/** What changed, most recent first. Reads pages until it meets only what is known, and has met every open operation. */
async function look(projectId: string, seen: Map<string, OperationRecord>, { api, clock, signal }: Following) {
  const open = new Set([...seen.values()].filter((one) => isOpen(one, clock.now())).map(({ id }) => id));
  const oldest = Math.min(...[...open].map((id) => Date.parse(seen.get(id)?.createdAt ?? "")));
  const changed: OperationRecord[] = [];
  const first = seen.size === 0;
  for await (const operation of api.allOperations(projectId, { limit: CALL_SIZE }, { signal })) {
    const before = seen.get(operation.id);
    if (before?.status !== operation.status) changed.push(operation);
    open.delete(operation.id);
    // Give up an operation that is no longer listed, so that not every look reads the whole list.
    const past = open.size === 0 || Date.parse(operation.createdAt) < oldest;
    if (past && (before !== undefined || (first && changed.length >= CALL_SIZE))) break;
  }
  for (const operation of changed) seen.set(operation.id, operation);
  return changed;
}

/** Which operations are wanted. */
interface OperationFilter {
  endpoint?: string;
  branch?: string;
  status?: string;
}

/** True for an operation that the filter lets through. */
function matches({ endpoint, branch, status }: OperationFilter, operation: OperationRecord): boolean {
  return (
    (endpoint === undefined || operation.endpointId === endpoint) &&
    (branch === undefined || operation.branchId === branch) &&
    (status === undefined || operation.status === status)
  );
}

/**
 * A page of a project's operations, most recent first (specification, section 4.1), and whether there is more. The platform has no
 * filters, so a filtered page is looked for in its whole list.
 */
async function selectOperations(
  api: Pick<Api, "allOperations">,
  projectId: string,
  filter: OperationFilter,
  { limit, page }: { limit: number; page: number },
  signal: AbortSignal,
): Promise<{ operations: OperationRecord[]; more: boolean }> {
  const skip = (page - 1) * limit;
  const filtered = filter.endpoint !== undefined || filter.branch !== undefined || filter.status !== undefined;
  const callSize = filtered ? LARGEST_CALL : Math.min(LARGEST_CALL, skip + limit + 1);
  const operations: OperationRecord[] = [];
  let met = 0;
  for await (const operation of api.allOperations(projectId, { limit: callSize }, { signal })) {
    if (!matches(filter, operation)) continue;
    met += 1;
    if (met <= skip) continue;
    if (operations.length === limit) return { operations, more: true };
    operations.push(operation);
  }
  return { operations, more: false };
}

interface WaitOptions extends AccountOptions {
  timeout?: number;
  json?: boolean;
}

/** Adds `operations wait`. `done` takes the exit code. */
function addWait(operations: Command, shell: Shell, done: (code: number) => void): void {
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
    Promise.all(
      [...new Set(ids)].map((id) =>
        waitFor(account, projectId, id, {
          timeoutMs: (options.timeout ?? account.settings.operationTimeoutSeconds) * MS_PER_SECOND,
          signal: shell.signal,
          onProgress: ({ action, status }) =>
            progress.show(id, `${action} ${status}`, formatDuration(shell.clock.now() - startedMs)),
        }),
      ),
    ),
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
      id,
      operation?.action ?? "",
      { text: operation?.status ?? "unknown", paint: outcome === "succeeded" ? paint.green : paint.red },
      operation ? formatDuration(durationMs(operation, shell.clock.now())) : "",
      reason,
    ]),
  );
}

/** How one wait ended. */
interface Waited {
  id: string;
  /** As last seen; absent where the platform does not know it. */
  operation?: OperationRecord;
  /** `unknown` is for an operation that the platform does not know. */
  outcome: "succeeded" | "failed" | "timeout" | "interrupted" | "unknown";
  /** Why it did not end well. */
  reason?: string;
}

/**
 * Waits for an operation to its own end (specification, sections 3.1 and 4.2); those of a project share their looks. Throws only what
 * stops all waits, such as a key that is not accepted.
 */
async function waitFor(
  account: Account,
  projectId: string,
  id: string,
  wait: { timeoutMs: number; signal: AbortSignal; onProgress(operation: OperationRecord): void },
): Promise<Waited> {
  const options = { signal: wait.signal, deadlineMs: boundsOf(account, wait.timeoutMs).deadlineMs };
  const look = () => account.api.getOperation(projectId, id, options);
  const found = await look().catch((error: unknown) => {
    if (!isKind(error, "not_found")) throw error;
    return undefined;
  });
  if (!found) return { id, outcome: "unknown", reason: `project ${projectId} has no such operation` };
  let operation = found;
  const { error } = await account.project(projectId).waiter.wait([operation], {
    ...wait,
    onProgress: (progress) => {
      operation = progress.operation;
      wait.onProgress(operation);
    },
  });
  // The wait tells how it ended, not when.
  if (error ? error.kind === "operation_failed" : !hasSucceeded(operation)) operation = await look();
  const { outcome, reason } = endOf(operation, error);
  return { id, outcome, operation, ...(reason !== undefined && { reason }) };
}

/** The exit code for all of them: the worst of their ends. */
function exitCodeOf(all: readonly Waited[]): number {
  const has = (...outcomes: Waited["outcome"][]) => all.some(({ outcome }) => outcomes.includes(outcome));
  if (has("interrupted")) return exitCodes.interrupted;
  if (has("failed", "unknown")) return exitCodes.failed;
  return has("timeout") ? exitCodes.timeout : exitCodes.ok;
}

function endOf({ status }: OperationRecord, error: PgComputeError | undefined): Pick<Waited, "outcome" | "reason"> {
  switch (error?.kind) {
    case undefined:
      return { outcome: "succeeded" };
    case "cancelled":
      return { outcome: "interrupted", reason: `still "${status}"` };
    case "operation_timeout":
      return { outcome: "timeout", reason: `still "${status}" when the wait timed out` };
    case "operation_vanished":
      return { outcome: "unknown", reason: "the platform no longer knows it" };
    case "operation_failed":
      return { outcome: "failed", reason: error.summary };
    default:
      throw error;
  }
}
