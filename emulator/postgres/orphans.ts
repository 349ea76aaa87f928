/**
 * Servers that outlive their emulator, identified by process id, start time and command line. A shell or the next
 * emulator ends them.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { commandOf, startOf } from "./processes";

/** The file that identifies a data directory's server process. */
const MARK = "server.process";

// It reads each server's id as the server starts. When the emulator is gone, which closes the pipe, it ends the servers
// that are still the same processes. `-INT` is Postgres's fast shutdown. `end` cancels.
const SCRIPT = `
start_of() {
  if [ -r "/proc/$1/stat" ]; then sed 's/^.*) //' "/proc/$1/stat" | cut -d ' ' -f 20
  else LC_ALL=C ps -o lstart= -p "$1"; fi
}
servers=
while read -r line; do
  [ "$line" = end ] && exit 0
  servers="$servers$line
"
done
printf %s "$servers" | while read -r pid start; do
  [ "$(start_of "$pid" 2> /dev/null)" = "$start" ] && kill -INT "$pid" 2> /dev/null
done
for wait in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1" 2> /dev/null && exit 0
  sleep 1
done
`;

/** A watchdog that ends an emulator's servers after its death. */
export interface Watch {
  /** Registers a server that has just started. */
  tell(pid: number): void;
  /** Ends the watchdog: another emulator may then take the folder. */
  end(): Promise<void>;
}

/** Starts a shell that ends the servers and removes the folder `run` if this process is killed. */
export function watchOver(run: string): Watch {
  const watchdog = spawn("/bin/sh", ["-c", SCRIPT, "sh", run], {
    // In its own group, so that Ctrl-C does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
  });

  const ended = once(watchdog, "exit").catch(() => undefined);
  watchdog.stdin?.on("error", () => undefined);
  watchdog.unref();
  if (watchdog.stdin && "unref" in watchdog.stdin && typeof watchdog.stdin.unref === "function") watchdog.stdin.unref();

  return {
    tell: (pid) => void watchdog.stdin?.write(`${pid} ${startOf(pid)}\n`),
    end: async () => {
      // This process must stay alive until then.
      watchdog.ref();
      watchdog.stdin?.end("end\n");
      await ended;
    },
  };
}

/** Records a data directory's server for later emulators. */
export function markServer(data: string, pid: number): void {
  writeFileSync(join(data, MARK), `${pid} ${startOf(pid)}`, { mode: 0o600 });
}

/** Ends the servers that an earlier emulator left in `folder`. */
export async function endOrphans(folder: string): Promise<void> {
  await Promise.all(
    marksIn(folder).map(async (mark) => {
      const data = dirname(mark);
      const [pid = "", start] = readFileSync(mark, "utf8").split(/ (.*)/s);
      // The process id may belong to another process by now.
      const lives = () => startOf(Number(pid)) === start && commandOf(Number(pid)).includes(` -D ${data} `);
      for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
        if (lives()) process.kill(Number(pid), signal);
        for (let tries = 0; tries < 600 && lives(); tries++) await pause(100);
      }

      rmSync(mark, { force: true });
      // Postgres would take any process with that id for a running server.
      rmSync(join(data, "postmaster.pid"), { force: true });
    }),
  );
}

// Below the folder: data-N / project / branch / directory.
function marksIn(folder: string, depth = 4): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some((entry) => entry.name === MARK && entry.isFile())) return [join(folder, MARK)];
  if (depth === 0) return [];
  return entries.flatMap((entry) => (entry.isDirectory() ? marksIn(join(folder, entry.name), depth - 1) : []));
}
