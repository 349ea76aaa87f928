/**
 * The control plane's memory in files, from which another emulator can go on: the whole state, and a line per change.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ID } from "../lib/random";
import { scheduleExpiry } from "../lifecycle/branch-end";
import type { Annotation, BranchRecord } from "../model/branch";
import type { EndpointRecord } from "../model/endpoint";
import { isOpen, type Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import { isLoginName, type Login, Project, type ProjectRecord } from "../model/project";
import type { Plan } from "../settings/platforms";

interface SavedProject {
  record: ProjectRecord;
  plan: Plan;
  login: Login;
  branches: BranchRecord[];
  annotations: [string, Annotation][];
  endpoints: EndpointRecord[];
  operations: Operation[];
}

/** The contents of the files. */
export interface SavedState {
  random: number;
  /** Increases each time the whole is saved. */
  generation?: number;
  projects: SavedProject[];
}

/** A changed project: removed, new, or changed in some values. A removed value is `null`. */
export type ProjectChange =
  | null
  | { whole: SavedProject }
  | {
      record?: ProjectRecord;
      branches?: [string, BranchRecord | null][];
      annotations?: [string, Annotation | null][];
      endpoints?: [string, EndpointRecord | null][];
      operations?: Operation[];
    };

/** One line of changes. */
interface Line {
  random: number;
  /** The generation of the whole state before it; absent in old lines. */
  generation?: number;
  projects: Record<string, ProjectChange>;
}

/** The file of the whole state. */
export const FILE = "platform.json";
/** The file of the change lines. */
export const CHANGES = "platform.changes";
/** Maximum number of operations saved per project. */
const OPERATIONS = 1000;

const projectShape = z.looseObject({
  record: z.looseObject({ id: z.string() }),
  login: z.strictObject({ role: z.string(), database: z.string() }),
});
const generation = z.number().optional();
const shape = z.object({ random: z.number(), generation, projects: z.array(projectShape) });
const changeShape = z.looseObject({ whole: projectShape.optional() }).nullable();
const lineShape = z.object({ random: z.number(), generation, projects: z.record(z.string(), changeShape) });

/** The state of a platform. */
export function stateOf({ projects, random }: Platform): SavedState {
  const present = [...projects.values()].filter(({ deleting }) => !deleting);
  return { random: random.state, projects: present.map(projectState) };
}

/** The state of a project. */
export function projectState(project: Project): SavedProject {
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

/**
 * Takes the branches, annotations, endpoints and operations changed since the last call; `undefined` for none. Not the
 * project's own record.
 */
export function changesOf(project: Project): Exclude<ProjectChange, null> | undefined {
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

/** Reads a saved state; `undefined` without one. Throws for malformed files. */
export function readState(folder: string): SavedState | undefined {
  const text = textOf(join(folder, FILE));
  if (text === undefined) return undefined;
  const state = parsed(join(folder, FILE), text, shape) as unknown as SavedState;
  const lines = (textOf(join(folder, CHANGES)) ?? "").split("\n");

  // The last line may be incomplete. No answer has confirmed it.
  lines.pop();
  const changes = lines.map((line) => parsed(join(folder, CHANGES), line, lineShape)) as unknown as Line[];
  // Lines of an earlier generation are already in the whole.
  const since = changes.filter(({ generation = 0 }) => generation >= (state.generation ?? 0));
  const whole = withChanges(state, since);

  for (const id of idsOf(whole)) {
    // Ids become folder names, which are written to and removed.
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

/** Applies change lines to a saved state. Each has its objects' full new values. */
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
    ...state,
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

/** Restores a state to an empty platform. No server runs: endpoints rest, and open operations have failed. */
export function restoreState(platform: Platform, state: SavedState): void {
  const now = platform.now();
  platform.random.state = state.random;
  for (const saved of state.projects) {
    const project = new Project(saved.record, saved.plan, saved.login);
    for (const branch of saved.branches) {
      project.branches.set(branch.id, ready(branch));
      scheduleExpiry(platform, project, branch);
    }
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
