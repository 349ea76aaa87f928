/** Contents that are put onto the platform without any operation: projects, branches, endpoints, fleets. */
import { conflict } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { watchIdleness } from "../lifecycle/compute";
import { assertNameFree, newBranchRecord } from "../lifecycle/create-branch";
import { addEndpoint, assertFree, type EndpointFields, newEndpointRecord } from "../lifecycle/create-endpoint";
import { createProject } from "../lifecycle/create-project";
import type { BranchRecord } from "../model/branch";
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

/** A project to put onto the platform, ready at once. */
export interface ProjectSeed {
  id?: string;
  name?: string;
  plan?: Plan;
  regionId?: string;
  branchId?: string;
  branchName?: string;
  endpointId?: string;
  /** Fields of the primary branch's endpoint, which is idle; `false` for a project without one. */
  endpoint?: EndpointFields | false;
}

/** A project with what else is in it from the start. */
export interface ProjectContents extends ProjectSeed {
  /** Branches besides the primary one: a parent comes before its children. */
  branches?: readonly BranchSeed[];
  /** Endpoints besides those that come with the branches. */
  endpoints?: readonly EndpointSeed[];
}

/** A branch to put into a project, ready at once. */
export interface BranchSeed {
  id?: string;
  name?: string;
  /** Default the primary branch. */
  parentId?: string;
  /** An endpoint on it; without one the branch has none. */
  endpoint?: Omit<EndpointSeed, "branch_id">;
}

/** An endpoint to put onto a branch, at rest at once. */
export interface EndpointSeed extends EndpointFields {
  id?: string;
  branch_id: string;
  /** Default `read_write`. */
  type?: EndpointType;
  /** Default `idle`; a disabled one is in the state of those (`disabledState`). */
  current_state?: "active" | "idle";
}

/** Many endpoints at once: read-write ones each on a branch of its own, or replicas on one branch. */
export interface FleetSeed {
  count: number;
  type?: EndpointType;
  /** The branch that replicas go onto. Default the primary one. */
  branchId?: string;
}

/** A project as it is born (specification, section 1), whose creation has ended already. Throws 409 when the id is taken. */
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
    // A project without the endpoint that it was to have is none.
    platform.projects.delete(id);
    throw error;
  } finally {
    platform.settings = { ...platform.settings, operationMs, operationMsByAction };
    platform.computes = computes;
  }
}

/** Projects with their branches and endpoints. Throws as the seeds of those do. */
export function seedContents(platform: Platform, contents: readonly ProjectContents[]): void {
  for (const { branches = [], endpoints = [], ...seed } of contents) {
    const project = seedProject(platform, seed);
    for (const branch of branches) seedBranch(platform, project, branch);
    for (const endpoint of endpoints) seedEndpoint(platform, project, endpoint);
  }
}

/** A branch that is ready, without any operation. Throws 409 when the id is taken, 404 for an unknown parent. */
export function seedBranch(platform: Platform, project: Project, seed: BranchSeed): BranchRecord {
  const id = seed.id ?? platform.newId("br-");
  if (project.branches.has(id)) throw conflict(`branch ${id} already exists`);
  if (seed.name !== undefined) assertNameFree(project, seed.name);
  const parentId = seed.parentId ?? project.primaryBranch()?.id;
  if (parentId !== undefined) platform.branch(project, parentId);
  if (seed.id !== undefined) platform.computes?.reconcile();
  const branch = newBranchRecord(platform, project, { id, name: seed.name, parentId });
  project.branches.set(id, branch);
  if (seed.endpoint) seedEndpoint(platform, project, { ...seed.endpoint, branch_id: id });
  return branch;
}

/** An endpoint at rest, without any operation. Throws 404, 409 and 400 as a create does. */
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
