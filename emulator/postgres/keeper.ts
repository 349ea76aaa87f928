/**
 * Saves a platform's state to its folder: whole at start and end, and a line per change. Failed saves block further
 * changes.
 */

import { closeSync, fdatasync, ftruncateSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../lib/errors";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { leaveFolder, takeFolder } from "./data-folder";
import {
  CHANGES,
  changesOf,
  FILE,
  type ProjectChange,
  projectState,
  readState,
  restoreState,
  stateOf,
} from "./saved-state";
import { writeWhole } from "./write-file";

/** Growth of the lines before the whole is saved anew: in multiples of the state, and in bytes. */
const LONGEST = { times: 4, bytes: 4_000_000 };

/** More than one change's line. */
const ROOM = Buffer.alloc(64 * 1024);

/** Interval of retries after a failed write, in milliseconds. */
const RETRY_MS = 1000;

/** Saves the emulator's state to its folder: a line per change, whole at start and end. Failed saves block changes. */
export class Keeper {
  readonly #platform: Platform;
  readonly #folder: string;
  /** The saved projects; an id can return with a new project. */
  readonly #known = new Map<string, Project>();
  readonly #records = new WeakMap<Project, Project["record"]>();
  #file: number | undefined;
  #bytes = 0;
  #longest = 0;
  /** The whole state's number; lines of an earlier one are already in it. */
  #generation = 0;
  #syncing = false;
  #unsynced = false;
  /** The reason why the latest changes are not saved. */
  #failure: Error | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(platform: Platform, folder: string) {
    this.#platform = platform;
    this.#folder = folder;
  }

  /** Starts to save, from the current state on. Overwrites the folder's. Throws if it is not writable. */
  begin(generation = 0): void {
    this.#generation = generation;
    this.#writeAll();
  }

  /**
   * Appends the changes as a line. Returns an error at the first failure, then appends nothing until the whole is
   * saved.
   */
  save(): ApiError | undefined {
    if (this.#file === undefined || this.#failure) return undefined;
    const projects = this.#changes();
    if (Object.keys(projects).length === 0) return undefined;
    const line = { random: this.#platform.random.state, generation: this.#generation, projects };
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);

    try {
      writeFileSync(this.#file, bytes);
    } catch (error) {
      return this.#fail(error);
    }

    this.#bytes += bytes.length;
    this.#sync();
    if (this.#bytes > this.#longest) this.#shorten();
    return undefined;
  }

  /** Throws 503 with the reason if the folder has no room for a change. */
  assertReady(): void {
    if (this.#file === undefined) return;
    if (this.#failure) this.#recover();
    else this.#tryRoom();
    if (this.#failure) throw unkeptError(this.#failure);
  }

  /** Saves the whole and ends. Reports what the folder did not take. */
  end(): void {
    if (this.#file === undefined) return;
    this.save();
    try {
      this.#writeAll();
      this.#failure = undefined;
    } catch {
      // If only the shortening failed, every line is still there.
    }

    clearTimeout(this.#retry);
    closeSync(this.#file);
    this.#file = undefined;
    if (this.#failure) console.error(`data: ${this.#folder} has not the last changes: ${this.#failure.message}`);
  }

  /** Saves the whole state. After a kill in between, old lines are skipped by their number. */
  #writeAll(): void {
    this.#changes();
    const generation = this.#generation + 1;
    const text = JSON.stringify({ ...stateOf(this.#platform), generation });
    writeWhole(join(this.#folder, FILE), text);
    this.#generation = generation;
    this.#file ??= openSync(join(this.#folder, CHANGES), "a", 0o600);
    ftruncateSync(this.#file, 0);
    this.#bytes = 0;
    this.#longest = text.length * LONGEST.times + LONGEST.bytes;
  }

  // Without room for it, lines are appended as before.
  #shorten(): void {
    try {
      this.#writeAll();
    } catch {
      this.#longest = this.#bytes * 2;
    }
  }

  #tryRoom(): void {
    const file = join(this.#folder, "platform.room");
    try {
      writeFileSync(file, ROOM, { mode: 0o600 });
    } catch (error) {
      this.#fail(error);
    }
    rmSync(file, { force: true });
  }

  #fail(error: unknown): ApiError {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (!this.#failure)
      console.error(`data: ${this.#folder} takes no changes, which are refused meanwhile: ${failure.message}`);
    this.#failure = failure;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#recover(), RETRY_MS).unref();
    return unkeptError(failure);
  }

  #recover(): void {
    if (this.#file === undefined) return;
    try {
      this.#writeAll();
      clearTimeout(this.#retry);
      this.#failure = undefined;
      console.error(`data: ${this.#folder} takes changes again, and has all`);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The changes since the last call. */
  #changes(): Record<string, ProjectChange> {
    const projects: Record<string, ProjectChange> = {};
    const present = [...this.#platform.projects].filter(([, { deleting }]) => !deleting);

    for (const [id, project] of present) {
      const change = changesOf(project);
      const isSame = this.#records.get(project) === project.record;
      if (this.#known.get(id) !== project) projects[id] = { whole: projectState(project) };
      else if (change || !isSame) projects[id] = { ...change, ...(isSame ? {} : { record: project.record }) };
      this.#records.set(project, project.record);
    }

    const kept = new Map(present);
    for (const id of this.#known.keys()) if (!kept.has(id)) projects[id] = null;
    this.#known.clear();
    for (const [id, project] of present) this.#known.set(id, project);
    return projects;
  }

  // One background sync at a time. Written data survive the emulator's end, but not a power failure.
  #sync(): void {
    this.#unsynced = true;
    if (this.#syncing || this.#file === undefined) return;

    this.#syncing = true;
    this.#unsynced = false;
    fdatasync(this.#file, (error) => {
      this.#syncing = false;
      // Some systems report a full disk only now.
      if (error && this.#file !== undefined) this.#fail(error);
      else if (this.#unsynced) this.#sync();
    });
  }
}

/** Keeps the state of a platform without servers in a folder. Rejects if another has the folder. */
export async function keepIn(platform: Platform, data: string) {
  const folder = await takeFolder(data);
  const keeper = new Keeper(platform, folder.path);
  let generation = 0;

  return {
    /** Restores the state of an earlier emulator on the same folder. False if there is none. */
    restore(): boolean {
      const state = readState(folder.path);
      if (state) restoreState(platform, state);
      generation = state?.generation ?? 0;
      return state !== undefined;
    },
    /**
     * Starts saving. Every change is then in the folder before its answer goes out. Throws if the folder is not
     * writable.
     */
    begin(): void {
      keeper.begin(generation);
      platform.keeper = keeper;
    },
    async close(): Promise<void> {
      keeper.end();
      await leaveFolder(folder);
    },
  };
}

function unkeptError({ message }: Error): ApiError {
  return new ApiError(503, "", `the change cannot be written to the emulator's folder of data: ${message}`);
}
