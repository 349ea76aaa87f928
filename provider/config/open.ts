/** Opens the account that the settings describe, with a trace of its requests where one is configured. */
import { closeSync, constants, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import type { Settings } from "../config/resolve";
import { type Clock, systemClock } from "../lib/clock";
import { cleanText } from "../lib/redact";
import { type Account, openAccount } from "../platform/account";
import { createApi } from "../platform/client";
import { isKind, PgComputeError } from "../platform/errors";
import type { QueueOptions } from "../platform/http/request-queue";
import type { RequestEvent } from "../platform/http/send";
import { timeouts } from "../platform/policy";

const MS_PER_SECOND = 1_000;

/** Longest id that a server can give a request here, in characters. */
const MAX_REQUEST_ID = 128;

const OWNER_ONLY = 0o600;

/** No link is followed, and a pipe that nobody reads is not waited for. Windows has neither flag. */
const ADDING_ONLY_THERE =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Reasons for the system's errors on a symbolic link and on a pipe without a reader. */
const REFUSED_BY_SYSTEM: Readonly<Record<string, string>> = { ELOOP: "is a link", ENXIO: "is no regular file" };

/** Opens the account that the settings describe. Throws `configuration` where the file of the trace cannot be written. */
export function openConfigured(
  settings: Settings,
  onWarning: (message: string) => void,
  { clock = systemClock, ...chance }: Partial<Pick<QueueOptions, "clock" | "random">> = {},
): Account {
  const timeoutMs = settings.requestTimeoutSeconds * MS_PER_SECOND;
  const api = createApi({
    baseUrl: settings.baseUrl.href,
    apiKey: settings.apiKey,
    profile: settings.profile,
    keySource: settings.keySource,
    plan: settings.plan,
    timeouts: {
      connectMs: Math.min(timeouts.connectMs, timeoutMs),
      headersMs: timeoutMs,
      bodyMs: timeoutMs,
    },
    maxRequestsPerSecond: settings.maxRequestsPerSecond,
    clock,
    ...chance,
    onWarning,
    onRequest: settings.traceFile ? openTrace(settings.traceFile, settings.apiKey, clock) : undefined,
  });
  return openAccount(api, settings, clock);
}

/**
 * A record of every attempt for whoever gives support: a line of JSON each, with the moment at which it began, method, path, status,
 * the platform's id of the request, milliseconds, and the kind of failure where no answer came. It has no headers, no
 * bodies and no queries, and never the key. The file is added to, by several processes at once if need be. One that others may read
 * becomes its owner's alone. Throws `configuration` where it cannot be written or kept from others.
 */
export function openTrace(file: string, secret: string, clock: Clock): (event: RequestEvent) => void {
  const write = (text: string) => addToOwnFile(file, text);
  try {
    write("");
  } catch (error) {
    if (isKind(error, "configuration")) throw error;
    // Not its name: whatever was put there, such as a key, would be shown.
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const refused = REFUSED_BY_SYSTEM[code];
    if (refused !== undefined) throw notOwnFile(refused);
    throw new PgComputeError("configuration", `the file that traceFile names cannot be written (${code})`);
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

/**
 * Adds text to a regular file of one's own, which is made where there is none and is its owner's alone. Another account could have put a link or
 * a pipe in its place: neither is followed, waited for or changed. Throws `configuration` for what is no such file.
 */
function addToOwnFile(file: string, text: string): void {
  const descriptor = openSync(file, ADDING_ONLY_THERE, OWNER_ONLY);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw notOwnFile("is no regular file");
    if (status.nlink > 1) throw notOwnFile("has another name, too (a hard link)");
    // Windows has neither owners nor modes.
    if (process.getuid !== undefined) {
      if (status.uid !== process.getuid()) throw notOwnFile("belongs to another account, which could read the trace");
      fchmodSync(descriptor, OWNER_ONLY);
    }
    if (text !== "") writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function notOwnFile(why: string): PgComputeError {
  return new PgComputeError("configuration", `the file that traceFile names ${why}; name another file`);
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
