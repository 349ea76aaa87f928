/**
 * The control plane's memory as files, so that an emulator on the same folder goes on where this one ended: the whole state, written at the
 * start and the end, and in between a line for what each answer changed.
 */

import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ID } from "../lib/random";
import type { Annotation, BranchRecord } from "../model/branch";
import type { EndpointRecord } from "../model/endpoint";
import { isOpen, type Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import { isLoginName, type Login, Project, type ProjectRecord } from "../model/project";
import type { Plan } from "../settings/platforms";
import { leaveFolder, takeFolder } from "./data-folder";

interface SavedProject {
  record: ProjectRecord;
  plan: Plan;
  login: Login;
  branches: BranchRecord[];
  annotations: [string, Annotation][];
  endpoints: EndpointRecord[];
  operations: Operation[];
}

/** What the files hold. */
export interface SavedState {
  random: number;
  projects: SavedProject[];
}

/** What has changed in a project: it is gone, new, or some of it is other; what is gone of it is `null`. */
type ProjectChange =
  | null
  | { whole: SavedProject }
  | {
      record?: ProjectRecord;
      branches?: [string, BranchRecord | null][];
      annotations?: [string, Annotation | null][];
      endpoints?: [string, EndpointRecord | null][];
      operations?: Operation[];
    };

/** A line of changes. */
interface Line {
  random: number;
  projects: Record<string, ProjectChange>;
}

const FILE = "platform.json";
/** The file of the lines. */
export const CHANGES = "platform.changes";
/** Operations of each project that are kept with the whole state. */
const OPERATIONS = 1000;

const projectShape = z.looseObject({
  record: z.looseObject({ id: z.string() }),
  login: z.strictObject({ role: z.string(), database: z.string() }),
});
const shape = z.object({ random: z.number(), projects: z.array(projectShape) });
const changeShape = z.looseObject({ whole: projectShape.optional() }).nullable();
const lineShape = z.object({ random: z.number(), projects: z.record(z.string(), changeShape) });

/** How much longer than the state the lines may grow, in times of its own and in bytes, before it is written anew. */
const LONGEST = { times: 4, bytes: 4_000_000 };

/** The state of a platform. */
export function stateOf({ projects, random }: Platform): SavedState {
  const present = [...projects.values()].filter(({ deleting }) => !deleting);
  return { random: random.state, projects: present.map(projectState) };
}

/** The state of a project. */
function projectState(project: Project): SavedProject {
  return {
    record: project.record,
    plan: project.plan,
    login: project.login,
    branches: [...project.branches.values()],
    annotations: [...project.annotations],
    endpoints: [...project.endpoints.values()].map(({ record }) => record),
    operations: project.operations.page(OPERATIONS).operations.reverse(),
  };
}

/** What has changed in a project since the last call; `undefined` for nothing. */
function changesOf(project: Project): Exclude<ProjectChange, null> | undefined {
  const branches = project.branches.takeChanges();
  const annotations = project.annotations.takeChanges();
  const endpoints = project.endpoints.takeChanges();
  const operations = project.operations.takeChanges();
  if (branches.length + annotations.length + endpoints.length + operations.length === 0) return undefined;
  return {
    ...(branches.length > 0 && { branches }),
    ...(annotations.length > 0 && { annotations }),
    ...(endpoints.length > 0 && { endpoints: endpoints.map(([id, endpoint]) => [id, endpoint?.record ?? null]) }),
    ...(operations.length > 0 && { operations }),
  };
}

/** Writes a state, whole or not at all. */
function writeState(folder: string, text: string): void {
  const file = join(folder, FILE);
  const part = openSync(`${file}.part`, "w", 0o600);
  try {
    writeFileSync(part, text);
    fsyncSync(part);
  } finally {
    closeSync(part);
  }
  renameSync(`${file}.part`, file);
}

/** Reads a state; `undefined` where none was written. Throws for files that hold none. */
export function readState(folder: string): SavedState | undefined {
  const text = textOf(join(folder, FILE));
  if (text === undefined) return undefined;
  const state = parsed(join(folder, FILE), text, shape) as unknown as SavedState;
  const lines = (textOf(join(folder, CHANGES)) ?? "").split("\n");
  // What stands behind the last end of a line was not written to its own end, and no answer had told it.
  lines.pop();
  const changes = lines.map((line) => parsed(join(folder, CHANGES), line, lineShape)) as unknown as Line[];
  const whole = withChanges(state, changes);
  for (const id of idsOf(whole)) {
    // They are names of folders, which are written to and removed.
    if (!ID.test(id)) throw new Error(`data: ${folder} has an id that none can be: ${JSON.stringify(id).slice(0, 80)}`);
  }
  for (const name of whole.projects.flatMap(({ login }) => Object.values(login))) {
    if (!isLoginName(name)) throw new Error(`data: ${folder} has a role or a database that none can be called`);
  }
  return whole;
}

function idsOf({ projects }: SavedState): string[] {
  return projects.flatMap(({ record, branches, endpoints }) => [
    record.id,
    ...branches.flatMap(({ id, project_id, parent_id }) => [id, project_id, parent_id ?? id]),
    ...endpoints.flatMap(({ id, project_id, branch_id }) => [id, project_id, branch_id]),
  ]);
}

/** A state as it is after the lines, of which each has what it is about as it was then. */
function withChanges(state: SavedState, lines: readonly Line[]): SavedState {
  const byId = <T extends { id: string }>(all: readonly T[]) => new Map(all.map((one) => [one.id, one]));
  const opened = ({ annotations, branches, endpoints, operations, ...rest }: SavedProject) => ({
    ...rest,
    branches: byId(branches),
    annotations: new Map(annotations),
    endpoints: byId(endpoints),
    operations: byId(operations),
  });
  const projects = new Map(state.projects.map((project) => [project.record.id, opened(project)]));
  for (const line of lines) {
    for (const [id, change] of Object.entries(line.projects)) {
      const project = projects.get(id);
      if (change === null) projects.delete(id);
      else if ("whole" in change) projects.set(id, opened(change.whole));
      else if (project) {
        project.record = change.record ?? project.record;
        put(project.branches, change.branches);
        put(project.annotations, change.annotations);
        put(project.endpoints, change.endpoints);
        for (const operation of change.operations ?? []) project.operations.set(operation.id, operation);
      }
    }
  }
  return {
    random: lines.at(-1)?.random ?? state.random,
    projects: [...projects.values()].map(({ annotations, branches, endpoints, operations, ...rest }) => ({
      ...rest,
      branches: [...branches.values()],
      annotations: [...annotations],
      endpoints: [...endpoints.values()],
      operations: [...operations.values()],
    })),
  };
}

function put<T>(all: Map<string, T>, changes: readonly [string, T | null][] = []): void {
  for (const [id, value] of changes) {
    if (value === null) all.delete(id);
    else all.set(id, value);
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parsed<T>(file: string, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`data: ${file} is no state of an emulator`);
  }
}

/**
 * Puts a state onto a platform that is empty. No server runs: endpoints are at rest, and operations that were open have
 * failed.
 */
export function restoreState(platform: Platform, state: SavedState): void {
  const now = platform.now();
  platform.random.state = state.random;
  for (const saved of state.projects) {
    const project = new Project(saved.record, saved.plan, saved.login);
    for (const branch of saved.branches) project.branches.set(branch.id, ready(branch));
    for (const [id, annotation] of saved.annotations) project.annotations.set(id, annotation);
    for (const { pending_state: _over, ...record } of saved.endpoints) {
      const current_state = platform.restingState(record);
      const resting = { connections: 0, waiting: 0, dropped: 0, lastActiveAt: now, suspendCheckAt: undefined };
      project.addEndpoint({ record: { ...record, current_state }, ...resting }, now);
    }
    for (const operation of saved.operations) project.operations.add(ended(operation, now));
    project.operations.nextMicros((saved.operations.at(-1)?.createdMicros ?? 0) / 1000);
    platform.projects.set(saved.record.id, project);
  }
}

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

function ready({ pending_state: _over, ...branch }: BranchRecord): BranchRecord {
  return { ...branch, current_state: "ready" };
}

function ended(operation: Operation, now: number): Operation {
  if (!isOpen(operation)) return { ...operation, steps: [] };
  const error = "the emulator ended while it was under way";
  return {
    ...operation,
    status: "failed",
    failuresCount: operation.failuresCount + 1,
    error,
    steps: [],
    endedAt: now,
    updatedAt: now,
  };
}
