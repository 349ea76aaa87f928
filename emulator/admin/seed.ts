import { ApiError } from "../errors";
import { watchIdleness } from "../lifecycle/autosuspend";
import { newBranchRecord } from "../lifecycle/create-branch";
import { addEndpoint, assertFree, type EndpointFields, newEndpointRecord } from "../lifecycle/create-endpoint";
import { createProject, type NewProject } from "../lifecycle/create-project";
import type { BranchRecord } from "../model/branch";
import type { Endpoint, EndpointType } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { toTimestamp } from "../model/timestamp";

/** Ids of the project that is there from the start, and after each reset. */
export const seededIds = {
  projectId: "quiet-harbor-12345678",
  branchId: "br-quiet-harbor-main",
  endpointId: "ep-quiet-harbor-main",
} as const;

/** A branch to put into a project, ready at once. */
export interface BranchSeed {
  id?: string;
  name?: string;
  /** Default the primary branch. */
  parentId?: string;
  /** Fields of a read-write endpoint on it; without them the branch has none. */
  endpoint?: EndpointFields & { id?: string };
}

/** An endpoint to put onto a branch, at rest at once. */
export interface EndpointSeed extends EndpointFields {
  id?: string;
  branch_id: string;
  /** Default `read_write`. */
  type?: EndpointType;
  /** Default `idle`, or `stopped` when it is disabled. */
  current_state?: "active" | "idle";
}

/** Many endpoints at once: read-write ones each on a branch of its own, or replicas on one branch. */
export interface FleetSeed {
  count: number;
  type?: EndpointType;
  /** The branch that replicas go onto. Default the primary one. */
  branchId?: string;
}

/** A project as section 1 has it, whose creation has ended already. Throws 409 when the id is taken. */
export function seedProject(platform: Platform, seed: NewProject): Project {
  if (seed.id !== undefined && platform.projects.has(seed.id)) throw taken("project", seed.id);
  const { operationMs, operationMsByAction } = platform.settings;
  platform.settings = { ...platform.settings, operationMs: 0, operationMsByAction: {} };
  try {
    const project = createProject(platform, seed);
    platform.settle();
    return project;
  } finally {
    platform.settings = { ...platform.settings, operationMs, operationMsByAction };
  }
}

/** A branch that is ready, without any operation. Throws 409 when the id is taken, 404 for an unknown parent. */
export function seedBranch(platform: Platform, project: Project, seed: BranchSeed): BranchRecord {
  const id = seed.id ?? platform.newId("br-");
  if (project.branches.has(id)) throw taken("branch", id);
  const parentId = seed.parentId ?? project.primaryBranch()?.id;
  if (parentId !== undefined) platform.branch(project, parentId);
  const branch = newBranchRecord(platform, project, { id, name: seed.name, parentId });
  project.branches.set(id, branch);
  if (seed.endpoint) seedEndpoint(platform, project, { ...seed.endpoint, branch_id: id });
  return branch;
}

/** An endpoint at rest, without any operation. Throws 404, 409 and 400 as a create does. */
export function seedEndpoint(platform: Platform, project: Project, seed: EndpointSeed): Endpoint {
  const { id = platform.newId("ep-"), current_state = "idle", type = "read_write", ...fields } = seed;
  if (project.endpoints.has(id)) throw taken("endpoint", id);
  platform.branch(project, fields.branch_id);
  const record = newEndpointRecord(platform, project, { ...fields, type }, id);
  assertFree(project, fields.branch_id, type);
  const active = current_state === "active" && !record.disabled;
  const time = toTimestamp(platform.now());
  const endpoint = addEndpoint(platform, project, {
    ...record,
    current_state: record.disabled ? "stopped" : current_state,
    ...(active && { started_at: time, last_active: time }),
  });
  if (active) watchIdleness(platform, project, endpoint);
  return endpoint;
}

/** Endpoints by the thousand, at rest. */
export function seedFleet(platform: Platform, project: Project, seed: FleetSeed): Endpoint[] {
  const type = seed.type ?? "read_write";
  const endpoints: Endpoint[] = [];
  for (let index = 0; index < seed.count; index++) {
    const branchId =
      type === "read_write"
        ? seedBranch(platform, project, {}).id
        : (seed.branchId ?? project.primaryBranch()?.id ?? "");
    endpoints.push(seedEndpoint(platform, project, { branch_id: branchId, type }));
  }
  return endpoints;
}

function taken(noun: string, id: string): ApiError {
  return new ApiError(409, "", `${noun} ${id} exists already`);
}
