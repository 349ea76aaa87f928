/** Keeps the platform's state in a folder: the whole of it at the start and the end, and in between a line for what each answer changed. */

import { closeSync, fdatasync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { leaveFolder, takeFolder } from "./data-folder";
import {
  CHANGES,
  changesOf,
  type ProjectChange,
  projectState,
  readState,
  restoreState,
  stateOf,
  writeState,
} from "./saved-state";

/** How much longer than the state the lines may grow, in times of its own and in bytes, before it is written anew. */
const LONGEST = { times: 4, bytes: 4_000_000 };

/** Writes what has changed since the last time, and so makes that outlive the emulator. */
export class Keeper {
  readonly #platform: Platform;
  readonly #folder: string;
  /** The projects that are written, which can come again with the same id. */
  readonly #known = new Map<string, Project>();
  readonly #records = new WeakMap<Project, Project["record"]>();
  #file: number | undefined;
  #bytes = 0;
  #stateBytes = 0;
  #syncing = false;
  #unsynced = false;

  constructor(platform: Platform, folder: string) {
    this.#platform = platform;
    this.#folder = folder;
  }

  /** Begins to keep the state as it is now. What is in the folder is no longer asked for. */
  begin(): void {
    this.#changes();
    this.#writeWhole();
  }

  /** Writes what has changed, as a line that is with the system when this returns and on the disk soon after. */
  save(): void {
    const projects = this.#changes();
    if (this.#file === undefined || Object.keys(projects).length === 0) return;
    const line = Buffer.from(`${JSON.stringify({ random: this.#platform.random.state, projects })}\n`);
    try {
      writeFileSync(this.#file, line);
    } catch (error) {
      // Half a line would hide those after it. All is written anew as soon as there is room.
      ftruncateSync(this.#file, this.#bytes);
      this.#known.clear();
      throw error;
    }
    this.#bytes += line.length;
    this.#sync();
    if (this.#bytes > this.#stateBytes * LONGEST.times + LONGEST.bytes) this.#writeWhole();
  }

  /** Writes the whole and ends. */
  end(): void {
    if (this.#file === undefined) return;
    this.#changes();
    this.#writeWhole();
    closeSync(this.#file);
    this.#file = undefined;
  }

  // The lines that the folder still has when the emulator is killed here lead to the same state once more.
  #writeWhole(): void {
    const text = JSON.stringify(stateOf(this.#platform));
    writeState(this.#folder, text);
    this.#stateBytes = text.length;
    this.#file ??= openSync(join(this.#folder, CHANGES), "a", 0o600);
    ftruncateSync(this.#file, 0);
    this.#bytes = 0;
  }

  /** What has changed since the last call. */
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

  // One at a time, and nobody waits for it: what is with the system outlives the emulator, and only not the machine's power.
  #sync(): void {
    this.#unsynced = true;
    if (this.#syncing || this.#file === undefined) return;
    this.#syncing = true;
    this.#unsynced = false;
    fdatasync(this.#file, () => {
      this.#syncing = false;
      if (this.#unsynced) this.#sync();
    });
  }
}

/** Keeps a platform without servers in a folder of its own. Rejects where the folder is another's. */
export async function keepIn(platform: Platform, data: string) {
  const folder = await takeFolder(data);
  const keeper = new Keeper(platform, folder.path);
  return {
    /** Puts back what an emulator on the same folder left. False where none did. */
    restore(): boolean {
      const state = readState(folder.path);
      if (state) restoreState(platform, state);
      return state !== undefined;
    },
    /** From now on, what an answer tells is in the folder. */
    begin(): void {
      keeper.begin();
      platform.keep = () => keeper.save();
    },
    async close(): Promise<void> {
      keeper.end();
      await leaveFolder(folder);
    },
  };
}
