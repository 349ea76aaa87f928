/** Changes of an existing branch: its update and its delete. */

import { unprocessable } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import type { BranchRecord } from "../model/branch";
import { isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { assertUnlocked } from "./change";
import { suspendPlan } from "./compute";
import { assertNameFree } from "./create-branch";
import { dropEndpoint } from "./delete-endpoint";
import { startOperations } from "./operation-run";

/** An update request (specification, section 4, published): absent fields stay. */
export interface BranchUpdate {
  name?: string;
  protected?: boolean;
}

/** Updates a branch's record, without an operation. Throws 409 for a taken name. */
export function updateBranch(
  platform: Platform,
  project: Project,
  branch: BranchRecord,
  update: BranchUpdate,
): BranchRecord {
  assertUnlocked(platform, project, []);
  if (update.name !== undefined) assertNameFree(project, update.name, branch.id);
  const changed = { ...branch, ...update, updated_at: toTimestamp(platform.now()) };
  project.branches.set(branch.id, changed);
  return changed;
}

/** Deletes a branch with its endpoints at once. Throws 422 for the primary branch or a parent, 423 while busy. */
export function deleteBranch(platform: Platform, project: Project, branch: BranchRecord): Operation[] {
  const endpoints = project.endpointsOn(branch.id);
  assertUnlocked(platform, project, [branch.id, ...endpoints.map(({ record }) => record.id)]);
  if (branch.primary) throw unprocessable(`branch ${branch.id} cannot be deleted: it is the project's primary branch`);
  const child = [...project.branches.values()].find((one) => one.parent_id === branch.id && !one.snapshot);
  if (child) throw unprocessable(`branch ${branch.id} cannot be deleted: ${child.id} is its child`);

  const running = endpoints.filter(({ record }) => isRunning(record));
  const suspensions = running.map((endpoint) => suspendPlan(platform, project, endpoint));
  for (const endpoint of endpoints) dropEndpoint(platform, project, endpoint);
  dropBranch(project, branch.id);
  return startOperations(platform, project, [...suspensions, { action: "delete_timeline", branchId: branch.id }]);
}

/** Removes a branch without checks or operations. The caller removes its endpoints. */
export function dropBranch(project: Project, branchId: string): void {
  project.branches.delete(branchId);
  project.annotations.delete(branchId);
}
