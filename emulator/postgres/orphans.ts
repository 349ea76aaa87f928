/** Servers that outlived their emulator: the next one on the same folder ends them, and nobody else's. */

import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand } from "./command";
import { commandOf } from "./process-command";
import type { ServerHost } from "./server";

const PID_FILE = "postmaster.pid";

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
