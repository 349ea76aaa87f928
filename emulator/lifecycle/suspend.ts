import { type Endpoint, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { toTimestamp } from "../model/timestamp";
import { change, isPresent, type PlanMaker, placeOf } from "./change";

/** Suspends a running compute and cuts its connections (section 3.3). Nothing happens when it does not run. */
export function suspendEndpoint(platform: Platform, project: Project, endpoint: Endpoint): Operation[] {
  if (!isRunning(endpoint.record)) return [];
  cutConnections(endpoint);
  return change(platform, project, endpoint, "idle", [suspendPlan]);
}

/** A suspend_compute operation: at its end the endpoint is idle, or stopped when it is disabled. */
export const suspendPlan: PlanMaker = (platform, project, endpoint) => ({
  action: "suspend_compute",
  ...placeOf(endpoint),
  onSuccess: () => {
    if (!isPresent(project, endpoint)) return;
    const now = platform.now();
    const state = endpoint.record.disabled ? "stopped" : "idle";
    // Those that wait are for the start that follows; what slipped in while the suspend was tried again is cut.
    endpoint.dropped += endpoint.connections;
    endpoint.connections = 0;
    project.changeEndpoint(endpoint, { current_state: state, suspended_at: toTimestamp(now) }, now);
  },
});

/** Drops every connection of an endpoint, those that wait included. */
export function cutConnections(endpoint: Endpoint): void {
  endpoint.dropped += endpoint.connections + endpoint.waiting;
  endpoint.connections = 0;
  endpoint.waiting = 0;
}
