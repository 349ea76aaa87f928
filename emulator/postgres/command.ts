/** Runs Postgres's programs, and makes a reason of what they say when they fail. */

import { spawn } from "node:child_process";

/** How a program is run. */
export interface CommandOptions {
  cwd: string;
  /** Text for its standard input. */
  input?: string;
}

/** What a program wrote. */
export interface Output {
  stdout: string;
  stderr: string;
}

/** What the programs have of the surroundings: nothing that steers a server, such as PGDATA, PGPORT or a language for its messages. */
export const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|TMPDIR)$/.test(name))),
  LC_ALL: "C",
};

/** Runs a program to its end. Rejects with its own words where it fails. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<Output> {
  const { cwd, input } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: environment });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (data) => {
      output.stdout += String(data);
    });
    child.stderr.on("data", (data) => {
      output.stderr += String(data);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(wordsOf(output.stderr) || lastLine(output.stderr) || `${program}: ${signal ?? code}`));
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
  });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** What a server's log says of its failure, without the names of the emulator's own files. */
export function wordsOf(log: string): string {
  const lines = log.split("\n").flatMap((line) => {
    const match = /\b(FATAL|ERROR|PANIC|LOG|HINT|DETAIL|initdb: error|pg_ctl): +(.+)$/.exec(line);
    return match?.[2] ? [{ level: match[1] ?? "", text: match[2].replace(/ in file ".*?" line \d+/, "") }] : [];
  });
  const own = /^configuration file ".*" contains errors$|^(starting|listening|database system|terminating)/;
  const telling = lines.filter(({ text }) => !own.test(text));
  return telling.map(({ level, text }) => (level === "HINT" ? `(${text})` : text)).join(" ");
}
