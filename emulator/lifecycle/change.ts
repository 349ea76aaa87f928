/**
 * The common part of every change of an endpoint: it is refused while a related operation is open, and the endpoint shows a pending
 * state while its operations run one after the other.
 */

import { ApiError } from "../lib/errors";
import { type Endpoint, type EndpointState, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { type OperationPlan, startOperations } from "./operation-run";

/** Plans one operation of an endpoint's change, and does not start it. */
export type PlanMaker = (platform: Platform, project: Project, endpoint: Endpoint) => OperationPlan;

/**
 * Refuses a change (423, or what `lockStatus` says) while a related operation is open (specification, section 7): one of the
 * given endpoints and branches, or with `lock: "project"` any of the project.
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

/** Shows the state that the endpoint is on its way to, and starts the operations one after the other. */
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

/** An apply_config operation: at its end a compute that does not run is in the state of one that rests. */
export const applyPlan: PlanMaker = (platform, project, endpoint) => ({
  action: "apply_config",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (isPresent(project, endpoint) && !isRunning(endpoint.record)) rest(platform, project, endpoint);
  },
});

/** Shows a compute that does not run in the state of one that rests. */
export function rest(platform: Platform, project: Project, endpoint: Endpoint): void {
  const { current_state: state, disabled } = endpoint.record;
  // A new compute that never came up stays as it is: only disabling ends that.
  const next = disabled || state === "stopped" ? platform.restingState(endpoint.record) : state;
  if (next !== state) project.changeEndpoint(endpoint, { current_state: next }, platform.now());
}

/** The place where an endpoint's operations run. */
export function placeOf(endpoint: Endpoint): { branchId: string; endpointId: string; endpoint: Endpoint } {
  return { branchId: endpoint.record.branch_id, endpointId: endpoint.record.id, endpoint };
}

/** Whether the endpoint still exists: it may have been deleted while an operation ran. */
export function isPresent(project: Project, endpoint: Endpoint): boolean {
  return project.endpoints.get(endpoint.record.id) === endpoint;
}
