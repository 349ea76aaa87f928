/** The rules on the platform's base address. */
import { isIP } from "node:net";

/** The public platform's address, the default. */
export const DEFAULT_BASE_URL = "https://console.neon.tech/api/v2";

/** The result of `parseBaseUrl`: the address without a trailing slash, or the reason to refuse it. */
export type ParsedBaseUrl = { url: URL; reason?: undefined } | { url?: undefined; reason: string };

const VERSION_SEGMENT = "v2";

/**
 * Parses a base address (specification, section 9): https except on loopback, no query, fragment or credentials. The
 * reason never repeats it.
 */
export function parseBaseUrl(text: string): ParsedBaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return { reason: `it is not a URL; an example is ${DEFAULT_BASE_URL}` };
  if (url.protocol !== "https:" && url.protocol !== "http:") return { reason: "it must begin with https://" };
  if (url.username !== "" || url.password !== "") {
    return { reason: "it must not hold a user name or password; the key goes into apiKey" };
  }

  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return { reason: "plain http would send the key in the clear; only loopback addresses may use it, so use https" };
  }

  // An empty query or fragment is lost in the parsed URL, and is a mistake too.
  if (text.includes("?") || text.includes("#")) return { reason: "it must not have a query or a fragment" };
  const path = url.pathname.replace(/\/$/, "");
  if (!path.endsWith(`/${VERSION_SEGMENT}`)) {
    return { reason: `its path must end in the API version, /${VERSION_SEGMENT}, as in ${DEFAULT_BASE_URL}` };
  }
  url.pathname = path;
  return { url };
}

/** True for 127.0.0.0/8, ::1 and localhost, as a URL's `hostname`. */
export function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
