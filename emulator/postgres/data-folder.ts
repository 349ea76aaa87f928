/**
 * The folders of an emulator's servers: one for data, temporary or kept, and one for sockets and programs while it
 * runs.
 */

import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isRoot } from "../lib/machine";
import { commandOf } from "./processes";

/** The data folder of one emulator. */
export interface DataFolder {
  path: string;
  /** True if the folder stays after the emulator's end. */
  kept: boolean;
  /** The temporary, private folder for sockets, with a short name. */
  run: string;
}

const LOCK = "emulator.lock";
/** Socket paths may have 107 bytes (macOS 103), so the parent folder's path has this limit. */
const LONGEST_PARENT = 64;

/** The folders taken by this process, with the name of each lock file. */
const taken = new Map<string, string>();

/** Creates a folder for sockets and programs; for root, where the servers' account can remove it. */
export function makeRunFolder(): string {
  const parent = isRoot() || Buffer.byteLength(tmpdir()) > LONGEST_PARENT ? "/tmp" : tmpdir();
  return mkdtempSync(join(parent, "pgcompute-"));
}

/**
 * Takes the given folder, or a temporary one. Rejects if another emulator has it, or if it contains foreign files or
 * links.
 */
export async function takeFolder(data: string | undefined, run = makeRunFolder()): Promise<DataFolder> {
  try {
    if (data === undefined) return { path: run, kept: false, run };
    const path = resolve(data);
    await mkdir(path, { recursive: true, mode: 0o700 }).catch(ifThere);
    assertOwn(path);

    // From here on no other account can add files.
    chmodSync(path, 0o700);
    assertOwnBelow(path);
    await lock(path);
    return { path, kept: true, run };
  } catch (error) {
    await rm(run, { recursive: true, force: true });
    throw error;
  }
}

/** Releases the folder; a temporary one is removed. */
export async function leaveFolder({ path, run }: DataFolder): Promise<void> {
  const holder = taken.get(path);
  taken.delete(path);
  if (holder !== undefined) {
    await rm(join(path, LOCK, holder), { force: true });
    // A folder that another process has taken stays.
    await rmdir(join(path, LOCK)).catch(() => undefined);
  }
  await rm(run, { recursive: true, force: true, maxRetries: 3 });
}

/** The folder of the branches' data: the current one, or `anew` a new one, after a reset. */
export function branchesFolder({ path }: DataFolder, anew = false): string {
  const all = readdirSync(path).filter((name) => /^data-\d+$/.test(name));
  const last = Math.max(0, ...all.map((name) => Number(name.slice("data-".length))));
  const folder = join(path, `data-${anew ? last + 1 : Math.max(1, last)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Throws unless a path is a folder of this process's account. */
function assertOwn(path: string): void {
  const seen = lstatSync(path);
  if (seen.isSymbolicLink()) throw new Error(`data: ${path} is a link; name the folder that it leads to`);
  if (!seen.isDirectory()) throw new Error(`data: ${path} is no folder`);
  if (seen.uid !== ownUid(seen.uid)) throw otherAccountError(path, seen.uid);
}

/** Throws unless all below a folder are files and folders of this account. Skips those that vanish meanwhile. */
function assertOwnBelow(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const seen = lstatSync(path, { throwIfNoEntry: false });
    if (!seen) continue;
    if (seen.isSymbolicLink()) throw new Error(`data: ${path} is a link, and none below the folder is followed`);
    if (seen.uid !== ownUid(seen.uid)) throw otherAccountError(path, seen.uid);
    if (seen.isDirectory()) assertOwnBelow(path);
    // Opening a pipe would wait for its other end.
    else if (!seen.isFile()) throw new Error(`data: ${path} is neither a file nor a folder`);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return ifGone<string[]>([])(error as NodeJS.ErrnoException);
  }
}

/** The user id of this process; `otherwise` on a system without one. */
function ownUid(otherwise: number): number {
  return process.getuid?.() ?? otherwise;
}

function otherAccountError(path: string, uid: number): Error {
  return new Error(`data: ${path} belongs to another account (uid ${uid})`);
}

/**
 * Takes a lock: a folder with one file of a unique name, put in place by one `rename`. Replaces a killed emulator's.
 */
async function lock(path: string): Promise<void> {
  if (taken.has(path)) throw takenError(process.pid, path);
  const holder = `${process.pid}-${randomUUID()}`;
  taken.set(path, holder);
  const place = join(path, LOCK);
  const made = join(path, `${LOCK}.${holder}`);

  try {
    await mkdir(made, { mode: 0o700 });
    await writeFile(join(made, holder), commandOf(process.pid), { mode: 0o600 });
    while (!(await isPlaced(made, place))) {
      for (const name of await readdir(place).catch(ifGone<string[]>([]))) {
        const pid = Number.parseInt(name, 10);
        // Empty if a power loss has truncated it.
        const command = await readFile(join(place, name), "utf8").catch(ifGone(""));
        // Process ids are reused, so the command line must match too.
        if (command !== "" && pid !== process.pid && commandOf(pid) === command) throw takenError(pid, path);
        await rm(join(place, name), { force: true });
      }
      // Windows cannot rename a folder over another, not even an empty one.
      await rmdir(place).catch(() => undefined);
    }
  } catch (error) {
    taken.delete(path);
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

/** Moves a folder into place; false if a folder with contents is there. */
async function isPlaced(folder: string, place: string): Promise<boolean> {
  const occupied = ["ENOTEMPTY", "EEXIST", ...(process.platform === "win32" ? ["EPERM"] : [])];
  return rename(folder, place).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (!occupied.includes(error.code ?? "")) throw error;
      return false;
    },
  );
}

function ifThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

function ifGone<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== "ENOENT") throw error;
    return value;
  };
}

function takenError(pid: number, path: string): Error {
  return new Error(`data: the emulator that runs as process ${pid} has ${path}`);
}
