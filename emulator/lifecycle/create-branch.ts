/** The creation of a branch, from the request to the record. */
import { ApiError, badRequest, conflict } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { annotationOf, type BranchRecord } from "../model/branch";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { expiryFields, scheduleExpiry } from "./branch-end";
import { applyPlan, assertUnlocked } from "./change";
import { startPlan } from "./compute";
import { addEndpoint, type NewEndpoint, newEndpointRecord } from "./create-endpoint";
import { type OperationPlan, startOperation } from "./operation-run";

/** A create-branch request (specification, section 4.7, published). Default parent: the primary branch. */
export interface NewBranch {
  name?: string | undefined;
  parentId?: string | undefined;
  protected?: boolean;
  /** When it goes by itself (RFC 3339). */
  expiresAt?: string | undefined;
  annotation?: Record<string, string>;
  /** The field that asks for other data than the parent's current ones, which real computes lack. */
  otherData?: string;
  /** Endpoints to create on the branch, each valid by itself. */
  endpoints: Omit<NewEndpoint, "branch_id">[];
}

/**
 * Creates a branch, then starts its endpoints. Throws 404, 400, 409 for a taken name, and 501 for data that computes
 * lack.
 */
export function createBranch(platform: Platform, project: Project, request: NewBranch) {
  const parent = request.parentId === undefined ? project.primaryBranch() : platform.branch(project, request.parentId);
  if (platform.computes && request.otherData !== undefined) {
    throw new ApiError(
      501,
      "",
      `branch.${request.otherData}: the emulator's branches have their parent's data as they are now`,
    );
  }

  const writers = request.endpoints.filter((endpoint) => endpoint.type === "read_write");
  if (writers.length > 1) throw badRequest("endpoints: a branch has at most one read_write endpoint");
  const id = platform.newId("br-");
  const records = request.endpoints.map((endpoint) =>
    newEndpointRecord(platform, project, { ...endpoint, branch_id: id }),
  );
  assertUnlocked(platform, project, parent ? [parent.id] : []);
  if (request.name !== undefined) assertNameFree(project, request.name);

  const record = newBranchRecord(platform, project, { id, name: request.name, parentId: parent?.id });
  const branch: BranchRecord = {
    ...record,
    protected: request.protected ?? false,
    ...expiryFields(platform, request.expiresAt),
    current_state: "init",
    pending_state: "ready",
  };

  project.branches.set(id, branch);
  scheduleExpiry(platform, project, branch);
  if (request.annotation) project.annotations.set(id, annotationOf(branch, request.annotation));
  const creation = startOperation(platform, project, branchPlan(platform, project, "create_branch", id));
  const endpoints: Endpoint[] = [];
  const operations = [creation];

  for (const endpointRecord of records) {
    const endpoint = addEndpoint(platform, project, {
      ...endpointRecord,
      pending_state: endpointRecord.disabled ? platform.settings.disabledState : "active",
    });
    const plan = (endpointRecord.disabled ? applyPlan : startPlan)(platform, project, endpoint);
    operations.push(startOperation(platform, project, plan, creation));
    endpoints.push(endpoint);
  }
  return { branch, endpoints, operations };
}

/** Throws 409 if another branch of the project has the name (specification, section 7, published). */
export function assertNameFree(project: Project, name: string, branchId?: string): void {
  const holder = [...project.branches.values()].find((branch) => branch.name === name && branch.id !== branchId);
  if (holder) throw conflict(`branch ${JSON.stringify(name)} already exists: ${holder.id}`);
}

/** Plans an operation after which the branch is ready. */
export function branchPlan(platform: Platform, project: Project, action: string, branchId: string): OperationPlan {
  return {
    action,
    branchId,
    onSuccess: () => {
      const branch = project.branches.get(branchId);
      if (branch?.pending_state !== "ready") return;
      const { pending_state: _done, ...rest } = branch;
      const time = toTimestamp(platform.now());
      project.branches.set(branchId, { ...rest, current_state: "ready", state_changed_at: time, updated_at: time });
    },
  };
}

/** The record of a ready branch; without a parent a root branch. Default name: the id. */
export function newBranchRecord(
  platform: Platform,
  project: Project,
  branch: { id: string; name?: string | undefined; parentId?: string | undefined; primary?: boolean },
): BranchRecord {
  const time = toTimestamp(platform.now());
  return {
    id: branch.id,
    project_id: project.record.id,
    ...(branch.parentId !== undefined && { parent_id: branch.parentId }),
    name: branch.name ?? branch.id,
    current_state: "ready",
    primary: branch.primary ?? false,
    default: branch.primary ?? false,
    protected: false,
    creation_source: "api",
    init_source: "parent-data",
    cpu_used_sec: 0,
    active_time_seconds: 0,
    compute_time_seconds: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    state_changed_at: time,
    created_at: time,
    updated_at: time,
  };
}
