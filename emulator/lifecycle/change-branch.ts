/** Changes of an existing branch: its update and its delete. */

import { unprocessable } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import type { BranchRecord, RestrictedAction } from "../model/branch";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { expiryFields, reasonToKeep, removeBranch, scheduleExpiry } from "./branch-end";
import { assertUnlocked } from "./change";
import { assertNameFree } from "./create-branch";

/** An update request (specification, section 4, published): absent fields stay. */
export interface BranchUpdate {
  name?: string;
  protected?: boolean;
  /** When it goes by itself (RFC 3339); null: never. */
  expires_at?: string | null | undefined;
}

/** A change outside the API; null puts back the restrictions that a branch of its kind has. */
export interface BranchDrift extends BranchUpdate {
  restricted_actions?: RestrictedAction[] | null | undefined;
}

/** Updates a branch's record, without an operation. Throws 409 for a taken name, 400 for an expiry in the past. */
export function updateBranch(
  platform: Platform,
  project: Project,
  branch: BranchRecord,
  update: BranchUpdate,
): BranchRecord {
  assertUnlocked(platform, project, []);
  return changeBranch(platform, project, branch, update);
}

/** Changes a branch's record as somebody else might. Throws 409 for a taken name, 400 for an expiry in the past. */
export function changeBranch(
  platform: Platform,
  project: Project,
  branch: BranchRecord,
  { expires_at, restricted_actions, ...update }: BranchDrift,
): BranchRecord {
  if (update.name !== undefined) assertNameFree(project, update.name, branch.id);
  const changed: BranchRecord = { ...branch, ...update, updated_at: toTimestamp(platform.now()) };
  if (restricted_actions !== undefined) delete changed.restricted_actions;
  if (restricted_actions) changed.restricted_actions = [...restricted_actions];

  if (expires_at !== undefined) {
    const { expires_at: _, ttl_interval_seconds: __, ...others } = changed;
    const expiring: BranchRecord = { ...others, ...expiryFields(platform, expires_at) };
    project.branches.set(branch.id, expiring);
    scheduleExpiry(platform, project, expiring);
    return expiring;
  }
  project.branches.set(branch.id, changed);
  return changed;
}

/** Deletes a branch with its endpoints at once. Throws 422 if something keeps it, 423 while busy. */
export function deleteBranch(platform: Platform, project: Project, branch: BranchRecord): Operation[] {
  const endpoints = project.endpointsOn(branch.id);
  assertUnlocked(platform, project, [branch.id, ...endpoints.map(({ record }) => record.id)]);
  const reason = reasonToKeep(platform, project, branch);
  if (reason) throw unprocessable(`branch ${branch.id} cannot be deleted: ${reason}`);
  return removeBranch(platform, project, branch);
}
