/** Starts, suspends and restarts computes, and suspends idle ones. */

import { endpointDisabled, unprocessable } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { type Endpoint, isRunning, suspendDelayMs } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { change, isPresent, type PlanMaker, placeOf } from "./change";
import { startOperation } from "./operation-run";

/** Starts a compute; does nothing if it runs. Throws 406 for a disabled endpoint. */
export function startEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  if (endpoint.record.disabled) throw endpointDisabled(endpoint.record.id);
  if (isRunning(endpoint.record)) return [];
  return change(platform, project, endpoint, "active", [startPlan]);
}

/** Suspends a running compute and cuts its connections (specification, section 3.3); otherwise does nothing. */
export function suspendEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  if (!isRunning(endpoint.record)) return [];
  cutConnections(platform, endpoint);
  return change(platform, project, endpoint, "idle", [suspendPlan]);
}

/**
 * Suspends, then starts. `idleRestart` decides on a stopped compute: a start or 422. Throws 406 for a disabled
 * endpoint.
 */
export function restartEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  const { id, disabled, current_state } = endpoint.record;
  if (disabled) throw endpointDisabled(id);
  if (!isRunning(endpoint.record)) {
    if (platform.settings.idleRestart === "start") return startEndpoint(platform, project, endpoint);
    throw unprocessable(`endpoint ${id} is ${current_state}: only an active one can be restarted`);
  }
  cutConnections(platform, endpoint);
  return change(platform, project, endpoint, "active", [suspendPlan, startPlan]);
}

/**
 * Plans a start_compute operation, after which the endpoint is active. Beyond the limit of active computes it is
 * skipped or fails.
 */
export const startPlan: PlanMaker = (platform, project, endpoint) =>
  isOneTooMany(platform, project, endpoint)
    ? refusedStart(platform, project, endpoint)
    : start(platform, project, endpoint);

const refusedStart: PlanMaker = (platform, project, endpoint) => {
  const { activeComputes, activeLimit } = platform.settings;
  const { action, onFailure, ...place } = start(platform, project, endpoint);
  const error = `project ${project.record.id} has ${activeComputes} active computes, and may have no more`;
  return activeLimit === "failed"
    ? { ...place, action, failure: error, ...(onFailure && { onFailure }) }
    : { ...place, action, skipped: true, changesNothing: true, ...(onFailure && { onSuccess: onFailure }) };
};

/** True if the project has its maximum of active computes. The default branch's does not count. */
function isOneTooMany({ settings }: Platform, project: Project, endpoint: Endpoint): boolean {
  const { activeComputes } = settings;
  const primary = project.primaryBranch()?.id;
  if (activeComputes === undefined || endpoint.record.branch_id === primary) return false;
  const counts = (one: Endpoint) =>
    one !== endpoint &&
    one.record.branch_id !== primary &&
    (one.record.pending_state ?? one.record.current_state) === "active";
  return [...project.endpoints.values()].filter(counts).length >= activeComputes;
}

const start: PlanMaker = (platform, project, endpoint) => ({
  action: "start_compute",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (!isPresent(project, endpoint) || endpoint.record.disabled) {
      endpoint.waiting = 0;
      return;
    }

    const now = platform.now();
    const time = toTimestamp(now);
    endpoint.connections += endpoint.waiting;
    endpoint.waiting = 0;
    endpoint.lastActiveAt = now;
    if (endpoint.record.current_state !== "active") endpoint.outdated = undefined;
    project.changeEndpoint(endpoint, { current_state: "active", started_at: time, last_active: time }, now);
    watchIdleness(platform, project, endpoint);
  },
  onFailure: () => {
    endpoint.waiting = 0;
    if (isPresent(project, endpoint) && endpoint.record.current_state === "init") {
      project.changeEndpoint(endpoint, { current_state: "idle" }, platform.now());
    }
  },
});

/** Plans a suspend_compute operation, after which the compute is stopped without connections. */
export const suspendPlan: PlanMaker = (platform, project, endpoint) => ({
  action: "suspend_compute",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (!isPresent(project, endpoint)) return;
    const now = platform.now();
    // Waiting connections are for the next start; those that came during a retried suspend are cut.
    endpoint.dropped += endpoint.connections;
    endpoint.connections = 0;
    endpoint.outdated = undefined;
    const current_state = platform.restingState(endpoint.record);
    project.changeEndpoint(endpoint, { current_state, suspended_at: toTimestamp(now) }, now);
  },
  onFailure: () => {
    if (!isPresent(project, endpoint)) return;
    // The compute keeps running, no longer kept awake by the cut connection's check. The idle delay restarts.
    endpoint.lastActiveAt = platform.now();
    watchIdleness(platform, project, endpoint);
  },
});

/**
 * Records that a real compute ended by itself: a failed check_availability has the reason, and the next connection
 * starts it.
 */
export function loseCompute(platform: Platform, project: Project, endpoint: Endpoint, failure: string): void {
  if (!isPresent(project, endpoint) || endpoint.record.current_state !== "active") return;
  const now = platform.now();
  endpoint.outdated = undefined;
  const current_state = platform.restingState(endpoint.record);
  project.changeEndpoint(endpoint, { current_state, suspended_at: toTimestamp(now) }, now);
  startOperation(platform, project, { action: "check_availability", ...placeOf(endpoint), failure });
}

/** Drops an endpoint's connections, waiting ones included. A real compute drops its own. */
export function cutConnections(platform: Platform, endpoint: Endpoint): void {
  if (platform.computes) return;
  endpoint.dropped += endpoint.connections + endpoint.waiting;
  endpoint.connections = 0;
  endpoint.waiting = 0;
}

/**
 * Schedules an endpoint's next idle check (specification, section 3.4), at most one. If it was used meanwhile, the
 * check schedules another.
 */
export function watchIdleness(platform: Platform, project: Project, endpoint: Endpoint): void {
  const dueAt = endpoint.lastActiveAt + suspendDelayMs(endpoint.record, platform.settings);
  if (!Number.isFinite(dueAt)) {
    endpoint.suspendCheckAt = undefined;
    return;
  }

  if (endpoint.suspendCheckAt !== undefined && endpoint.suspendCheckAt <= dueAt) return;
  const at = Math.max(dueAt, platform.now());
  endpoint.suspendCheckAt = at;

  platform.agenda.add(at, () => {
    // An earlier check has replaced this one.
    if (endpoint.suspendCheckAt !== at) return;
    endpoint.suspendCheckAt = undefined;
    suspendIfIdle(platform, project, endpoint);
  });
}

function suspendIfIdle(platform: Platform, project: Project, endpoint: Endpoint): void {
  const { id, current_state: state } = endpoint.record;
  if (!isPresent(project, endpoint) || state !== "active") return;
  const { computes } = platform;
  if (computes?.isBusy(endpoint)) endpoint.lastActiveAt = platform.now();
  else if (!computes && endpoint.connections > 0) return;
  const early = endpoint.lastActiveAt + suspendDelayMs(endpoint.record, platform.settings) > platform.now();

  if (early) watchIdleness(platform, project, endpoint);
  else if (!project.open.has(id)) suspendEndpoint(platform, project, endpoint);
  else {
    // An operation is open; the full delay counts again after it.
    endpoint.lastActiveAt = platform.now();
    watchIdleness(platform, project, endpoint);
  }
}
