import { type Command, Option } from "commander";
import { boundsOf } from "../../provider/endpoint/context";
import { plain } from "../../provider/lib/wording";
import type { Account } from "../../provider/platform/account";
import type { Api } from "../../provider/platform/api";
import { isKind } from "../../provider/platform/errors";
import { gaps } from "../../provider/platform/policy";
import { isOpen, outcomeOf } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";
import {
  type AccountOptions,
  addAccountOptions,
  addTellingOptions,
  endpointOf,
  projectOf,
  withAccount,
} from "../account";
import { choice, makeUsual, positiveNumber, wholeNumber } from "../arguments";
import { branchIdOf } from "../branches";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { formatDuration, formatTime, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { type Column, layOut, printList } from "../terminal/table";

interface ListOptions extends AccountOptions {
  limit: number;
  page: number;
  endpoint?: string;
  branch?: string;
  status?: string;
  ids?: boolean;
  follow?: boolean;
}

const DEFAULT_LIMIT = 20;
/** The statuses of the specification, section 2.1, and further published ones. */
const statuses = ["scheduling", "running", "finished", "failed", "error", "cancelling", "cancelled", "skipped"];

const CALL_SIZE = 100;
const LARGEST_CALL = 1_000;

const MS_PER_SECOND = 1_000;

/** Outcome and exit code by kind of error; of several, the first applies. */
const badEnds = {
  cancelled: { outcome: "interrupted", code: exitCodes.interrupted },
  operation_failed: { outcome: "failed", code: exitCodes.failed },
  operation_vanished: { outcome: "unknown", code: exitCodes.failed },
  operation_timeout: { outcome: "timeout", code: exitCodes.timeout },
} as const;

/** The result of a wait for an operation. */
interface Waited {
  id: string;
  /** As last seen; absent if the platform does not know it. */
  operation?: OperationRecord;
  /** `unknown`: the platform does not know the operation. */
  outcome: "succeeded" | (typeof badEnds)[keyof typeof badEnds]["outcome"];
  /** The reason for a failure. */
  reason?: string;
}

/** Adds `operations list` and `operations wait`. `done` receives the exit code. */
export function addOperations(program: Command, shell: Shell, done: (code: number) => void): void {
  const operations = program.command("operations").description("Lists a project's operations, or waits for some.");
  const list = operations
    .command("list", { isDefault: true })
    .description("Lists a project's operations, most recent first, as the platform's console does.")
    .option("--limit <number>", "operations per page", wholeNumber("--limit", 1, 10_000), DEFAULT_LIMIT)
    .option("--page <number>", "which page", wholeNumber("--page", 1), 1)
    .option("--endpoint <id>", "only those of this endpoint, by id or PROJECT/ENDPOINT")
    .option("--branch <id>", "only those of this branch, by id or name")
    .addOption(choice("--status <status>", `only those that are ${statuses.join(", ")}`, statuses))
    .option("--ids", "show the operations' ids too")
    .addOption(new Option("--follow", "keep running: show new operations and statuses until Ctrl-C").conflicts("page"))
    .option("--json", "for machines; with --follow one operation a line");

  addAccountOptions(list).action((options: ListOptions) => listOperations(shell, options));
  const wait = operations
    .command("wait")
    .description("Waits until the operations have ended, and exits with how they ended.")
    .argument("<id...>", "ids of operations")
    .option("--timeout <seconds>", "give up after so long (default: 600)", positiveNumber("--timeout"))
    .addHelpText(
      "after",
      "\nExit codes: 0 all ended well; 1 one did not, or is not known; 4 timed out;\n130 interrupted.",
    );

  addTellingOptions(wait).action(async (ids: string[], options: AccountOptions & { timeout?: number }) =>
    done(await waitForAll(shell, ids, options)),
  );
  makeUsual(list, operations);
}

async function listOperations(shell: Shell, options: ListOptions): Promise<void> {
  const endpoint = options.endpoint === undefined ? undefined : endpointOf(shell, options.endpoint, options);
  const projectId = endpoint?.projectId ?? projectOf(shell, options);
  const { branch, status, page, limit, follow } = options;
  const { signal, clock } = shell;
  const columns = columnsOf(() => clock.now(), options.ids);

  await withAccount(shell, options, async ({ api }) => {
    const branchId = branch === undefined ? undefined : await branchIdOf(api, projectId, branch, signal);
    const filter = Object.entries({ endpointId: endpoint?.endpointId, branchId, status }).filter(([, value]) => value);
    const isWanted = (one: OperationRecord) =>
      filter.every(([name, value]) => one[name as keyof OperationRecord] === value);

    // The platform has no filters, so a filtered page needs the whole list.
    const callSize = filter.length > 0 ? LARGEST_CALL : Math.min(LARGEST_CALL, page * limit + 1);
    const found: OperationRecord[] = [];
    // An operation may match the filter later.
    const met: OperationRecord[] = [];

    for await (const operation of api.allOperations(projectId, { limit: callSize }, { signal })) {
      met.push(operation);
      if (isWanted(operation)) found.push(operation);
      if (found.length > page * limit) break;
    }

    const operations = found.slice((page - 1) * limit, page * limit);
    const more = found.length > page * limit;
    if (!follow) {
      const json = options.json && { operations, page, more };
      printList(shell, { noun: "operations", columns, all: operations, json });
      if (more && !json) shell.err.write(`more with --page ${page + 1}\n`);
      return;
    }

    const { titles, rowOf } = layOut(shell, columns);
    const show = (one: OperationRecord) => shell.out.write(options.json ? toJson(one, true) : rowOf(one));
    if (!options.json) shell.out.write(titles);
    for (const one of [...operations].reverse()) show(one);
    for await (const one of followOperations(shell, api, projectId, met)) if (isWanted(one)) show(one);
  });
}

/**
 * The columns of the platform's console (specification, section 2.1) and the endpoint; on request the ids for `wait`.
 */
function columnsOf(now: () => number, ids = false): Column<OperationRecord>[] {
  const colours = { succeeded: "green", open: "yellow", failed: "red" } as const;
  return [
    // Ids matter more than actions on a narrow terminal.
    { title: "Action", of: ({ action }) => action, width: 22, ...(ids && { leaveOut: 5 }) },
    { title: "Branch", of: ({ branchId = "" }) => branchId, width: 30, leaveOut: 1 },
    { title: "Endpoint", of: ({ endpointId = "" }) => endpointId, width: 30, ...(!ids && { leaveOut: 3 }) },
    { title: "Status", of: (one) => ({ text: one.status, colour: colours[outcomeOf(one, now())] }), width: 12 },
    { title: "Duration", of: (one) => durationOf(one, now()), width: 12, leaveOut: 2 },
    { title: "Date and time (UTC)", of: ({ createdAt }) => formatTime(createdAt), width: 21, leaveOut: 4 },
    ...(ids ? [{ title: "Operation", of: ({ id }: OperationRecord) => id, width: 38 }] : []),
  ];
}

/** An operation's duration, until `nowMs` if it is open. */
function durationOf(operation: OperationRecord, nowMs: number): string {
  const { totalDurationMs, createdAt, updatedAt } = operation;
  const sinceMs = Date.parse(createdAt);
  const isRunning = isOpen(operation, nowMs);
  return formatDuration(isRunning ? nowMs - sinceMs : (totalDurationMs ?? Date.parse(updatedAt) - sinceMs));
}

/**
 * Yields new operations and statuses, oldest first, until the signal aborts. `known` ones count as seen. Throws lasting
 * failures.
 */
export async function* followOperations(
  { clock, signal, err }: Pick<Shell, "clock" | "signal" | "err">,
  api: Pick<Api, "allOperations">,
  projectId: string,
  known: readonly OperationRecord[],
): AsyncGenerator<OperationRecord> {
  const seen = new Map(known.map((operation) => [operation.id, operation]));
  for (;;) {
    await clock.sleep(gaps.followMs, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      // Operations older than the oldest open one, and than the newest, no longer change.
      const open = [...seen.values()].filter((one) => isOpen(one, clock.now()));
      const began = (all: Iterable<OperationRecord>) => [...all].map(({ createdAt }) => Date.parse(createdAt));
      const sinceMs = open.length > 0 ? Math.min(...began(open)) : Math.max(...began(seen.values()));
      const changed: OperationRecord[] = [];

      for await (const operation of api.allOperations(projectId, { limit: CALL_SIZE }, { signal })) {
        if (Date.parse(operation.createdAt) < sinceMs) break;
        if (seen.get(operation.id)?.status !== operation.status) changed.unshift(operation);
      }
      for (const operation of changed) seen.set(operation.id, operation);
      yield* changed;
    } catch (error) {
      if (signal.aborted) return;
      if (!isKind(error, "server", "unreachable", "answer_lost", "bad_answer", "rate_limited")) throw error;
      err.write(`pgcompute: ${plain(error.message)}; trying again\n`);
    }
  }
}

async function waitForAll(
  shell: Shell,
  ids: string[],
  options: AccountOptions & { timeout?: number },
): Promise<number> {
  const { clock, signal } = shell;
  const projectId = projectOf(shell, options);
  const progress = openProgress(shell.err);
  const startedMs = clock.now();

  const waited = await withAccount(shell, options, (account) => {
    const timeoutMs = (options.timeout ?? account.settings.operationTimeoutSeconds) * MS_PER_SECOND;
    const onProgress = ({ id, action, status }: OperationRecord) =>
      progress.show(id, `${action} ${status}`, formatDuration(clock.now() - startedMs));
    return Promise.all(
      [...new Set(ids)].map((id) => waitFor(account, projectId, id, { timeoutMs, signal, onProgress })),
    );
  }).finally(() => progress.end());

  const columns: Column<Waited>[] = [
    { title: "Operation", of: ({ id }) => id },
    { title: "Action", of: ({ operation }) => operation?.action ?? "", leaveOut: 2 },
    {
      title: "Status",
      of: ({ operation, outcome }) => ({
        text: operation?.status ?? "unknown",
        colour: outcome === "succeeded" ? "green" : "red",
      }),
    },
    { title: "Duration", of: ({ operation }) => (operation ? durationOf(operation, clock.now()) : ""), leaveOut: 1 },
    { title: "Reason", of: ({ reason = "" }) => reason },
  ];

  printList(shell, { noun: "operations", columns, all: waited, json: options.json && { operations: waited } });
  const worst = Object.values(badEnds).find((end) => waited.some(({ outcome }) => outcome === end.outcome));
  return worst?.code ?? exitCodes.ok;
}

/**
 * Waits for one operation to end (specification, sections 3.1 and 4.2). Throws only failures of all waits, such as a
 * refused key.
 */
async function waitFor(
  account: Account,
  projectId: string,
  id: string,
  wait: { timeoutMs: number; signal: AbortSignal; onProgress(operation: OperationRecord): void },
): Promise<Waited> {
  const bounds = { signal: wait.signal, ...boundsOf(account, wait.timeoutMs) };
  const found = await account.api.getOperation(projectId, id, bounds).catch((error: unknown) => {
    if (!isKind(error, "not_found")) throw error;
    return undefined;
  });
  if (!found) return { id, outcome: "unknown", reason: `project ${projectId} has no such operation` };

  const { error, seen } = await account.project(projectId).waiter.wait([found], {
    ...wait,
    onProgress: (progress) => wait.onProgress(progress.operation),
  });
  const [operation = found] = seen;
  if (!error) return { id, outcome: "succeeded", operation };
  if (!(error.kind in badEnds)) throw error;
  return { id, outcome: badEnds[error.kind as keyof typeof badEnds].outcome, operation, reason: error.summary };
}
