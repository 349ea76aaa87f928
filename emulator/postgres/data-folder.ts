/** The folder of an emulator's servers: a temporary one that goes with it, or one that stays. */

import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { commandOf } from "./process-command";

/** A folder that one emulator has to itself. */
export interface DataFolder {
  path: string;
  /** Whether it stays when the emulator ends. */
  kept: boolean;
}

const LOCK = "emulator.lock";

/** The folders that emulators of this process have. */
const taken = new Set<string>();

/** Takes a folder: the given one, or a new temporary one. Rejects when another emulator that runs has it. */
export async function takeFolder(data: string | undefined): Promise<DataFolder> {
  if (data === undefined) {
    const path = mkdtempSync(join(tmpdir(), "pgcompute-postgres-"));
    // Whoever runs the servers has to get to what is below; that is closed to everybody else.
    await chmod(path, 0o711);
    return { path, kept: false };
  }
  const path = resolve(data);
  await mkdir(path, { recursive: true, mode: 0o711 });
  // As root: whoever runs the servers has to get to what is below.
  if (process.getuid?.() === 0) await chmod(path, (await stat(path)).mode | 0o011);
  await lock(path);
  return { path, kept: true };
}

/** Gives the folder up; a temporary one goes. */
export async function leaveFolder({ path, kept }: DataFolder): Promise<void> {
  taken.delete(path);
  if (kept) await rm(join(path, LOCK), { force: true });
  else await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** The folder for the branches' data: the one of before, or a new one, as after a reset. */
export function branchesFolder({ path }: DataFolder, anew = false): string {
  const all = readdirSync(path).filter((name) => /^data-\d+$/.test(name));
  const last = Math.max(0, ...all.map((name) => Number(name.slice("data-".length))));
  const folder = join(path, `data-${anew ? last + 1 : Math.max(1, last)}`);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return folder;
}

async function lock(path: string): Promise<void> {
  if (taken.has(path)) throw takenError(process.pid, path);
  taken.add(path);
  const file = join(path, LOCK);
  const text = JSON.stringify({ pid: process.pid, command: commandOf(process.pid) });
  const write = () => writeFile(file, text, { mode: 0o600, flag: "wx" });
  try {
    await write().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      const { pid, command } = readLock(await readFile(file, "utf8"));
      // The number of a process is given again; the same number and the same command line are the same process.
      if (pid !== undefined && pid !== process.pid && commandOf(pid) === command) throw takenError(pid, path);
      await rm(file, { force: true });
      await write();
    });
  } catch (error) {
    taken.delete(path);
    throw error;
  }
}

/** Who wrote a lock; nobody where a power loss has left less than the whole of it. */
function readLock(text: string): { pid?: number; command?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function takenError(pid: number, path: string): Error {
  return new Error(`data: the emulator that runs as process ${pid} has ${path}`);
}
