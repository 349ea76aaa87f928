import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Whether an Authorization header carries the API key in the bearer scheme (section 5). Both sides are hashed first, so
 * that the comparison takes the same time whatever the length or the common prefix.
 */
export function isAuthorized(header: string | undefined, apiKey: string): boolean {
  const key = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return key !== undefined && timingSafeEqual(digest(key), digest(apiKey));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
