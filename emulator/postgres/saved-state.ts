/** The control plane's memory as a file, so that an emulator on the same folder goes on where this one ended. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Annotation, BranchRecord } from "../model/branch";
import type { EndpointRecord } from "../model/endpoint";
import { isOpen, type Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import { Project, type ProjectRecord } from "../model/project";
import type { Plan } from "../settings/settings";

interface SavedProject {
  record: ProjectRecord;
  plan: Plan;
  branches: BranchRecord[];
  annotations: [string, Annotation][];
  endpoints: EndpointRecord[];
  operations: Operation[];
}

/** What the file holds. */
export interface SavedState {
  random: number;
  projects: SavedProject[];
}

const FILE = "platform.json";
/** Operations of each project that are kept: the file is written again and again. */
const OPERATIONS = 1000;

const shape = z.object({
  random: z.number(),
  projects: z.array(z.looseObject({ record: z.looseObject({ id: z.string() }) })),
});

/** Takes the state of a platform as a text. */
export function stateText({ projects, random }: Platform): string {
  const state: SavedState = {
    random: random.state,
    projects: [...projects.values()]
      .filter(({ deleting }) => !deleting)
      .map((project) => ({
        record: project.record,
        plan: project.plan,
        branches: [...project.branches.values()],
        annotations: [...project.annotations],
        endpoints: [...project.endpoints.values()].map(({ record }) => record),
        operations: project.operations.page(OPERATIONS).operations.reverse(),
      })),
  };
  return JSON.stringify(state);
}

/** Writes a state, whole or not at all. */
export function writeState(folder: string, text: string): void {
  const file = join(folder, FILE);
  writeFileSync(`${file}.part`, text, { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

/** Reads a state; `undefined` where none was written. Throws for a file that holds none. */
export function readState(folder: string): SavedState | undefined {
  const file = join(folder, FILE);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    return shape.parse(JSON.parse(text)) as unknown as SavedState;
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
    const project = new Project(saved.record, saved.plan);
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
