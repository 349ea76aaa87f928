import { Command, CommanderError } from "commander";
import { cleanLines, cleanText, KEY_FORM, withoutKey } from "../provider/lib/redact";
import { isKind, PgComputeError } from "../provider/platform/errors";
import { version } from "../provider/version";
import { refuseKeyArgument } from "./account";
import { messageOf, withGivenAccount } from "./advice";
import { addProjectsAndBranches } from "./branches";
import { addEndpoints } from "./endpoints/command";
import { CommandError, exitCodes } from "./exit-code";
import { addImportFile } from "./import-file/command";
import { addInit } from "./init/command";
import { addOperations } from "./operations/command";
import { withOwnCommand } from "./own-command";
import { addReview } from "./review/command";
import { processShell, type Shell, type Sink } from "./shell";
import { addState } from "./state/command";

// For tests, which run the built command with a shell of their own.
export { openConfigured } from "../provider/config/open";

const LONGEST_MESSAGE = 4_000;
/** Maximum width of help text. */
const HELP_COLUMNS = 80;

/** Runs this process's command line. */
export async function main(): Promise<void> {
  // Not process.exit, which may cut output to a pipe.
  process.exitCode = await run(processShell());
}

/** Runs the command line and returns its exit code. Failures go to `err`; nothing is thrown. */
export async function run(given: Shell): Promise<number> {
  const shell = { ...given, err: asRead(given) };
  let code: number = exitCodes.ok;
  try {
    refuseKeyArgument(shell.args);
    const program = createProgram(shell, (ended) => {
      code = ended;
    });
    await program.parseAsync([...shell.args], { from: "user" });
    return code;
  } catch (error) {
    return failed(shell, error);
  }
}

function createProgram(shell: Shell, done: (code: number) => void): Command {
  const program = new Command("pgcompute")
    .description(
      "Postgres compute endpoints: reviews planned changes, lists what a project has, and acts on an endpoint.",
    )
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.out.write(text),
      writeErr: (text) => shell.err.write(text),
      outputError: (text, write) =>
        write(`pgcompute: ${cleanText(text.trim().replace(/^error: |\.$/g, ""), LONGEST_MESSAGE)}; see --help\n`),
      getOutHelpWidth: () => helpWidth(shell.out),
      getErrHelpWidth: () => helpWidth(shell.err),
    });

  addReview(program, shell, done);
  addInit(program, shell);
  addImportFile(program, shell);
  addProjectsAndBranches(program, shell);
  addOperations(program, shell, done);
  addEndpoints(program, shell);
  addState(program, shell);
  return program;
}

/**
 * The sink for messages: without keys, misplaced ones too, and with commands that run where the reader is. On `out`,
 * tables hide the key themselves, and JSON stays intact.
 */
function asRead({ err, env, command = "pgcompute" }: Shell): Sink {
  const shown = (text: string) => withoutKey(text, env.PGCOMPUTE_API_KEY).replace(KEY_FORM, "[API key]");
  return { ...err, write: (text) => err.write(withOwnCommand(shown(text), command)) };
}

function helpWidth({ columns }: Sink): number {
  return Math.min(columns?.() || HELP_COLUMNS, HELP_COLUMNS);
}

function failed({ args, err, signal }: Shell, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof PgComputeError || error instanceof CommandError) {
    const message = error instanceof CommandError ? error.message : messageOf(error);
    err.write(`pgcompute: ${cleanLines(withGivenAccount(message, args), LONGEST_MESSAGE)}\n`);
    if (error instanceof CommandError) return error.exitCode;
    if (isKind(error, "cancelled") && signal.aborted) return exitCodes.interrupted;
    if (isKind(error, "invalid_argument")) return exitCodes.usage;
    // A lock that lasts until the timeout counts as one.
    return isKind(error, "operation_timeout", "timeout", "locked") ? exitCodes.timeout : exitCodes.failed;
  }

  err.write(
    `pgcompute: this is a bug in pgcompute, please report it: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return exitCodes.failed;
}
