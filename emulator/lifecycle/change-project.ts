/** Changes of a project that is there: its name and settings, and its end. */

import { toTimestamp } from "../lib/timestamp";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { DefaultEndpointSettings, Project } from "../model/project";
import { assertUnlocked } from "./change";
import { assertDefaultSettings } from "./create-endpoint";
import { startOperation } from "./operation-run";

/** An update request (specification, section 4, published): absent fields stay as they are. */
export interface ProjectUpdate {
  name?: string;
  history_retention_seconds?: number;
  default_endpoint_settings?: DefaultEndpointSettings;
  settings?: Record<string, unknown>;
}

/**
 * Changes the project's record. Another retention of its history is an apply_storage_config operation (specification, section
 * 2.1); nothing else takes one. Throws 423 while the project is being deleted, 400 for a default size that is none.
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
 * Deletes a project with all that is in it. What runs there no longer matters; the project itself answers until its
 * delete_tenant operation has ended. Throws 423 when its deletion has begun already.
 */
export function deleteProject(platform: Platform, project: Project): void {
  assertUnlocked(platform, project, []);
  project.deleting = true;
  const now = platform.now();
  const branchId = project.primaryBranch()?.id ?? "";
  for (const endpoint of [...project.endpoints.values()]) project.removeEndpoint(endpoint, now);
  project.branches.clear();
  project.annotations.clear();
  const onSuccess = () => platform.projects.delete(project.record.id);
  startOperation(platform, project, { action: "delete_tenant", branchId, onSuccess });
}
