/** Runs Postgres's programs and turns their failures into error messages. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Environment of the programs, without variables that configure Postgres, such as PGDATA, PGPORT or the message
 * language.
 */
export const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|TMPDIR)$/.test(name))),
  LC_ALL: "C",
};

/** Runs a program with a text as its input. Rejects with the program's own message. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { cwd, input = "" }: { cwd: string; input?: string },
): Promise<{ stdout: string; stderr: string }> {
  const running = promisify(execFile)(program, args, { cwd, env: environment, maxBuffer: Number.POSITIVE_INFINITY });
  running.child.stdin?.on("error", () => undefined);
  running.child.stdin?.end(input);

  return running.catch((error: Error & { stderr?: string; code?: unknown; signal?: string | null }) => {
    const { stderr = "", code, signal } = error;
    // A program that could not run has a system error code.
    if (typeof code === "string") throw error;
    throw new Error(wordsOf(stderr) || lastLine(stderr) || `${program}: ${signal ?? code}`);
  });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** The reason for a failure from a server's log, without paths of the emulator's own files. */
export function wordsOf(log: string): string {
  const lines = log.split("\n").flatMap((line) => {
    const match = /\b(FATAL|ERROR|PANIC|LOG|HINT|DETAIL|initdb: error|pg_ctl): +(.+)$/.exec(line);
    return match?.[2] ? [{ level: match[1] ?? "", text: match[2].replace(/ in file ".*?" line \d+/, "") }] : [];
  });
  const own = /^configuration file ".*" contains errors$|^(starting|listening|database system|terminating)/;
  const telling = lines.filter(({ text }) => !own.test(text));
  return telling.map(({ level, text }) => (level === "HINT" ? `(${text})` : text)).join(" ");
}
