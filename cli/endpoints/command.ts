import type { Command } from "commander";
import { type ChangedEndpoint, start, suspend } from "../../provider/endpoint/change";
import { boundsOf, type Context, requestOptions } from "../../provider/endpoint/context";
import { remove } from "../../provider/endpoint/delete";
import { type EndpointIdentity, formatId } from "../../provider/endpoint/identity";
import type { Target } from "../../provider/endpoint/recovery";
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { callFunction } from "../../provider/functions/functions";
import type { FunctionResult } from "../../provider/functions/model";
import { formatFailures } from "../../provider/lib/failure";
import { cleanText } from "../../provider/lib/redact";
import { formatSize } from "../../provider/lib/wording";
import type { Account } from "../../provider/platform/account";
import type { RequestOptions } from "../../provider/platform/api";
import { isKind, PgComputeError } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, endpointOf, projectOf, withAccount } from "../account";
import { positiveNumber } from "../arguments";
import { branchIdOf } from "../branches/find";
import { CommandError, exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { nameTheCommand, showDefaultOptions } from "../subcommands";
import { formatTime, type Paint, paintFor, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { type Cell, type Column, printList } from "../terminal/table";

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
const TARGET = "PROJECT/ENDPOINT, or the endpoint's id with --project";

/** What can be done to an endpoint by hand: what it is called once it is done, and what it does. */
const actions = {
  suspend: {
    done: "suspended",
    change: suspend,
    description: "Suspends an endpoint and waits: its connections are dropped, and the next one wakes it.",
  },
  start: { done: "started", change: start, description: "Starts an endpoint and waits." },
  restart: {
    done: "restarted",
    change: restartWhole,
    description: "Suspends and starts an endpoint, and waits for both: its connections are dropped.",
  },
  delete: { done: "deleted", change: undefined, description: "Deletes an endpoint permanently, and waits." },
};

type EndpointAction = keyof typeof actions;

/** The host is the widest, and `endpoints show` has it. */
const endpointColumns: readonly Column[] = [
  { title: "Endpoint" },
  { title: "Branch", leaveOut: 4 },
  { title: "Type", leaveOut: 3 },
  { title: "State" },
  { title: "Size" },
  { title: "Autosuspend", leaveOut: 2 },
  { title: "Host", leaveOut: 1 },
];

/** Adds `endpoints list`, `endpoints show` and the commands for one endpoint. `ended` takes the exit code. */
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
  const show = endpoints
    .command("show")
    .description("Shows all that the platform reports of an endpoint.")
    .argument("<endpoint>", TARGET)
    .option("--json", "for machines");
  addAccountOptions(show).action(async (target: string, options: ListOptions) =>
    ended(await showEndpoint(shell, target, options)),
  );
  for (const action of Object.keys(actions) as EndpointAction[]) {
    const command = endpoints
      .command(action)
      .description(actions[action].description)
      .argument("<endpoint>", TARGET)
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
  const { signal } = shell;
  const records = await withAccount(shell, options, async ({ api }) => {
    const all = await api.listEndpoints(projectId, { signal });
    if (options.branch === undefined) return all;
    const wanted = await branchIdOf(api, projectId, options.branch, signal);
    return all.filter(({ branchId }) => branchId === wanted);
  });
  const paint = paintFor(shell, shell.out);
  const rows = records.map((record) => endpointRow(record, paint));
  printList(shell, { noun: "endpoints", columns: endpointColumns, rows, json: options.json && { endpoints: records } });
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
  else shell.out.write(`${actions[action].done} ${id}${after ? `: ${formatState(after)}` : ""}\n`);
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

async function showEndpoint(shell: Shell, target: string, options: ListOptions): Promise<number> {
  const { projectId, endpointId } = endpointOf(shell, target, options);
  const { result, failures } = await withAccount(shell, options, async (account) => {
    await findEndpoint(account, { projectId, endpointId }, { signal: shell.signal });
    return callFunction(account, "getEndpoint", { projectId, endpointId }, { signal: shell.signal });
  });
  if (!result) throw new PgComputeError("invalid_argument", formatFailures(failures));
  if (options.json) shell.out.write(toJson({ endpoint: result }));
  else shell.out.write(linesOf(result));
  return exitCodes.ok;
}

/** A line for each figure, with the names in one column. */
function linesOf(info: FunctionResult<"getEndpoint">): string {
  const rows = Object.entries(factsOf(info)).filter(([, text]) => text !== undefined && text !== "");
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text = ""]) => `${name.padEnd(width)}  ${cleanText(text)}\n`).join("");
}

function factsOf(info: FunctionResult<"getEndpoint">): Record<string, string | undefined> {
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max, pgSettings, maxConnections } = info;
  const settings = Object.entries(pgSettings).map(([name, value]) => `${name}=${value}`);
  const time = (iso: string | undefined) => (iso === undefined ? undefined : `${formatTime(iso)} UTC`);
  return {
    Endpoint: info.id,
    Name: info.name,
    Branch: info.branchId,
    Type: info.type,
    State: formatState(info),
    Host: info.host,
    "Pooled host": info.pooledHost,
    Size: formatSize(min, max),
    Memory:
      info.memoryGbMin === info.memoryGbMax
        ? `${info.memoryGbMin} GB`
        : `${info.memoryGbMin} to ${info.memoryGbMax} GB`,
    max_connections: maxConnections === undefined ? undefined : String(maxConnections),
    Autosuspend: formatDelay(info.suspendTimeoutSeconds),
    Pooler: `${info.poolerEnabled ? "on" : "off"} (${info.poolerMode})`,
    "Postgres settings": settings.join(", ") || "none",
    Region: info.regionId,
    Created: time(info.createdAt),
    Changed: time(info.updatedAt),
    "Last active": time(info.lastActive),
  };
}

/** The endpoint of this id, read within these bounds. Throws if the project does not have it. */
async function findEndpoint(
  account: Account,
  { projectId, endpointId }: EndpointIdentity,
  options: RequestOptions,
): Promise<EndpointRecord> {
  const { cache } = account.project(projectId);
  const found = await cache.confirm(endpointId, options);
  if (found) return found;
  // A project that is not there says so by its list.
  await cache.snapshot({ signal: options.signal });
  throw new PgComputeError(
    "not_found",
    `project ${projectId} has no endpoint ${endpointId}; \`pgcompute endpoints list\` shows those that it has`,
  );
}

/**
 * Acts on an endpoint and waits until every operation has ended well. Gives the endpoint as it is then; `undefined` after a
 * delete. Throws the errors of the API and of the wait.
 */
async function act(
  context: Context,
  action: EndpointAction,
  { projectId, id: endpointId, branchId, type }: EndpointRecord,
): Promise<EndpointRecord | undefined> {
  const target = { projectId, endpointId, branchId };
  const { change } = actions[action];
  if (!change) {
    await remove(context, { ...target, type });
    return undefined;
  }
  const { error } = await change(context, target);
  if (error) throw error;
  return context.account.api.getEndpoint(projectId, endpointId, requestOptions(context));
}

/** Suspends and starts. If that ends in between, the error says that the endpoint is suspended. */
async function restartWhole(context: Context, target: Target): Promise<ChangedEndpoint> {
  const suspended = await suspend(context, target);
  if (isKind(suspended.error, "operation_failed")) return suspended;
  try {
    if (suspended.error) throw suspended.error;
    return await start(context, target);
  } catch (error) {
    if (error instanceof PgComputeError) {
      const id = formatId(target);
      error.advise(`${id} is left suspended. Start it, run: pgcompute endpoints start ${id}`);
    }
    throw error;
  }
}

/** What of an endpoint tells its state. */
type StateFields = { [F in "currentState" | "pendingState" | "disabled"]?: EndpointRecord[F] | undefined };

/** An endpoint as a row. */
function endpointRow(endpoint: EndpointRecord, paint: Paint): Cell[] {
  const { id, branchId, type, host, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = endpoint;
  return [
    id,
    branchId,
    type,
    { text: formatState(endpoint), paint: statePaint(endpoint, paint) },
    min === undefined || max === undefined ? "not told" : formatSize(min, max),
    formatDelay(endpoint.suspendTimeoutSeconds),
    host ?? "not told",
  ];
}

/** When it suspends: `300 s`, or `never`. */
function formatDelay(seconds: number | undefined): string {
  const delay = effectiveSuspendSeconds(seconds);
  return delay === "never" ? delay : `${delay} s`;
}

/** The state as the platform's console writes it (specification, section 2.3): `Active`, or `Idle -> Active` on the way. */
function formatState(endpoint: StateFields): string {
  const { currentState, pendingState, disabled } = endpoint;
  const state = currentState === undefined ? "not told" : capitalised(currentState);
  const next = pendingState === undefined || pendingState === currentState ? "" : ` -> ${capitalised(pendingState)}`;
  return `${state}${next}${disabled ? " (disabled)" : ""}`;
}

function statePaint({ currentState, pendingState }: EndpointRecord, paint: Paint) {
  if (pendingState !== undefined && pendingState !== currentState) return paint.yellow;
  return currentState === "active" ? paint.green : undefined;
}

function capitalised(state: string): string {
  return state.charAt(0).toUpperCase() + state.slice(1);
}
