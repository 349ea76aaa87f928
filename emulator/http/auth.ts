/**
 * Access rules. Bound to loopback the emulator answers loopback's names alone. The API asks for its key (specification, section 5), the
 * admin calls for it where others may call; with Postgres servers, whose passwords they give out, for a token of their own.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { ApiError, unauthorized } from "../lib/errors";
import { isLoopback } from "../lib/machine";
import type { Runtime } from "./runtime";

/**
 * Whether an Authorization header carries the API key in the bearer scheme (specification, section 5). Both sides are hashed
 * first, so that the comparison takes the same time whatever the length or the common prefix.
 */
export function isAuthorized(header: string | undefined, apiKey: string): boolean {
  const key = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return key !== undefined && timingSafeEqual(digest(key), digest(apiKey));
}

/**
 * Refuses names that lead to loopback but are not loopback's: a page of `evil.test` could else call, once that name resolves to this
 * machine, as if it were of the emulator's origin. An emulator that others may call has any name.
 */
export function guardHost({ headers: { host } }: FastifyRequest, { options }: Runtime): void {
  if (!isLoopback(options.host)) return;
  // Someone else's name before an @ would be read as a user's.
  if (host?.includes("@") || !isLoopback(hostOf(`http://${host ?? ""}`))) {
    throw new ApiError(403, "", "the emulator answers on loopback: Host has to be 127.0.0.1, localhost or ::1");
  }
}

/**
 * Lets an admin call through. On loopback no key is needed, so a page in a browser must not get in either: the Origin, if there is
 * one, has to be the emulator's own. Bound to any other address, the API key is asked for. Where there is a token it is asked for
 * everywhere, in place of the key; the console's calls may have it as a cookie.
 */
export function guardAdmin(request: FastifyRequest, { options, token }: Runtime, cookies = false): void {
  const { authorization, origin, host, cookie } = request.headers;
  if (token !== undefined || !isLoopback(options.host)) {
    const known = isAuthorized(authorization, token ?? options.apiKey) || (cookies && hasCookie(cookie, token));
    if (!known) throw unauthorized();
  }
  if (isLoopback(options.host) && origin !== undefined && origin !== `http://${host}`) {
    throw new ApiError(403, "", "admin calls are not for pages of other origins");
  }
}

/** The cookie that the console's token is exchanged for: the browser of whoever has the token, and no page of another site, sends it. */
export function consoleCookie(token: string): string {
  return `${cookieOf(token)}; Path=/_console; HttpOnly; SameSite=Strict`;
}

/** Whether a text is the token. */
export function isToken(text: unknown, token: string | undefined): token is string {
  return token !== undefined && typeof text === "string" && isAuthorized(`Bearer ${text}`, token);
}

function hasCookie(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return false;
  const wanted = digest(cookieOf(token));
  return (header ?? "").split("; ").some((cookie) => timingSafeEqual(digest(cookie), wanted));
}

// Named after the emulator, since browsers keep one for all ports. It has not the token, which opens more than the console.
function cookieOf(token: string): string {
  const value = digest(`console of ${token}`).toString("hex");
  return `pgcompute-${value.slice(0, 8)}=${value.slice(8)}`;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
