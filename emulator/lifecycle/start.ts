import { endpointDisabled } from "../errors";
import { type Endpoint, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { toTimestamp } from "../model/timestamp";
import { watchIdleness } from "./autosuspend";
import { change, isPresent, type PlanMaker, placeOf } from "./change";
import { cutConnections, suspendPlan } from "./suspend";

/** Starts a compute. Nothing happens when it runs already; throws 406 when the endpoint is disabled. */
export function startEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  if (endpoint.record.disabled) throw endpointDisabled(endpoint.record.id);
  if (isRunning(endpoint.record)) return [];
  return change(platform, project, endpoint, "active", [startPlan]);
}

/** Suspends, then starts; a compute that does not run is only started. Throws 406 when the endpoint is disabled. */
export function restartEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  if (!isRunning(endpoint.record)) return startEndpoint(platform, project, endpoint);
  if (endpoint.record.disabled) throw endpointDisabled(endpoint.record.id);
  cutConnections(endpoint);
  return change(platform, project, endpoint, "active", [suspendPlan, startPlan]);
}

/** A start_compute operation: at its end the endpoint is active and takes the connections that waited. */
export const startPlan: PlanMaker = (platform, project, endpoint) => ({
  action: "start_compute",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (!isPresent(project, endpoint) || endpoint.record.disabled) return;
    const now = platform.now();
    const time = toTimestamp(now);
    endpoint.connections += endpoint.waiting;
    endpoint.waiting = 0;
    endpoint.lastActiveAt = now;
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
