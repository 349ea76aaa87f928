/** What happens behind everybody's back: things vanish and change without a call, and the platform starts operations. */

import { toTimestamp } from "../lib/timestamp";
import { dropBranch } from "../lifecycle/change-branch";
import { watchIdleness } from "../lifecycle/compute";
import { wholeSettings } from "../lifecycle/create-endpoint";
import { dropEndpoint } from "../lifecycle/delete-endpoint";
import { startOperation } from "../lifecycle/operation-run";
import type { EndpointUpdate } from "../lifecycle/update-endpoint";
import type { Endpoint, EndpointRecord } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";

/** Fields of an endpoint that somebody else changes; the state is taken as given, too. */
export interface EndpointDrift extends EndpointUpdate {
  current_state?: EndpointRecord["current_state"];
}

/** An operation that the platform starts by itself. */
export interface OperationRequest {
  projectId: string;
  action: string;
  /** Default the endpoint's branch, or else the primary one. */
  branchId?: string;
  endpointId?: string;
  /** How many of them. Default 1. */
  count?: number;
}

/** Changes an endpoint without any check, operation or restart. Throws 404 for an unknown endpoint or branch. */
export function driftEndpoint(platform: Platform, endpointId: string, changes: EndpointDrift): Endpoint {
  const { project, endpoint } = platform.findEndpoint(endpointId);
  if (changes.branch_id !== undefined) platform.branch(project, changes.branch_id);
  const now = platform.now();
  const { settings, ...others } = changes;
  const whole = settings && { settings: wholeSettings(platform, settings, endpoint.record.settings) };
  const { current_state: before } = endpoint.record;
  project.changeEndpoint(endpoint, { ...others, ...whole, updated_at: toTimestamp(now) }, now);
  if (endpoint.record.current_state !== "active") return endpoint;
  if (before !== "active") endpoint.lastActiveAt = now;
  watchIdleness(platform, project, endpoint);
  return endpoint;
}

/** Takes a branch and its endpoints away without any check or operation. Throws 404. */
export function dropWholeBranch(platform: Platform, project: Project, branchId: string): void {
  platform.branch(project, branchId);
  for (const endpoint of project.endpointsOn(branchId)) dropEndpoint(platform, project, endpoint);
  dropBranch(project, branchId);
}

/**
 * Starts operations that the control plane starts by itself, such as the periodic check_availability (specification, section
 * 2.1). They lock what they run on like any other, and change nothing. Returns the last one. Throws 404.
 */
export function startOwnOperations(platform: Platform, request: OperationRequest): Operation {
  const project = platform.project(request.projectId);
  const endpoint = request.endpointId === undefined ? undefined : platform.endpoint(project, request.endpointId);
  const branchId = request.branchId ?? endpoint?.record.branch_id ?? project.primaryBranch()?.id ?? "";
  platform.branch(project, branchId);
  const place = { branchId, ...(endpoint && { endpointId: endpoint.record.id }) };
  const plan = { action: request.action, ...place, changesNothing: true };
  let operation = startOperation(platform, project, plan);
  for (let more = (request.count ?? 1) - 1; more > 0; more--) operation = startOperation(platform, project, plan);
  return operation;
}
