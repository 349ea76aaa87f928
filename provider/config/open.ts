import type { Settings } from "../config/resolve";
import { systemClock } from "../lib/clock";
import { type Account, openAccount } from "../platform/account";
import { createApi } from "../platform/client";
import { openTrace } from "../platform/http/trace";
import { DEFAULT_TIMEOUTS } from "../platform/http/transport";

const MS_PER_SECOND = 1_000;

/**
 * Opens the account that the settings describe; `onWarning` is told what of the platform's answers is left out. Throws a
 * `ConfigurationError` where the file of the trace cannot be written.
 */
export function openConfigured(settings: Settings, onWarning: (message: string) => void): Account {
  const timeoutMs = settings.requestTimeoutSeconds * MS_PER_SECOND;
  const api = createApi({
    baseUrl: settings.baseUrl.href,
    apiKey: settings.apiKey,
    keySource: settings.keySource,
    timeouts: {
      headersMs: timeoutMs,
      bodyMs: timeoutMs,
      // Headers and body may each take their whole time.
      totalMs: Math.max(DEFAULT_TIMEOUTS.totalMs, 2 * timeoutMs),
    },
    maxAnswerBytes: settings.maxAnswerBytes,
    maxRequestsPerSecond: settings.maxRequestsPerSecond,
    onWarning,
    onRequest: settings.traceFile ? openTrace(settings.traceFile, settings.apiKey, systemClock) : undefined,
  });
  return openAccount(api, settings);
}
