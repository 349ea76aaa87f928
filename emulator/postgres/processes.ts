/** Identifies a process by more than its number, so that a signal never reaches a later process with the same number. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The command line of a process; empty where there is none of that number. */
export function commandOf(pid: number): string {
  return look(
    () => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim(),
    () => ps("args=", pid),
  );
}

/** When a process began, as the system tells it; empty where there is none of that number. */
export function startOf(pid: number): string {
  // The name, the second field, may have blanks; it ends with the last bracket.
  return look(
    () =>
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[19] ?? "",
    () => ps("lstart=", pid),
  );
}

function ps(what: string, pid: number): string {
  const env = { ...process.env, LC_ALL: "C" };
  return execFileSync("ps", ["-ww", "-o", what, "-p", String(pid)], { encoding: "utf8", env }).trim();
}

function look(onLinux: () => string, elsewhere: () => string): string {
  try {
    return process.platform === "linux" ? onLinux() : elsewhere();
  } catch {
    return "";
  }
}
