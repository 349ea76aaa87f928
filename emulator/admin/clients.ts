/** The clients of endpoints: numbers that come and go by admin calls, or real ones where the endpoints are Postgres servers. */

import { badRequest } from "../lib/errors";
import { type ConnectionRequest, connect, disconnect } from "../lifecycle/connection";
import type { Computes, ConnectionStrings, Session } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";

/** A client's access to an endpoint. */
export interface ConnectRequest extends ConnectionRequest {
  endpointId: string;
}

/**
 * A client's access, which wakes an idle endpoint. Throws as the platform refuses it (406 disabled, 429 full), and 400 for
 * connections to a Postgres server, which only clients can open.
 */
export function connectClient(platform: Platform, request: ConnectRequest): Endpoint {
  const { project, endpoint } = platform.findEndpoint(request.endpointId);
  if (platform.computes && request.connections) {
    throw badRequest("connections: the endpoints are Postgres servers, whose connections only clients open");
  }
  connect(platform, project, endpoint, request);
  return endpoint;
}

/** Closes connections, the oldest first, by default all. */
export function disconnectClients(
  platform: Platform,
  { endpointId, connections }: { endpointId: string; connections?: number },
): Endpoint {
  const { project, endpoint } = platform.findEndpoint(endpointId);
  if (platform.computes) platform.computes.disconnect(endpoint, connections);
  else disconnect(platform, project, endpoint, connections);
  return endpoint;
}

/** How clients reach an endpoint. Throws 400 where it is no Postgres server. */
export function connectionStringsOf(platform: Platform, endpointId: string): ConnectionStrings {
  return realComputes(platform).connectionStrings(platform.findEndpoint(endpointId).endpoint);
}

/** The connections to an endpoint, oldest first, as copies. Throws 400 where it is no Postgres server. */
export function sessionsOf(platform: Platform, endpointId: string): Session[] {
  const sessions = realComputes(platform).sessions(platform.findEndpoint(endpointId).endpoint);
  return sessions.map(({ user, database, application, client, pooled, since, state }) => {
    return { user, database, application, client, pooled, since, state };
  });
}

function realComputes({ computes }: Platform): Computes {
  if (!computes) throw badRequest("the emulator was started without Postgres servers");
  return computes;
}
