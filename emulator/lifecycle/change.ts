/** The common part of endpoint changes: the refusal while operations are open, and the pending state during its own. */

import { ApiError } from "../lib/errors";
import { type Endpoint, type EndpointState, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { type OperationPlan, startOperations } from "./operation-run";

/** Plans one operation of an endpoint's change, without starting it. */
export type PlanMaker = (platform: Platform, project: Project, endpoint: Endpoint) => OperationPlan;

/**
 * Refuses a change while an operation is open (specification, section 7): of these targets, or with `lock: "project"`
 * of the project.
 */
export function assertUnlocked(platform: Platform, project: Project, targets: readonly string[]): void {
  const { lock, lockStatus } = platform.settings;
  if (project.deleting) throw new ApiError(lockStatus, "", `project ${project.record.id} is being deleted`);
  if (lock === "none") return;
  const busy = lock === "project" ? [...project.open.keys()][0] : targets.find((target) => project.open.has(target));
  if (busy === undefined) return;

  const operation = [...(project.open.get(busy) ?? [])][0];
  throw new ApiError(
    lockStatus,
    "",
    `${busy} is busy: operation ${operation?.id ?? ""} (${operation?.action ?? ""}) is ${operation?.status ?? "open"}; ` +
      "wait until it has ended",
  );
}

/** Sets the endpoint's pending state and starts the operations, one after another. */
export function change(
  platform: Platform,
  project: Project,
  endpoint: Endpoint,
  pending: EndpointState,
  makers: readonly PlanMaker[],
): Operation[] {
  if (makers.length === 0) return [];
  project.changeEndpoint(endpoint, { pending_state: pending }, platform.now());
  const plans = makers.map((make) => make(platform, project, endpoint));
  const stopsAt = plans.findIndex(({ action }) => action === "suspend_compute");
  endpoint.restarting = stopsAt >= 0 && plans.slice(stopsAt).some(({ action }) => action === "start_compute");
  return startOperations(platform, project, plans);
}

/** Plans an apply_config operation. After it, a stopped compute has its resting state. */
export const applyPlan: PlanMaker = (platform, project, endpoint) => ({
  action: "apply_config",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (isPresent(project, endpoint) && !isRunning(endpoint.record)) rest(platform, project, endpoint);
  },
});

/** Puts a stopped compute into its resting state. */
export function rest(platform: Platform, project: Project, endpoint: Endpoint): void {
  const { current_state: state, disabled } = endpoint.record;
  // A new compute that never started stays as it is, unless disabled.
  const next = disabled || state === "stopped" ? platform.restingState(endpoint.record) : state;
  if (next !== state) project.changeEndpoint(endpoint, { current_state: next }, platform.now());
}

/** The place of an endpoint's operations. */
export function placeOf(endpoint: Endpoint): { branchId: string; endpointId: string; endpoint: Endpoint } {
  return { branchId: endpoint.record.branch_id, endpointId: endpoint.record.id, endpoint };
}

/** True if the endpoint still exists: it may be deleted while an operation runs. */
export function isPresent(project: Project, endpoint: Endpoint): boolean {
  return project.endpoints.get(endpoint.record.id) === endpoint;
}
