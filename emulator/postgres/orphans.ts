/**
 * Servers that outlive their emulator. A shell ends them where the emulator was killed; those that it could not end, the next emulator on
 * the same folder does, and nobody else's. A server is known by its number, its start and its command line.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { commandOf, startOf } from "./processes";

/** The file that identifies the server process on a data directory. */
const MARK = "server.process";

// It is told of each server as that starts, and reads until the emulator has gone, for whatever reason, since that closes the pipe;
// then it ends those that still are who they were. `-INT` is Postgres's fast shutdown. `end` says that there is nothing to end.
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

/** Ends an emulator's servers where it cannot do that itself. */
export interface Watch {
  /** Tells of a server that has just started. */
  tell(pid: number): void;
  /** Sends the shell away: the folder may be another emulator's from then on. */
  end(): Promise<void>;
}

/** Has a shell end the servers when this process ends without doing so itself, killed for instance, and remove the folder `run`. */
export function watchOver(run: string): Watch {
  const watchdog = spawn("/bin/sh", ["-c", SCRIPT, "sh", run], {
    // A signal to the emulator's whole group, such as Ctrl-C, is not for it.
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
      // Nothing else may be left that keeps this process alive until then.
      watchdog.ref();
      watchdog.stdin?.end("end\n");
      await ended;
    },
  };
}

/** Writes down who the server on a data directory is, for the emulators after this one. */
export function markServer(data: string, pid: number): void {
  writeFileSync(join(data, MARK), `${pid} ${startOf(pid)}`, { mode: 0o600 });
}

/** Ends the servers that an emulator before this one has left in `folder`. */
export async function endOrphans(folder: string): Promise<void> {
  await Promise.all(
    marksIn(folder).map(async (mark) => {
      const data = dirname(mark);
      const [pid = "", start] = readFileSync(mark, "utf8").split(/ (.*)/s);
      // The number may be another process's by now.
      const lives = () => startOf(Number(pid)) === start && commandOf(Number(pid)).includes(` -D ${data} `);
      for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
        if (lives()) process.kill(Number(pid), signal);
        for (let tries = 0; tries < 600 && lives(); tries++) await pause(100);
      }
      rmSync(mark, { force: true });
      // Postgres would take any process of that number for a server that still runs there.
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
