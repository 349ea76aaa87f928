import type { FastifyRequest } from "fastify";
import { isAuthorized } from "../auth";
import { ApiError, unauthorized } from "../errors";
import { isLoopback } from "../listener";
import type { ResolvedOptions } from "../options";

/**
 * Lets an admin call through. On loopback no key is needed, so a page in a browser must not get in either: the Host
 * and, if there is one, the Origin have to be loopback's. Bound to any other address, the API key is asked for.
 */
export function guardAdmin(request: FastifyRequest, options: ResolvedOptions): void {
  const { authorization, origin, host } = request.headers;
  if (!isLoopback(options.host)) {
    if (!isAuthorized(authorization, options.apiKey)) throw unauthorized();
    return;
  }
  // Someone else's name before an @ would be read as a user's.
  if (host?.includes("@") || !isLoopback(hostOf(`http://${host ?? ""}`))) {
    throw new ApiError(403, "", "admin calls are for loopback only");
  }
  if (origin !== undefined && !isLoopback(hostOf(origin))) {
    throw new ApiError(403, "", "admin calls are not for pages of other origins");
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
