/**
 * Access rules: loopback answers only loopback's names; the API requires its key (specification, section 5), admin
 * calls key or token elsewhere.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { ApiError, unauthorized } from "../lib/errors";
import { isLoopback } from "../lib/machine";
import type { Runtime } from "./runtime";

/**
 * True if an Authorization header has the API key as bearer (specification, section 5). Hashes both, so that the
 * comparison time reveals nothing.
 */
export function isAuthorized(header: string | undefined, apiKey: string): boolean {
  const key = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return key !== undefined && timingSafeEqual(digest(key), digest(apiKey));
}

/**
 * Refuses other host names on loopback: a foreign page could resolve its name to this machine and call as the same
 * origin.
 */
export function guardHost({ headers: { host } }: FastifyRequest, { options }: Runtime): void {
  if (!isLoopback(options.host)) return;
  // A foreign name before an @ would be parsed as a user.
  if (host?.includes("@") || !isLoopback(hostOf(`http://${host ?? ""}`))) {
    throw new ApiError(403, "", "the emulator answers on loopback: Host has to be 127.0.0.1, localhost or ::1");
  }
}

/** Admits an admin call: with the token if there is one, else on loopback by `Origin`, elsewhere with the API key. */
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

/** The console's cookie in exchange for the token. Browsers do not send it for pages of other sites. */
export function consoleCookie(token: string): string {
  return `${cookieOf(token)}; Path=/_console; HttpOnly; SameSite=Strict`;
}

/** True if a text is the token. */
export function isToken(text: unknown, token: string | undefined): token is string {
  return token !== undefined && typeof text === "string" && isAuthorized(`Bearer ${text}`, token);
}

function hasCookie(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return false;
  const wanted = digest(cookieOf(token));
  return (header ?? "").split("; ").some((cookie) => timingSafeEqual(digest(cookie), wanted));
}

// Named per emulator, since browsers share cookies between ports. Contains a hash, as the token opens more than the
// console.
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
