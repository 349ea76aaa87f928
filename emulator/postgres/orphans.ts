/**
 * Servers that outlive their emulator. A shell ends them where the emulator was killed; those that it could not end, the next emulator on
 * the same folder does, and nobody else's.
 */

import { spawn } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand } from "./command";
import { commandOf } from "./process-command";
import type { ServerHost } from "./server";

const PID_FILE = "postmaster.pid";

// It reads until the emulator has gone, for whatever reason, since that closes the pipe; then it ends the servers whose
// data lie in the folder. `-INT` is Postgres's fast shutdown. A line says that there is nothing to end.
const SCRIPT = `
read -r line && exit 0
for file in "$1"/data-*/*/*/*/postmaster.pid; do
  [ -f "$file" ] && kill -INT "$(head -n 1 "$file")" 2> /dev/null
done
[ "$2" = temporary ] || exit 0
for wait in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1" 2> /dev/null && exit 0
  sleep 1
done
`;

/**
 * Has a shell end the servers when this process ends without doing so itself, killed for instance. On Windows there is no
 * such shell, and servers of a killed emulator stay until the next one on the same folder. Returns what sends the shell away: the
 * folder may be another emulator's from then on.
 */
export function watchOver(folder: string, kept: boolean): () => Promise<void> {
  if (process.platform === "win32") return async () => undefined;
  const watchdog = spawn("/bin/sh", ["-c", SCRIPT, "sh", folder, kept ? "kept" : "temporary"], {
    // A signal to the emulator's whole group, such as Ctrl-C, is not for it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
  });
  const ended = new Promise<void>((resolve) => {
    watchdog.once("exit", () => resolve());
    watchdog.once("error", () => resolve());
  });
  watchdog.stdin?.on("error", () => undefined);
  watchdog.unref();
  if (watchdog.stdin && "unref" in watchdog.stdin && typeof watchdog.stdin.unref === "function") watchdog.stdin.unref();
  return () => {
    // Nothing else may be left that keeps this process alive until then.
    watchdog.ref();
    watchdog.stdin?.end("\n");
    return ended;
  };
}

/** Ends the servers whose data lie in `folder`. Returns their data directories. */
export async function endOrphans(host: ServerHost, folder: string): Promise<string[]> {
  const files = await pidFiles(folder);
  const ended = files.map(async (file) => {
    const data = dirname(file);
    const pid = Number((await readFile(file, "utf8")).split("\n", 1)[0]);
    // The number may be another process's by now.
    const alive = commandOf(pid).includes(data);
    if (alive) {
      const where = { account: host.account, cwd: data };
      const stop = (mode: string) =>
        runCommand(host.install.pgCtl, ["stop", "-D", data, "-s", "-w", "-m", mode], where);
      await stop("fast").catch(() => stop("immediate"));
    }
    await rm(file, { force: true });
    return alive ? [data] : [];
  });
  return (await Promise.all(ended)).flat();
}

// Below the folder: data-N / project / branch / directory.
async function pidFiles(folder: string, depth = 4): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === PID_FILE)) return [join(folder, PID_FILE)];
  if (depth === 0) return [];
  const folders = entries.filter((entry) => entry.isDirectory());
  return (await Promise.all(folders.map(({ name }) => pidFiles(join(folder, name), depth - 1)))).flat();
}
