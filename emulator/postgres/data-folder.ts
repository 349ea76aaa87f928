/** The folders of an emulator's servers: one for its data, temporary or one that stays, and one for sockets and programs while it runs. */

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
  /** Whether it stays when the emulator ends. */
  kept: boolean;
  /** A folder that goes with the emulator, and that nobody else gets into: for sockets, so with a short name. */
  run: string;
}

const LOCK = "emulator.lock";
/** A socket's name may have 107 bytes, on macOS 103; this much is left for what is below the folder's parent. */
const LONGEST_PARENT = 64;

/** The folders that emulators of this process have, with the name in the lock of each. */
const taken = new Map<string, string>();

/** Makes a folder for sockets and programs. Root makes it where the account that it gives it to can remove it. */
export function makeRunFolder(): string {
  const parent = isRoot() || Buffer.byteLength(tmpdir()) > LONGEST_PARENT ? "/tmp" : tmpdir();
  return mkdtempSync(join(parent, "pgcompute-"));
}

/**
 * Takes a folder: the given one, or a temporary one. Rejects when another emulator that runs has it, and where it or something in it
 * is a link, another account's, or no file: it would be written to, removed, or waited for.
 */
export async function takeFolder(data: string | undefined, run = makeRunFolder()): Promise<DataFolder> {
  try {
    if (data === undefined) return { path: run, kept: false, run };
    const path = resolve(data);
    await mkdir(path, { recursive: true, mode: 0o700 }).catch(ifThere);
    assertOwn(path);
    // From here on nobody else puts anything into it.
    chmodSync(path, 0o700);
    assertOwnBelow(path);
    await lock(path);
    return { path, kept: true, run };
  } catch (error) {
    await rm(run, { recursive: true, force: true });
    throw error;
  }
}

/** Gives the folder up; what is temporary goes. */
export async function leaveFolder({ path, run }: DataFolder): Promise<void> {
  const holder = taken.get(path);
  taken.delete(path);
  if (holder !== undefined) {
    await rm(join(path, LOCK, holder), { force: true });
    // If another process already holds the folder, the folder stays.
    await rmdir(join(path, LOCK)).catch(() => undefined);
  }
  await rm(run, { recursive: true, force: true, maxRetries: 3 });
}

/** The folder for the branches' data: the one of before, or a new one, as after a reset. */
export function branchesFolder({ path }: DataFolder, anew = false): string {
  const all = readdirSync(path).filter((name) => /^data-\d+$/.test(name));
  const last = Math.max(0, ...all.map((name) => Number(name.slice("data-".length))));
  const folder = join(path, `data-${anew ? last + 1 : Math.max(1, last)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Asserts that a path is a folder of this process's account. */
function assertOwn(path: string): void {
  const seen = lstatSync(path);
  if (seen.isSymbolicLink()) throw new Error(`data: ${path} is a link; name the folder that it leads to`);
  if (!seen.isDirectory()) throw new Error(`data: ${path} is no folder`);
  if (seen.uid !== ownUid(seen.uid)) throw otherAccountError(path, seen.uid);
}

/** Asserts that all below a folder are folders and files of this process's account. What goes meanwhile, such as a file of a server that runs, is nobody's. */
function assertOwnBelow(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const seen = lstatSync(path, { throwIfNoEntry: false });
    if (!seen) continue;
    if (seen.isSymbolicLink()) throw new Error(`data: ${path} is a link, and none below the folder is followed`);
    if (seen.uid !== ownUid(seen.uid)) throw otherAccountError(path, seen.uid);
    if (seen.isDirectory()) assertOwnBelow(path);
    // To open a pipe is to wait for its other side.
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

/** The account of this process; `otherwise` where the system has none. */
function ownUid(otherwise: number): number {
  return process.getuid?.() ?? otherwise;
}

function otherAccountError(path: string, uid: number): Error {
  return new Error(`data: ${path} belongs to another account (uid ${uid})`);
}

/**
 * A lock is a folder with one file, whose name is of this one taking. Both come into their place by one `rename`, which fails where a folder
 * with something in it is; and who takes over from a killed emulator removes that one's file, never one of another who was faster.
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
        // Nothing where a power loss has left less than the whole of it.
        const command = await readFile(join(place, name), "utf8").catch(ifGone(""));
        // The number of a process is given again; the same number and the same command line are the same process.
        if (command !== "" && pid !== process.pid && commandOf(pid) === command) throw takenError(pid, path);
        await rm(join(place, name), { force: true });
      }
      // Windows puts no folder in the place of another, not even of an empty one.
      await rmdir(place).catch(() => undefined);
    }
  } catch (error) {
    taken.delete(path);
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

/** Moves a folder to a place. False where one with something in it is there. */
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
