import { type Command, Option } from "commander";
import { boundsOf } from "../../provider/endpoint/context";
import type { Clock } from "../../provider/lib/clock";
import { plain } from "../../provider/lib/wording";
import type { Account } from "../../provider/platform/account";
import type { Api, RequestOptions } from "../../provider/platform/api";
import { isKind, OperationError, type PgComputeError } from "../../provider/platform/errors";
import { hasSucceeded, isOpen } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, endpointOf, projectOf, withAccount } from "../account";
import { choice, positiveNumber, wholeNumber } from "../arguments";
import { branchIdOf } from "../branches/find";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { nameTheCommand, showDefaultOptions } from "../subcommands";
import { formatDuration, paintFor, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { type Cell, printList, printTable, renderTable, widthOf } from "../terminal/table";
import { durationMs, operationColumns, operationRow } from "./rows";

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
      await followOperations(projectId, operations, {
        api,
        clock: shell.clock,
        signal: shell.signal,
        onChange: (operation) => {
          if (matches(filter, operation)) show(operation);
        },
        onTrouble: (message) => shell.err.write(`pgcompute: ${plain(message)}; trying again\n`),
      });
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

/** What following needs from outside. */
interface Following {
  api: Pick<Api, "allOperations">;
  clock: Clock;
  signal: AbortSignal;
  /** An operation that is new, or whose status is. In the order in which they began. */
  onChange(operation: OperationRecord): void;
  /** A look that failed, and may work again; the next one is made as usual. */
  onTrouble(message: string): void;
}

/**
 * Tells of every new operation and every new status until the signal is aborted. `known` are the operations that were told
 * of already. Throws what cannot heal by itself.
 */
export async function followOperations(
  projectId: string,
  known: readonly OperationRecord[],
  following: Following,
): Promise<void> {
  const { clock, signal, onChange, onTrouble } = following;
  const seen = new Map(known.map((operation) => [operation.id, operation]));
  while (!signal.aborted) {
    await clock.sleep(FOLLOW_GAP_MS, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      const changed = await look(projectId, seen, following);
      for (const operation of changed.reverse()) onChange(operation);
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

/** One page of what a filter lets through. */
interface SelectedPage {
  operations: OperationRecord[];
  /** True when a further page has something. */
  more: boolean;
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
 * A page of a project's operations, most recent first (specification, section 4.1). The platform has no filters, so a filtered
 * page is looked for in its whole list.
 */
async function selectOperations(
  api: Pick<Api, "allOperations">,
  projectId: string,
  filter: OperationFilter,
  { limit, page }: { limit: number; page: number },
  signal: AbortSignal,
): Promise<SelectedPage> {
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
  /** `unknown` is for an operation that the platform does not know. */
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
      if (error ? error.kind === "operation_failed" : !hasSucceeded(operation)) {
        // The wait tells how it ended, not when.
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
    case "operation_failed":
      return { id, outcome: "failed", operation, reason: error.summary };
  }
}
