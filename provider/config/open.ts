/** Opens an account from the settings, with a trace file of its requests if configured. */
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

/** Maximum length of a request id, in characters, in the trace. */
const MAX_REQUEST_ID = 128;

const OWNER_ONLY = 0o600;

/** Flags that follow no link and do not wait for a pipe's reader. Windows has neither flag. */
const ADDING_ONLY_THERE =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** The reasons for the system's errors on a symbolic link and a pipe without a reader. */
const REFUSED_BY_SYSTEM: Readonly<Record<string, string>> = { ELOOP: "is a link", ENXIO: "is no regular file" };

/** Opens an account from the settings. Throws `configuration` if the trace file is not writable. */
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
 * Opens the trace for support: a JSON line per attempt, without keys, bodies or headers. Throws `configuration` for an
 * unusable file.
 */
export function openTrace(file: string, secret: string, clock: Clock): (event: RequestEvent) => void {
  const write = (text: string) => addToOwnFile(file, text);
  try {
    write("");
  } catch (error) {
    if (isKind(error, "configuration")) throw error;
    // Without the file's name: the setting may hold a misplaced key.
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const refused = REFUSED_BY_SYSTEM[code];
    if (refused !== undefined) throw notOwnFile(refused);
    throw new PgComputeError("configuration", `the file that traceFile names cannot be written (${code})`);
  }
  return (event) => {
    try {
      // Synchronously: the lines before a kill matter to support.
      write(`${JSON.stringify(line(event, secret, clock.now()))}\n`);
    } catch {
      // A full disk must not fail a deployment.
    }
  };
}

/**
 * Appends text to a regular file of the user's own, readable for its owner alone. Throws `configuration` for any other
 * file.
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
