import type { Command } from "commander";
import { type ChangedEndpoint, start, suspend } from "../../provider/endpoint/change";
import { boundsOf, type Context, requestOptions } from "../../provider/endpoint/context";
import { type DeleteRequest, remove } from "../../provider/endpoint/delete";
import { formatId, idOf } from "../../provider/endpoint/identity";
import { toState } from "../../provider/endpoint/mapping";
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { cleanText, withoutKey } from "../../provider/lib/redact";
import { commandLines } from "../../provider/lib/wording";
import { isKind, PgComputeError } from "../../provider/platform/errors";
import { GB_PER_CU } from "../../provider/platform/profiles/profile";
import type { EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addTellingOptions, commandFor, endpointOf, projectOf, withAccount } from "../account";
import { adviseWait } from "../advice";
import { makeUsual, positiveNumber } from "../arguments";
import { branchIdOf } from "../branches";
import { CommandError, exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { formatTime, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { type Column, printList } from "../terminal/table";

interface ActOptions extends AccountOptions {
  timeout?: number;
  yes?: boolean;
}

/** A command on one endpoint, and the word for its completion. */
interface Action {
  done: string;
  description: string;
  act(context: Context, target: DeleteRequest & { branchId: string }): Promise<Pick<ChangedEndpoint, "error">>;
}

const MS_PER_SECOND = 1_000;
const TARGET = "PROJECT/ENDPOINT, or the endpoint's id with --project";

const actions: Readonly<Record<string, Action>> = {
  suspend: {
    done: "suspended",
    act: suspend,
    description: "Suspends an endpoint and waits: its connections are dropped, and the next one wakes it.",
  },
  start: { done: "started", act: start, description: "Starts an endpoint and waits." },
  restart: {
    done: "restarted",
    act: restart,
    description: "Suspends and starts an endpoint, and waits for both: its connections are dropped.",
  },
  delete: {
    done: "deleted",
    act: async (context, target) => {
      await remove(context, target);
      return {};
    },
    description: "Deletes an endpoint permanently, and waits.",
  },
};

/** Columns of the list. The host, the widest value, is only in `endpoints show`. */
const columns: readonly Column<EndpointRecord>[] = [
  { title: "Endpoint", of: ({ id }) => id },
  { title: "Branch", of: ({ branchId }) => branchId, leaveOut: 4 },
  { title: "Type", of: ({ type }) => type, leaveOut: 3 },
  { title: "State", of: (endpoint) => ({ text: formatState(endpoint), colour: colourOf(endpoint) }) },
  { title: "Size", of: (endpoint) => formatRange(endpoint, 1, "CU") },
  { title: "Autosuspend", of: formatDelay, leaveOut: 2 },
  { title: "Host", of: ({ host }) => host ?? "not told", leaveOut: 1 },
];

/** Rows that `endpoints show` prints for values that the endpoint has. */
const further: Readonly<Record<string, (endpoint: EndpointRecord) => unknown>> = {
  "Pooled host": ({ pooledHost }) => pooledHost,
  Memory: (endpoint) => formatRange(endpoint, GB_PER_CU, "GB"),
  max_connections: ({ maxConnections }) => maxConnections,
  Pooler: ({ poolerEnabled, poolerMode = "mode not told" }) => `${poolerEnabled ? "on" : "off"} (${poolerMode})`,
  "Postgres settings": ({ pgSettings = {} }) =>
    Object.entries(pgSettings)
      .map(([name, value]) => `${name}=${value}`)
      .join(", ") || "none",
  Region: ({ regionId }) => regionId,
  Name: ({ name }) => name,
  Created: ({ createdAt }) => createdAt && `${formatTime(createdAt)} UTC`,
  Changed: ({ updatedAt }) => updatedAt && `${formatTime(updatedAt)} UTC`,
  "Last active": ({ lastActive }) => (lastActive ? `${formatTime(lastActive)} UTC` : "never"),
  Id: idOf,
};

/** Adds `endpoints list`, `endpoints show` and the commands for one endpoint. */
export function addEndpoints(program: Command, shell: Shell): void {
  const endpoints = program.command("endpoints").description("Lists a project's endpoints, shows one, or acts on one.");
  const list = endpoints
    .command("list", { isDefault: true })
    .description("Lists a project's endpoints: state, size, host.")
    .option("--branch <id>", "only those of this branch, by id or name");

  addTellingOptions(list).action(async (options: AccountOptions & { branch?: string }) => {
    const projectId = projectOf(shell, options);
    const { signal } = shell;

    const all = await withAccount(shell, options, async ({ api }) => {
      const records = await api.listEndpoints(projectId, { signal });
      if (options.branch === undefined) return records;
      const wanted = await branchIdOf(api, projectId, options.branch, signal);
      return records.filter(({ branchId }) => branchId === wanted);
    });
    printList(shell, { noun: "endpoints", columns, all, json: options.json && { endpoints: all } });
  });

  const show = endpoints
    .command("show")
    .description("Shows all that the platform reports of an endpoint.")
    .argument("<endpoint>", TARGET);

  addTellingOptions(show).action((target: string, options: AccountOptions) => showEndpoint(shell, target, options));
  for (const [name, { description }] of Object.entries(actions)) {
    const command = endpoints
      .command(name)
      .description(description)
      .argument("<endpoint>", TARGET)
      .option("--timeout <seconds>", "give up waiting after so long (default: 600)", positiveNumber("--timeout"))
      .addHelpText("after", "\nExit codes: 0 done; 1 refused, failed or not there; 4 timed out;\n130 interrupted.");
    if (name === "delete") command.option("--yes", "do not ask; needed where there is no terminal to ask at");
    addTellingOptions(command).action((target: string, options: ActOptions) => actOn(shell, name, target, options));
  }
  makeUsual(list, endpoints);
}

async function showEndpoint(shell: Shell, target: string, options: AccountOptions): Promise<void> {
  const { projectId, endpointId } = endpointOf(shell, target, options);
  const { signal } = shell;
  const record = await withAccount(shell, options, ({ api }) => api.getEndpoint(projectId, endpointId, { signal }));
  const endpoint: EndpointRecord = { ...record, pooledHost: toState(record).pooledHost };
  if (options.json) {
    shell.out.write(toJson({ endpoint }));
    return;
  }

  const textOf = ({ of }: Column<EndpointRecord>) => {
    const cell = of(endpoint);
    return typeof cell === "string" ? cell : cell.text;
  };

  const figures = [
    ...columns.map((column) => [column.title, textOf(column)]),
    ...Object.entries(further).map(([name, of]) => [name, of(endpoint) ?? ""]),
  ];

  const width = Math.max(...Object.keys(further).map(({ length }) => length));
  for (const [name, value] of figures)
    if (value !== "")
      shell.out.write(
        `${String(name).padEnd(width)}  ${cleanText(String(value), undefined, shell.env.PGCOMPUTE_API_KEY)}\n`,
      );
}

/** Runs a command on an endpoint and waits until its operations succeed. Throws the API's and the wait's errors. */
async function actOn(shell: Shell, action: string, target: string, options: ActOptions): Promise<void> {
  const { done, act } = actions[action] as Action;
  const identity = endpointOf(shell, target, options);
  const { projectId, endpointId } = identity;
  const id = formatId(identity);
  const progress = openProgress(shell.err);

  const after = await withAccount(shell, options, async (account) => {
    const { api, settings } = account;
    const say = (message: string) => progress.show(id, message);
    const timeoutMs = (options.timeout ?? settings.operationTimeoutSeconds) * MS_PER_SECOND;

    const fromNow = (): Context => ({
      account,
      reporter: { info: say, warn: say, status: progress.tick },
      signal: shell.signal,
      ...boundsOf(account, timeoutMs),
    });

    const endpoint = await api.getEndpoint(projectId, endpointId, requestOptions(fromNow()));
    // The timeout starts after the answer to the question.
    if (action === "delete") await confirm(shell, endpoint, options);

    say(`${action} ${id}`);
    const context = fromNow();
    const { branchId, type } = endpoint;
    try {
      const { error } = await act(context, { projectId, endpointId, branchId, type });
      if (error) throw error;
    } catch (error) {
      if (error instanceof PgComputeError) adviseWait(error, account, projectId);
      throw error;
    }
    return action === "delete" ? undefined : api.getEndpoint(projectId, endpointId, requestOptions(context));
  }).finally(() => progress.end());

  if (options.json) shell.out.write(toJson({ id, action, ...(after && { endpoint: after }) }));
  else {
    const line = `${done} ${id}${after ? `: ${formatState(after)}` : ""}`;
    shell.out.write(`${withoutKey(line, shell.env.PGCOMPUTE_API_KEY)}\n`);
  }
}

async function confirm(shell: Shell, endpoint: EndpointRecord, { yes }: ActOptions): Promise<void> {
  if (yes) return;
  if (!shell.stdin.isTerminal || !shell.err.isTerminal) {
    throw new CommandError("delete asks first, and there is no terminal to ask at: give --yes", exitCodes.usage);
  }
  const what = `${idOf(endpoint)} (${formatState(endpoint)}, host ${endpoint.host ?? "not told"})`;
  const answer = await shell.ask(`Delete endpoint ${what} permanently? Type yes: `);
  if (answer?.trim().toLowerCase() !== "yes") throw new CommandError("nothing was deleted");
}

/** Suspends and starts. If the start fails, the error says that the endpoint is suspended. */
async function restart(context: Context, target: Parameters<typeof start>[1]): Promise<ChangedEndpoint> {
  const suspended = await suspend(context, target);
  if (isKind(suspended.error, "operation_failed")) return suspended;
  try {
    if (suspended.error) throw suspended.error;
    return await start(context, target);
  } catch (error) {
    if (error instanceof PgComputeError) {
      const id = formatId(target);
      error.advise(
        `${id} is left suspended. To start it, run:${commandLines(commandFor(context.account, `endpoints start ${id}`))}`,
      );
    }
    throw error;
  }
}

/** The size in CU, or another figure in proportion to it. */
function formatRange(endpoint: EndpointRecord, perCu: number, unit: string): string {
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = endpoint;
  if (min === undefined || max === undefined) return "not told";
  return `${min === max ? "" : `${min * perCu} to `}${max * perCu} ${unit}`;
}

/** The autosuspend delay: `300 s`, or `never`. */
function formatDelay({ suspendTimeoutSeconds }: EndpointRecord): string {
  const delay = effectiveSuspendSeconds(suspendTimeoutSeconds);
  return delay === "never" ? delay : `${delay} s`;
}

/**
 * The state as in the platform's console (specification, section 2.3): `Active`, or `Idle -> Active` during a change.
 */
function formatState({ currentState = "not told", pendingState = currentState, disabled }: EndpointRecord): string {
  const states = [...new Set([currentState, pendingState])].map(
    (state) => state.charAt(0).toUpperCase() + state.slice(1),
  );
  return `${states.join(" -> ")}${disabled ? " (disabled)" : ""}`;
}

function colourOf({ currentState, pendingState = currentState }: EndpointRecord) {
  if (pendingState !== currentState) return "yellow";
  return currentState === "active" ? "green" : undefined;
}
