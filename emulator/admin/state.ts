/** Snapshots of the platform, as independent copies. */
import type { ClockMode } from "../lib/clock";
import type { BranchRecord } from "../model/branch";
import { connectionsOf, sizeInForce } from "../model/compute-size";
import type { Endpoint, EndpointRecord } from "../model/endpoint";
import { type OperationRecord, toOperationRecord } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project, ProjectRecord } from "../model/project";
import type { Plan } from "../settings/platforms";
import type { Settings } from "../settings/settings";

/** An endpoint with data that the API lacks. */
export interface EndpointState extends EndpointRecord {
  connections: number;
  waiting_connections: number;
  /** Connections cut so far by restarts, moves and suspends (specification, section 3.3). */
  dropped_connections: number;
  /** Direct connections that the compute's minimum size allows (specification, section 2.4). */
  max_connections: number;
  /** True if the compute still runs its old configuration: its restart is pending or has failed. */
  restart_due: boolean;
}

/** A project with all its contents. */
export interface ProjectState {
  project: ProjectRecord;
  plan: Plan;
  branches: BranchRecord[];
  endpoints: EndpointState[];
  /** Newest first, without vanished ones. */
  operations: OperationRecord[];
}

/** A snapshot of the whole platform, as copies. */
export interface EmulatorState {
  /** Milliseconds since the epoch. */
  now: number;
  clock: ClockMode;
  projects: ProjectState[];
}

/** Copies the platform, with at most `operations` operations per project. */
export function takeState(platform: Platform, operations = Number.POSITIVE_INFINITY): EmulatorState {
  return {
    now: platform.clock.now(),
    clock: platform.clock.mode,
    projects: [...platform.projects.values()].map((project) => projectState(project, platform.settings, operations)),
  };
}

/** Copies one project. */
export function projectState(
  project: Project,
  settings: Settings,
  operations = Number.POSITIVE_INFINITY,
): ProjectState {
  return {
    project: { ...project.record },
    plan: project.plan,
    branches: [...project.shownBranches()].map((branch) => ({ ...branch })),
    endpoints: [...project.endpoints.values()].map((endpoint) => endpointState(endpoint, settings)),
    operations: project.operations.page(operations).operations.map(toOperationRecord),
  };
}

/** Copies one endpoint. */
export function endpointState(endpoint: Endpoint, settings: Settings): EndpointState {
  return {
    ...structuredClone(endpoint.record),
    connections: endpoint.connections,
    waiting_connections: endpoint.waiting,
    dropped_connections: endpoint.dropped,
    max_connections: connectionsOf(settings, sizeInForce(endpoint)),
    restart_due: endpoint.outdated !== undefined,
  };
}
