/** Changes of an existing project: its update and its delete. */

import { unprocessable } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { DefaultEndpointSettings, Project } from "../model/project";
import { assertUnlocked } from "./change";
import { assertDefaultSettings } from "./create-endpoint";
import { startOperation } from "./operation-run";

/** An update request (specification, section 4, published): absent fields stay. */
export interface ProjectUpdate {
  name?: string;
  history_retention_seconds?: number;
  default_endpoint_settings?: DefaultEndpointSettings;
  settings?: Record<string, unknown>;
}

/**
 * Updates a project's record; new history retention takes an operation (specification, section 2.1). Throws 423 during
 * its delete, 400 for an invalid size.
 */
export function updateProject(platform: Platform, project: Project, update: ProjectUpdate): Operation[] {
  assertUnlocked(platform, project, []);
  assertDefaultSettings(platform, project, update.default_endpoint_settings);
  const before = project.record;
  project.record = { ...before, ...update, updated_at: toTimestamp(platform.now()) };
  const branchId = project.primaryBranch()?.id;
  const retention = project.record.history_retention_seconds;
  if (branchId === undefined || retention === before.history_retention_seconds) return [];
  return [startOperation(platform, project, { action: "apply_storage_config", branchId })];
}

/**
 * Deletes a project with all its contents; it answers until its delete_tenant operation ends. Throws 423 for a second
 * delete, 422 while a branch is protected.
 */
export function deleteProject(platform: Platform, project: Project): void {
  assertUnlocked(platform, project, []);
  const kept = platform.settings.branchRules && [...project.shownBranches()].find((branch) => branch.protected);
  if (kept) throw unprocessable(`project ${project.record.id} cannot be deleted: branch ${kept.id} is protected`);

  project.deleting = true;
  const now = platform.now();
  const branchId = project.primaryBranch()?.id ?? "";
  for (const endpoint of [...project.endpoints.values()]) project.removeEndpoint(endpoint, now);

  project.branches.clear();
  project.annotations.clear();
  const onSuccess = () => platform.projects.delete(project.record.id);
  startOperation(platform, project, { action: "delete_tenant", branchId, onSuccess });
}
