/** Identifies a process by more than its id, so that a signal never reaches a later process with the same id. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process's command line; empty for an unknown id. */
export function commandOf(pid: number): string {
  return look(
    () => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim(),
    () => ps("args=", pid),
  );
}

/** A process's start time as the system has it; empty for an unknown id. */
export function startOf(pid: number): string {
  // The name, the second field, may contain blanks; it ends at the last bracket.
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
