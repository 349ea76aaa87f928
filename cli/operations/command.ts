import { type Command, Option } from "commander";
import { plain } from "../../provider/lib/wording";
import { type AccountOptions, addAccountOptions, endpointOf, projectOf, withAccount } from "../account";
import { choice, wholeNumber } from "../arguments";
import { branchIdOf } from "../branches/find";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { nameTheCommand, showDefaultOptions } from "../subcommands";
import { paintFor, toJson } from "../terminal/output";
import { type Cell, printTable, renderTable, widthOf } from "../terminal/table";
import { followOperations } from "./follow";
import { operationColumns, operationRow } from "./rows";
import { matches, type OperationFilter, selectOperations } from "./select";
import { addWait } from "./wait-command";

interface ListOptions extends AccountOptions, OperationFilter {
  limit: number;
  page: number;
  ids?: boolean;
  follow?: boolean;
  json?: boolean;
}

const DEFAULT_LIMIT = 20;
/** The statuses of the specification, section 2.1, and those published besides. */
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
