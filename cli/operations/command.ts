import { type Command, Option } from "commander";
import type { Clock } from "../../provider/lib/clock";
import { plain } from "../../provider/lib/wording";
import type { Api } from "../../provider/platform/api";
import { isKind } from "../../provider/platform/errors";
import { isOpen } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, endpointOf, projectOf, withAccount } from "../account";
import { choice, wholeNumber } from "../arguments";
import { branchIdOf } from "../branches/find";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { nameTheCommand, showDefaultOptions } from "../subcommands";
import { paintFor, toJson } from "../terminal/output";
import { type Cell, printTable, renderTable, widthOf } from "../terminal/table";
import { operationColumns, operationRow } from "./rows";
import { addWait } from "./wait-command";

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
    if (options.json) {
      shell.out.write(toJson({ operations, page: options.page, more }));
      return;
    }
    if (operations.length === 0) shell.err.write("no operations\n");
    else {
      const columns = operationColumns(ids).map(({ width: _, ...column }) => column);
      const rows = operations.map((operation) => operationRow(operation, shell.clock.now(), paint, ids));
      printTable(shell, columns, rows);
    }
    if (more) shell.err.write(`more with --page ${options.page + 1}\n`);
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

/** What changed, most recent first. Reads on until all is known, and everything that was still open has been met. */
async function look(projectId: string, seen: Map<string, OperationRecord>, { api, clock, signal }: Following) {
  const open = new Set([...seen.values()].filter((one) => isOpen(one, clock.now())).map(({ id }) => id));
  const oldest = Math.min(...[...open].map((id) => Date.parse(seen.get(id)?.createdAt ?? "")));
  const changed: OperationRecord[] = [];
  const first = seen.size === 0;
  for await (const operation of api.allOperations(projectId, { limit: CALL_SIZE }, { signal })) {
    const before = seen.get(operation.id);
    if (before?.status !== operation.status) changed.push(operation);
    open.delete(operation.id);
    // An operation that the platform no longer lists must not make every look read the whole list.
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
