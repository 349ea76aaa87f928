/** The shell that a command runs in: arguments, streams, questions, clock and account; tests replace it. */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openConfigured } from "../provider/config/open";
import type { Settings } from "../provider/config/resolve";
import { type Clock, systemClock } from "../provider/lib/clock";
import type { Account } from "../provider/platform/account";
import { CommandError, exitCodes } from "./exit-code";

/** The folder of this package: the command's bundle lies as deep in it as this file. */
export const packageFolder = join(__dirname, "..");

/** A destination for text. */
export interface Sink {
  write(text: string): void;
  isTerminal: boolean;
  /** Characters of a terminal's line; absent where there is none, or where it does not say. */
  columns?(): number | undefined;
}

/** Everything outside the process that the commands use; tests replace it. */
export interface Shell {
  /** The arguments after the command's name. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** For results. */
  out: Sink;
  /** For progress, questions and failures. */
  err: Sink;
  stdin: {
    isTerminal: boolean;
    /** Reads standard input to its end. */
    read(): Promise<Uint8Array>;
  };
  /** Asks a person at the terminal; `undefined` for an end without an answer. Throws a `CommandError` at Ctrl-C. */
  ask(question: string): Promise<string | undefined>;
  clock: Clock;
  /** Aborted by the first Ctrl-C, and where nobody reads the results any more. */
  signal: AbortSignal;
  open(settings: Settings, onWarning: (message: string) => void): Account;
}

/** The shell of this process. */
export function processShell(): Shell {
  const interrupted = new AbortController();
  // The second one ends the process at once, as the first would without this.
  process.once("SIGINT", () => interrupted.abort());
  // The reader has gone, as in `pgcompute operations --follow | head`: end as at Ctrl-C, with the exit code so far.
  onClosed(process.stdout, () => interrupted.abort());
  // That nobody reads its progress ends nothing that is under way.
  onClosed(process.stderr, () => {});
  return {
    args: process.argv.slice(2),
    env: process.env,
    out: sink(process.stdout),
    err: sink(process.stderr),
    stdin: { isTerminal: process.stdin.isTTY === true, read: readAll },
    ask: (question) => ask(question, { input: process.stdin, output: process.stderr }),
    clock: systemClock,
    signal: interrupted.signal,
    open: openConfigured,
  };
}

/** Asks on these streams, as `Shell.ask` does. At a terminal, Ctrl-C is a character that is read, and no signal to the process. */
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

/** A pipe that nobody reads any more tells so at every write. */
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
    // Asked for each time, since a window can be resized.
    columns: () => stream.columns,
  };
}

async function readAll(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
