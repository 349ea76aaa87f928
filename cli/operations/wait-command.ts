import type { Command } from "commander";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import { positiveNumber } from "../arguments";
import type { Shell } from "../shell";
import { formatDuration, paintFor, toJson } from "../terminal/output";
import { openProgress } from "../terminal/progress";
import { printTable } from "../terminal/table";
import { durationMs } from "./rows";
import { exitCodeOf, type Waited, waitForOperations } from "./wait";

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
