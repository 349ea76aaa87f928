import { appendFileSync } from "node:fs";
import type { Clock } from "../../lib/clock";
import { cleanText } from "../../lib/text";
import { ConfigurationError } from "../errors";
import type { RequestEvent } from "./send";

/** Longest id that a server can give a request here, in characters. */
const MAX_REQUEST_ID = 128;
const OWNER_ONLY = 0o600;

/**
 * A record of every attempt for whoever gives support: a line of JSON each, with the moment at which it began, method, path, status,
 * the platform's id of the request, milliseconds, and the kind of failure where no answer came. It has no headers, no
 * bodies and no queries, and never the key. The file is added to, by several processes at once if need be. Throws
 * `ConfigurationError` where it cannot be written.
 */
export function openTrace(file: string, secret: string, clock: Clock): (event: RequestEvent) => void {
  const write = (text: string) => appendFileSync(file, text, { mode: OWNER_ONLY });
  try {
    write("");
  } catch (error) {
    // Not its name: whatever was put there, such as a key, would be shown.
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new ConfigurationError("traceFile", `the file that traceFile names cannot be written (${code})`);
  }
  return (event) => {
    try {
      // At once: what a killed process has not written is what support wants to see.
      write(`${JSON.stringify(line(event, secret, clock.now()))}\n`);
    } catch {
      // A full disk must not fail a deployment.
    }
  };
}

function line({ method, path, status, requestId, ms, failure }: RequestEvent, secret: string, endedMs: number): object {
  return {
    time: new Date(endedMs - ms).toISOString(),
    method,
    path: cleanText(path, undefined, secret),
    status: status ?? null,
    requestId: requestId === undefined ? null : cleanText(requestId, MAX_REQUEST_ID, secret),
    ms: Math.round(ms),
    ...(failure === undefined ? {} : { failure }),
  };
}
