/** Clients of an endpoint: they connect, wait for it, and leave. */
import { ApiError, endpointDisabled } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { connectionsOf, POOLED_CONNECTIONS, sizeInForce } from "../model/compute-size";
import type { Endpoint } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { change, isPresent } from "./change";
import { startPlan, watchIdleness } from "./compute";

/** A client's connection request. */
export interface ConnectionRequest {
  /** Connections to open and keep; 0 for one brief access. Default 0. */
  connections?: number;
  /**
   * True for the pooled host name, with 10,000 connections; others, and all with real computes, are limited by size.
   * Default false.
   */
  pooled?: boolean;
}

/**
 * Connects a client, which wakes an idle endpoint (specification, section 3.2). Throws 406 if disabled, 429 beyond the
 * limit (specification, section 8).
 */
export function connect(platform: Platform, project: Project, endpoint: Endpoint, request: ConnectionRequest = {}) {
  const { connections = 0, pooled = false } = request;
  const { record } = endpoint;
  if (record.disabled) throw endpointDisabled(record.id);
  const limit = pooled && !platform.computes ? POOLED_CONNECTIONS : limitOf(platform, endpoint);
  if (endpoint.connections + endpoint.waiting + connections > limit) {
    throw new ApiError(429, "TOO_MANY_CONNECTIONS", `endpoint ${record.id} takes at most ${limit} connections`);
  }

  const now = platform.now();
  endpoint.lastActiveAt = now;
  let operation: Operation | undefined;

  if (record.current_state === "active" && !isMoving(project, endpoint)) {
    endpoint.connections += connections;
    project.changeEndpoint(endpoint, { last_active: toTimestamp(now) }, now);
    watchIdleness(platform, project, endpoint);
  } else {
    endpoint.waiting += connections;
    if (!movesOf(project, endpoint).includes("start_compute"))
      operation = change(platform, project, endpoint, "active", [startPlan])[0];
  }
  return { waiting: endpoint.waiting, operation };
}

/** An endpoint's connection limit, by the size of its running compute. */
export function limitOf({ settings }: Platform, endpoint: Endpoint): number {
  return connectionsOf(settings, sizeInForce(endpoint));
}

/** True while a start or suspend keeps clients from the compute; a new configuration does not. */
export function isMoving(project: Project, endpoint: Endpoint): boolean {
  const moves = movesOf(project, endpoint);
  return moves.includes("start_compute") || moves.includes("suspend_compute");
}

function movesOf(project: Project, { record }: Endpoint): string[] {
  return [...(project.open.get(record.id) ?? [])].map((operation) => operation.work);
}

/** Closes connections, by default all, and restarts the autosuspend delay. Returns the number that stay open. */
export function disconnect(platform: Platform, project: Project, endpoint: Endpoint, connections?: number): number {
  const closing = Math.min(endpoint.connections, connections ?? endpoint.connections);
  const now = platform.now();
  endpoint.connections -= closing;
  if (connections === undefined) endpoint.waiting = 0;
  if (closing > 0) {
    endpoint.lastActiveAt = now;
    project.changeEndpoint(endpoint, { last_active: toTimestamp(now) }, now);
  }

  watchIdleness(platform, project, endpoint);
  return endpoint.connections;
}

/** Records the end of a real connection, open or waiting; `dropped` if the compute ended it. */
export function leave(
  platform: Platform,
  project: Project,
  endpoint: Endpoint,
  { waited, dropped }: { waited: boolean; dropped: boolean },
): void {
  if (waited) endpoint.waiting = Math.max(0, endpoint.waiting - 1);
  else if (dropped) {
    endpoint.connections = Math.max(0, endpoint.connections - 1);
    endpoint.dropped++;
  } else if (isPresent(project, endpoint)) disconnect(platform, project, endpoint, 1);
}
