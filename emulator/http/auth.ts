/** Who may call: the API asks for its key (specification, section 5), the admin calls for loopback or else for the key, too. */

import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { ApiError, unauthorized } from "../lib/errors";
import type { ResolvedOptions } from "../settings/options";
import { isLoopback } from "./listener";

/**
 * Whether an Authorization header carries the API key in the bearer scheme (specification, section 5). Both sides are hashed
 * first, so that the comparison takes the same time whatever the length or the common prefix.
 */
export function isAuthorized(header: string | undefined, apiKey: string): boolean {
  const key = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return key !== undefined && timingSafeEqual(digest(key), digest(apiKey));
}

/**
 * Lets an admin call through. On loopback no key is needed, so a page in a browser must not get in either: the Host has to
 * be loopback's, and the Origin, if there is one, the emulator's own. Bound to any other address, the API key is asked for.
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
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new ApiError(403, "", "admin calls are not for pages of other origins");
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
