import { branchPlan } from "../lifecycle/create-branch";
import { dropEndpoint } from "../lifecycle/delete-endpoint";
import { startOperation } from "../lifecycle/operation-run";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import type { OperationRequest } from "./emulator-admin";

/** Takes a branch and its endpoints away without any check or operation. Throws 404. */
export function dropBranch(platform: Platform, project: Project, branchId: string): void {
  platform.branch(project, branchId);
  for (const endpoint of project.endpointsOn(branchId)) dropEndpoint(platform, project, endpoint);
  project.branches.delete(branchId);
}

/**
 * Starts operations that the control plane starts by itself, such as the periodic check_availability (section 2.1).
 * They lock what they run on like any other, and change nothing. Returns the last one. Throws 404.
 */
export function runOperations(platform: Platform, request: OperationRequest): Operation {
  const project = platform.project(request.projectId);
  const endpoint = request.endpointId === undefined ? undefined : platform.endpoint(project, request.endpointId);
  const branchId = request.branchId ?? endpoint?.record.branch_id ?? project.primaryBranch()?.id ?? "";
  platform.branch(project, branchId);
  const place = branchPlan(platform, project, request.action, branchId);
  const plan = endpoint ? { ...place, endpointId: endpoint.record.id } : place;
  let operation = startOperation(platform, project, plan);
  for (let more = (request.count ?? 1) - 1; more > 0; more--) operation = startOperation(platform, project, plan);
  return operation;
}
