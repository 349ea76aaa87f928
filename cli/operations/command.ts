import { type Command, Option } from "commander";
import { plain } from "../../provider/lib/wording";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import { wholeNumber } from "../arguments";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { paintFor, renderTable, toJson } from "../terminal/output";
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

/** Adds `operations list` and `operations wait`. `done` takes the exit code. */
export function addOperations(program: Command, shell: Shell, done: (code: number) => void): void {
  const operations = program
    .command("operations")
    .description("Lists a project's operations, or waits for some.")
    .addHelpText(
      "after",
      "\nWithout a command it lists; the options of that are in `pgcompute operations list --help`.",
    );
  const list = operations
    .command("list", { isDefault: true })
    .description("Lists a project's operations, most recent first, as the platform's console does.")
    .option("--limit <number>", "operations of a page", wholeNumber(1, 10_000), DEFAULT_LIMIT)
    .option("--page <number>", "which page", wholeNumber(1), 1)
    .option("--endpoint <id>", "only those of this endpoint")
    .option("--branch <id>", "only those of this branch")
    .option("--status <status>", "only those with this status, such as running")
    .option("--ids", "show the operations' ids too")
    .addOption(new Option("--follow", "go on: show new operations and new statuses until Ctrl-C").conflicts("page"))
    .option("--json", "for machines; with --follow one operation a line");
  addAccountOptions(list).action(async (options: ListOptions) => done(await listOperations(shell, options)));
  addWait(operations, shell, done);
}

async function listOperations(shell: Shell, options: ListOptions): Promise<number> {
  const projectId = projectOf(shell, options);
  const ids = options.ids ?? false;
  const paint = paintFor(shell, shell.out);
  await withAccount(shell, options, async ({ api }) => {
    const { operations, more } = await selectOperations(api, projectId, options, options, shell.signal);
    if (options.follow) {
      const columns = operationColumns(ids);
      const show = (operation: (typeof operations)[number]) => {
        if (options.json) shell.out.write(toJson(operation, true));
        else shell.out.write(renderTable(columns, [operationRow(operation, shell.clock.now(), paint, ids)], false));
      };
      if (!options.json) shell.out.write(renderTable(columns, []));
      for (const operation of [...operations].reverse()) show(operation);
      await followOperations(projectId, operations, {
        api,
        clock: shell.clock,
        signal: shell.signal,
        onChange: (operation) => {
          if (matches(options, operation)) show(operation);
        },
        onTrouble: (message) => shell.err.write(`pgcompute: ${plain(message)}; goes on\n`),
      });
      return;
    }
    if (options.json) {
      shell.out.write(toJson({ operations, page: options.page, more }));
      return;
    }
    if (operations.length === 0) shell.err.write("no operations\n");
    else {
      const columns = operationColumns(ids).map(({ title }) => ({ title }));
      shell.out.write(
        renderTable(
          columns,
          operations.map((operation) => operationRow(operation, shell.clock.now(), paint, ids)),
        ),
      );
    }
    if (more) shell.err.write(`more with --page ${options.page + 1}\n`);
  });
  return exitCodes.ok;
}
