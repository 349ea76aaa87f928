import type { Command } from "commander";
import { boundsOf, type Context, requestOptions } from "../../provider/endpoint/context";
import { formatId } from "../../provider/endpoint/identity";
import { FRESH_MS } from "../../provider/platform/project/endpoint-cache";
import { type AccountOptions, addAccountOptions, endpointOf, projectOf, withAccount } from "../account";
import { positiveNumber } from "../arguments";
import { branchIdOf } from "../branches/find";
import { CommandError, exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { nameTheCommand, showDefaultOptions } from "../subcommands";
import { paintFor, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { printTable } from "../terminal/table";
import { act, type EndpointAction, endpointActions, findEndpoint } from "./act";
import { endpointColumns, endpointRow, formatState } from "./rows";
import { addShow } from "./show";

interface ListOptions extends AccountOptions {
  branch?: string;
  json?: boolean;
}

interface ActOptions extends AccountOptions {
  timeout?: number;
  yes?: boolean;
  json?: boolean;
}

const MS_PER_SECOND = 1_000;

const descriptions: Readonly<Record<EndpointAction, string>> = {
  suspend: "Suspends an endpoint and waits: its connections are dropped, and the next one wakes it.",
  start: "Starts an endpoint and waits.",
  restart: "Suspends and starts an endpoint, and waits for both: its connections are dropped.",
  delete: "Deletes an endpoint permanently, and waits.",
};

const done = { suspend: "suspended", start: "started", restart: "restarted", delete: "deleted" };

/** Adds `endpoints list`, `endpoints show` and what acts on one endpoint. `ended` takes the exit code. */
export function addEndpoints(program: Command, shell: Shell, ended: (code: number) => void): void {
  const endpoints = program.command("endpoints").description("Lists a project's endpoints, shows one, or acts on one.");
  const list = endpoints
    .command("list", { isDefault: true })
    .description("Lists a project's endpoints: state, size, host.")
    .option("--branch <id>", "only those of this branch, by id or name")
    .option("--json", "for machines");
  addAccountOptions(list).action(async (options: ListOptions) => {
    nameTheCommand(list);
    ended(await listEndpoints(shell, options));
  });
  addShow(endpoints, shell, ended);
  for (const action of endpointActions) {
    const command = endpoints
      .command(action)
      .description(descriptions[action])
      .argument("<endpoint>", "PROJECT/ENDPOINT, or the endpoint's id with --project")
      .option("--timeout <seconds>", "give up waiting after so long (default: 600)", positiveNumber("--timeout"))
      .option("--json", "for machines")
      .addHelpText("after", "\nExit codes: 0 done; 1 refused, failed or not there; 4 timed out;\n130 interrupted.");
    if (action === "delete") command.option("--yes", "do not ask; needed where there is no terminal to ask at");
    addAccountOptions(command).action(async (target: string, options: ActOptions) =>
      ended(await actOn(shell, action, target, options)),
    );
  }
  showDefaultOptions(endpoints, list);
}

async function listEndpoints(shell: Shell, options: ListOptions): Promise<number> {
  const projectId = projectOf(shell, options);
  const records = await withAccount(shell, options, async (account) => {
    const { clock, project } = account;
    const snapshot = await project(projectId).cache.snapshot({ sinceMs: clock.now() - FRESH_MS });
    if (options.branch === undefined) return snapshot.all();
    return snapshot.onBranch(await branchIdOf(account.api, projectId, options.branch, shell.signal));
  });
  const paint = paintFor(shell, shell.out);
  if (options.json) shell.out.write(toJson({ endpoints: records }));
  else if (records.length === 0) shell.err.write("no endpoints\n");
  else
    printTable(
      shell,
      endpointColumns,
      records.map((record) => endpointRow(record, paint)),
    );
  return exitCodes.ok;
}

async function actOn(shell: Shell, action: EndpointAction, target: string, options: ActOptions): Promise<number> {
  const { projectId, endpointId } = endpointOf(shell, target, options);
  const id = formatId({ projectId, endpointId });
  const progress = openProgress(shell.err);
  const after = await withAccount(shell, options, async (account) => {
    const say = (message: string) => progress.show(id, message);
    const timeoutMs = (options.timeout ?? account.settings.operationTimeoutSeconds) * MS_PER_SECOND;
    const fromNow = (): Context => ({
      account,
      reporter: { info: say, warn: say, status: progress.tick },
      signal: shell.signal,
      ...boundsOf(account, timeoutMs),
    });
    const endpoint = await findEndpoint(account, { projectId, endpointId }, requestOptions(fromNow()));
    // A person may take long to answer, and the time that was given is not theirs.
    if (action === "delete")
      await confirm(shell, `${id} (${formatState(endpoint)}, host ${endpoint.host ?? "not told"})`, options);
    progress.show(id, `${action} ${id}`);
    return act(fromNow(), action, endpoint);
  }).finally(() => progress.end());
  if (options.json) shell.out.write(toJson({ id, action, ...(after && { endpoint: after }) }));
  else shell.out.write(`${done[action]} ${id}${after ? `: ${formatState(after)}` : ""}\n`);
  return exitCodes.ok;
}

async function confirm(shell: Shell, what: string, { yes }: ActOptions): Promise<void> {
  if (yes) return;
  if (!shell.stdin.isTerminal || !shell.err.isTerminal) {
    throw new CommandError("delete asks first, and there is no terminal to ask at: give --yes", exitCodes.usage);
  }
  const answer = await shell.ask(`Delete endpoint ${what} permanently? Type yes: `);
  if (answer?.trim().toLowerCase() !== "yes") throw new CommandError("nothing was deleted");
}
