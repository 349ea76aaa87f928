import type { Settings } from "../config/resolve";
import { type Clock, systemClock } from "../lib/clock";
import { type Account, openAccount } from "../platform/account";
import { createApi } from "../platform/client";
import { openTrace } from "../platform/http/trace";
import { DEFAULT_TIMEOUTS } from "../platform/http/transport";

const MS_PER_SECOND = 1_000;

/** By what the account waits; the machine's clock and `Math.random` where nothing else is said. */
interface Chance {
  clock?: Clock;
  /** 0 to 1. */
  random?: () => number;
}

/**
 * Opens the account that the settings describe; `onWarning` is told what of the platform's answers is left out. Throws a
 * `ConfigurationError` where the file of the trace cannot be written.
 */
export function openConfigured(
  settings: Settings,
  onWarning: (message: string) => void,
  { clock = systemClock, random }: Chance = {},
): Account {
  const timeoutMs = settings.requestTimeoutSeconds * MS_PER_SECOND;
  const api = createApi({
    baseUrl: settings.baseUrl.href,
    apiKey: settings.apiKey,
    profile: settings.profile,
    keySource: settings.keySource,
    timeouts: {
      headersMs: timeoutMs,
      bodyMs: timeoutMs,
      // Headers and body may each take their whole time.
      totalMs: Math.max(DEFAULT_TIMEOUTS.totalMs, 2 * timeoutMs),
    },
    maxRequestsPerSecond: settings.maxRequestsPerSecond,
    clock,
    random,
    onWarning,
    onRequest: settings.traceFile ? openTrace(settings.traceFile, settings.apiKey, clock) : undefined,
  });
  return openAccount(api, settings, clock);
}
