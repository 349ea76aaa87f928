import { type Endpoint, suspendDelayMs } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { suspendEndpoint } from "./suspend";

/**
 * Plans the next look at an endpoint's idleness (section 3.4). At most one look is planned for an endpoint: one that
 * comes too early, because of an access in between, plans the next.
 */
export function watchIdleness(platform: Platform, project: Project, endpoint: Endpoint): void {
  const dueAt = endpoint.lastActiveAt + suspendDelayMs(endpoint.record);
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
    look(platform, project, endpoint);
  });
}

function look(platform: Platform, project: Project, endpoint: Endpoint): void {
  const { id, current_state: state } = endpoint.record;
  if (project.endpoints.get(id) !== endpoint || state !== "active" || endpoint.connections > 0) return;
  const early = endpoint.lastActiveAt + suspendDelayMs(endpoint.record) > platform.now();
  if (early) watchIdleness(platform, project, endpoint);
  else if (!project.open.has(id)) suspendEndpoint(platform, project, endpoint);
  else {
    // Something is under way for it; whatever that leaves running has not been idle for the whole delay.
    endpoint.lastActiveAt = platform.now();
    watchIdleness(platform, project, endpoint);
  }
}
