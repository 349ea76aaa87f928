/** A compute's way between active and idle: it is started, suspended, restarted, and suspends itself when nobody uses it. */

import { endpointDisabled, unprocessable } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { type Endpoint, isRunning, suspendDelayMs } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { change, isPresent, type PlanMaker, placeOf } from "./change";
import { startOperation } from "./operation-run";

/** Starts a compute. Nothing happens when it runs already; throws 406 when the endpoint is disabled. */
export function startEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  if (endpoint.record.disabled) throw endpointDisabled(endpoint.record.id);
  if (isRunning(endpoint.record)) return [];
  return change(platform, project, endpoint, "active", [startPlan]);
}

/** Suspends a running compute and cuts its connections (specification, section 3.3). Nothing happens when it does not run. */
export function suspendEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  if (!isRunning(endpoint.record)) return [];
  cutConnections(platform, endpoint);
  return change(platform, project, endpoint, "idle", [suspendPlan]);
}

/**
 * Suspends, then starts; a compute that does not run is only started, or refused with 422 where `idleRestart` says so. Throws 406 when
 * the endpoint is disabled.
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
 * A start_compute operation: at its end the endpoint is active and takes the connections that waited. Beyond what the project may have
 * active at once it is skipped, or fails.
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

/** Whether another compute of the project may be active. That of the default branch always may, and does not count. */
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

/** A suspend_compute operation: at its end the compute rests and no connection is left. */
export const suspendPlan: PlanMaker = (platform, project, endpoint) => ({
  action: "suspend_compute",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (!isPresent(project, endpoint)) return;
    const now = platform.now();
    // Those that wait are for the start that follows; what slipped in while the suspend was tried again is cut.
    endpoint.dropped += endpoint.connections;
    endpoint.connections = 0;
    endpoint.outdated = undefined;
    const current_state = platform.restingState(endpoint.record);
    project.changeEndpoint(endpoint, { current_state, suspended_at: toTimestamp(now) }, now);
  },
  onFailure: () => {
    if (!isPresent(project, endpoint)) return;
    // The compute keeps running, but the check of a cut connection no longer keeps it awake. The idle delay starts anew.
    endpoint.lastActiveAt = platform.now();
    watchIdleness(platform, project, endpoint);
  },
});

/**
 * A real compute has ended by itself: the endpoint rests, as after a suspend, and a check_availability that failed says why. The next
 * connection starts it.
 */
export function loseCompute(platform: Platform, project: Project, endpoint: Endpoint, failure: string): void {
  if (!isPresent(project, endpoint) || endpoint.record.current_state !== "active") return;
  const now = platform.now();
  endpoint.outdated = undefined;
  const current_state = platform.restingState(endpoint.record);
  project.changeEndpoint(endpoint, { current_state, suspended_at: toTimestamp(now) }, now);
  startOperation(platform, project, { action: "check_availability", ...placeOf(endpoint), failure });
}

/** Drops every connection of an endpoint, those that wait included. A real compute drops its own when it stops. */
export function cutConnections(platform: Platform, endpoint: Endpoint): void {
  if (platform.computes) return;
  endpoint.dropped += endpoint.connections + endpoint.waiting;
  endpoint.connections = 0;
  endpoint.waiting = 0;
}

/**
 * Schedules the next idle check of an endpoint (specification, section 3.4), at most one per endpoint. A check that
 * comes early, because of an access in between, schedules the next.
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
    // A look that was replaced by an earlier one is void.
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
    // Something is under way for it; whatever that leaves running has not been idle for the whole delay.
    endpoint.lastActiveAt = platform.now();
    watchIdleness(platform, project, endpoint);
  }
}
