/** A command's environment: arguments, streams, questions, clock and account; tests replace it. */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openConfigured } from "../provider/config/open";
import type { Settings } from "../provider/config/resolve";
import { type Clock, systemClock } from "../provider/lib/clock";
import type { Account } from "../provider/platform/account";
import { CommandError, exitCodes } from "./exit-code";
import { ownCommand } from "./own-command";

/** This package's folder; the built command is as deep in it as this file. */
export const packageFolder = join(__dirname, "..");

/** A destination for text. */
export interface Sink {
  write(text: string): void;
  isTerminal: boolean;
  /** The terminal's width in characters; undefined without a terminal, or if unknown. */
  columns?(): number | undefined;
}

/** All that the commands use outside the process; tests replace it. */
export interface Shell {
  /** The arguments after the command's name. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** The command that messages print for this command line; `pgcompute` by default. */
  command?: string;
  /** The sink for results. */
  out: Sink;
  /** The sink for progress, questions and failures. */
  err: Sink;
  stdin: {
    isTerminal: boolean;
    /** Reads standard input to its end. */
    read(): Promise<Uint8Array>;
  };
  /** Asks a person at the terminal; `undefined` at the end of input. Throws a `CommandError` at Ctrl-C. */
  ask(question: string): Promise<string | undefined>;
  clock: Clock;
  /** Aborts at the first Ctrl-C, and when the reader of the results is gone. */
  signal: AbortSignal;
  open(settings: Settings, onWarning: (message: string) => void): Account;
}

/** The shell of this process. */
export function processShell(): Shell {
  const interrupted = new AbortController();
  // A second Ctrl-C ends the process at once, as is usual.
  process.once("SIGINT", () => interrupted.abort());
  // The reader of the results is gone, as with `| head`: end as at Ctrl-C, with the exit code so far.
  onClosed(process.stdout, () => interrupted.abort());
  // A lost reader of the progress stops no work.
  onClosed(process.stderr, () => {});

  return {
    args: process.argv.slice(2),
    env: process.env,
    command: ownCommand({ script: process.argv[1] ?? "", env: process.env, folder: process.cwd() }),
    out: sink(process.stdout),
    err: sink(process.stderr),
    stdin: { isTerminal: process.stdin.isTTY === true, read: readAll },
    ask: (question) => ask(question, { input: process.stdin, output: process.stderr }),
    clock: systemClock,
    signal: interrupted.signal,
    open: openConfigured,
  };
}

/** Asks on these streams, as `Shell.ask`. At a terminal, Ctrl-C arrives as a character, not as a signal. */
export async function ask(
  question: string,
  streams: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): Promise<string | undefined> {
  const lines = createInterface(streams);
  const answer = new Promise<string | undefined>((resolve, reject) => {
    lines.once("close", () => resolve(undefined));
    lines.once("SIGINT", () => {
      streams.output.write("\n");
      reject(new CommandError("interrupted, and nothing was done", exitCodes.interrupted));
    });
    lines.question(question, resolve);
  });
  return answer.finally(() => lines.close());
}

/** Calls `closed` when a pipe has lost its reader; every write then fails. */
function onClosed(stream: NodeJS.WriteStream, closed: () => void): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closed();
  });
}

function sink(stream: NodeJS.WriteStream): Sink {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    // Read each time: a window can be resized.
    columns: () => stream.columns,
  };
}

async function readAll(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
