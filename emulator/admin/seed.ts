/** Adds contents to the platform without operations: projects, branches, endpoints, fleets. */
import { conflict } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { expiryFields, scheduleExpiry } from "../lifecycle/branch-end";
import { watchIdleness } from "../lifecycle/compute";
import { assertNameFree, newBranchRecord } from "../lifecycle/create-branch";
import { addEndpoint, assertFree, type EndpointFields, newEndpointRecord } from "../lifecycle/create-endpoint";
import { createProject } from "../lifecycle/create-project";
import type { BranchRecord, RestrictedAction } from "../model/branch";
import type { Endpoint, EndpointType } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { present } from "../requests/body";
import type { Plan } from "../settings/platforms";

/** Default contents at the start and after each reset. */
export const defaultContents: readonly ProjectContents[] = [
  {
    id: "quiet-harbor-12345678",
    name: "quiet-harbor",
    branchId: "br-quiet-harbor-main",
    endpointId: "ep-quiet-harbor-main",
  },
];

/** A project to add, ready at once. */
export interface ProjectSeed {
  id?: string;
  name?: string;
  plan?: Plan;
  regionId?: string;
  branchId?: string;
  branchName?: string;
  endpointId?: string;
  /** Fields of the primary branch's idle endpoint; `false` for a project without one. */
  endpoint?: EndpointFields | false;
}

/** A project with its initial contents. */
export interface ProjectContents extends ProjectSeed {
  /** Branches besides the primary one, parents before children. */
  branches?: readonly BranchSeed[];
  /** Endpoints besides the branches' own. */
  endpoints?: readonly EndpointSeed[];
}

/** A branch to add, ready at once. */
export interface BranchSeed {
  id?: string;
  name?: string;
  /** Default the primary branch. */
  parentId?: string;
  protected?: boolean;
  /** In place of the actions that a branch of its kind restricts. */
  restricted_actions?: RestrictedAction[];
  /** When it goes by itself (RFC 3339), where the platform has expiry. */
  expires_at?: string;
  /** Its endpoint; by default none. */
  endpoint?: Omit<EndpointSeed, "branch_id">;
}

/** An endpoint to add, with its compute stopped. */
export interface EndpointSeed extends EndpointFields {
  id?: string;
  branch_id: string;
  /** Default `read_write`. */
  type?: EndpointType;
  /** Default `idle`; a disabled endpoint is in `disabledState`. */
  current_state?: "active" | "idle";
}

/** Many endpoints at once: read-write ones, each on its own branch, or replicas on one branch. */
export interface FleetSeed {
  count: number;
  type?: EndpointType;
  /** The branch of replicas. Default the primary one. */
  branchId?: string;
}

/** Adds a project as newly created (specification, section 1), with all operations ended. Throws 409 for a taken id. */
export function seedProject(platform: Platform, seed: ProjectSeed): Project {
  const { id = platform.newId(""), endpoint, endpointId, regionId, branchId, branchName, ...request } = seed;
  if (platform.projects.has(id)) throw conflict(`project ${id} already exists`);
  const { operationMs, operationMsByAction } = platform.settings;
  const { computes } = platform;
  if (seed.id !== undefined) computes?.reconcile();
  platform.settings = { ...platform.settings, operationMs: 0, operationMsByAction: {} };
  platform.computes = undefined;
  const named = present({ ...request, region_id: regionId, branch_id: branchId, branch: { name: branchName } });

  try {
    const { project, branch } = platform.faults.spare(() => createProject(platform, { ...named, id, endpoint: false }));
    platform.runDue();
    if (endpoint !== false) {
      seedEndpoint(platform, project, { ...endpoint, ...present({ id: endpointId }), branch_id: branch.id });
    }
    return project;
  } catch (error) {
    // A failed endpoint fails its whole project.
    platform.projects.delete(id);
    throw error;
  } finally {
    platform.settings = { ...platform.settings, operationMs, operationMsByAction };
    platform.computes = computes;
  }
}

/** Adds projects with their branches and endpoints. Throws like the single seeds. */
export function seedContents(platform: Platform, contents: readonly ProjectContents[]): void {
  for (const { branches = [], endpoints = [], ...seed } of contents) {
    const project = seedProject(platform, seed);
    for (const branch of branches) seedBranch(platform, project, branch);
    for (const endpoint of endpoints) seedEndpoint(platform, project, endpoint);
  }
}

/** Adds a ready branch, without operations. Throws 409 for a taken id, 404 for an unknown parent. */
export function seedBranch(platform: Platform, project: Project, seed: BranchSeed): BranchRecord {
  const id = seed.id ?? platform.newId("br-");
  if (project.branches.has(id)) throw conflict(`branch ${id} already exists`);
  if (seed.name !== undefined) assertNameFree(project, seed.name);

  const parentId = seed.parentId ?? project.primaryBranch()?.id;
  if (parentId !== undefined) platform.branch(project, parentId);
  if (seed.id !== undefined) platform.computes?.reconcile();
  const branch: BranchRecord = {
    ...newBranchRecord(platform, project, { id, name: seed.name, parentId }),
    ...present({ protected: seed.protected, restricted_actions: seed.restricted_actions }),
    ...expiryFields(platform, seed.expires_at),
  };
  project.branches.set(id, branch);
  scheduleExpiry(platform, project, branch);
  if (seed.endpoint) seedEndpoint(platform, project, { ...seed.endpoint, branch_id: id });
  return branch;
}

/** Adds an endpoint without operations. Throws 404, 409 and 400 like a create. */
export function seedEndpoint(platform: Platform, project: Project, seed: EndpointSeed): Endpoint {
  const { id = platform.newId("ep-"), current_state = "idle", type = "read_write", ...fields } = seed;
  if (project.endpoints.has(id)) throw conflict(`endpoint ${id} already exists`);

  platform.branch(project, fields.branch_id);
  const record = newEndpointRecord(platform, project, { ...fields, type }, id);
  assertFree(project, fields.branch_id, type);
  const active = current_state === "active" && !record.disabled;
  const time = toTimestamp(platform.now());

  const endpoint = addEndpoint(platform, project, {
    ...record,
    current_state: active ? "active" : platform.restingState(record),
    ...(active && { started_at: time, last_active: time }),
  });
  if (active) watchIdleness(platform, project, endpoint);
  return endpoint;
}

/** Adds up to thousands of endpoints, all idle. */
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
