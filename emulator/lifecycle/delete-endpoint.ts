/** The delete of an endpoint, and what keeps one on its branch. */
import { unprocessable } from "../lib/errors";
import { isRoot, reasonToStay } from "../model/branch";
import { type Endpoint, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { assertUnlocked } from "./change";
import { cutConnections, suspendPlan } from "./compute";
import { startOperations } from "./operation-run";

/**
 * Deletes an endpoint at once (specification, section 4.6). Throws 423 while busy, 422 for a root branch's read-write
 * endpoint, and on a branch that restricts it.
 */
export function deleteEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  const { record } = endpoint;
  assertUnlocked(platform, project, [record.id, record.branch_id]);
  const branch = project.branches.get(record.branch_id);
  if (branch && !platform.settings.branchRules && isRoot(branch) && record.type === "read_write") {
    throw unprocessable(`endpoint ${record.id} cannot be deleted: it is the read_write endpoint of a root branch`);
  }
  assertMayLeave(platform, project, endpoint, "deleted");

  const running = isRunning(record);
  const plan = suspendPlan(platform, project, endpoint);
  dropEndpoint(platform, project, endpoint);
  return running ? startOperations(platform, project, [plan]) : [];
}

/** Throws 422 if the endpoint's branch lets none of its type go. */
export function assertMayLeave(
  platform: Platform,
  project: Project,
  { record }: Endpoint,
  how: "deleted" | "moved",
): void {
  const branch = project.branches.get(record.branch_id);
  const reason = platform.settings.branchRules && branch && reasonToStay(branch, record.type);
  if (reason) throw unprocessable(`endpoint ${record.id} of branch ${branch.id} cannot be ${how}: ${reason}`);
}

/** Removes an endpoint without checks or operations, as somebody else might. */
export function dropEndpoint(platform: Platform, project: Project, endpoint: Endpoint): void {
  cutConnections(platform, endpoint);
  project.removeEndpoint(endpoint, platform.now());
}
