import { spawn } from "node:child_process";

// It reads until the emulator has gone, for whatever reason, since that closes the pipe; then it ends the servers whose
// data lie in the folder. `-INT` is Postgres's fast shutdown.
const SCRIPT = `
cat > /dev/null
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
 * such shell, and servers of a killed emulator stay until the next one on the same folder.
 */
export function watchOver(folder: string, kept: boolean): void {
  if (process.platform === "win32") return;
  const watchdog = spawn("/bin/sh", ["-c", SCRIPT, "sh", folder, kept ? "kept" : "temporary"], {
    // A signal to the emulator's whole group, such as Ctrl-C, is not for it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
  });
  watchdog.on("error", () => undefined);
  watchdog.stdin?.on("error", () => undefined);
  watchdog.unref();
  if (watchdog.stdin && "unref" in watchdog.stdin && typeof watchdog.stdin.unref === "function") watchdog.stdin.unref();
}
