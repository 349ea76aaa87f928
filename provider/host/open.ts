import { type Account, openAccount } from "../account/account";
import { createApi } from "../api/client";
import type { Settings } from "../config/resolve";

const MS_PER_SECOND = 1_000;

/** Opens the account that the settings describe. */
export function openConfigured(settings: Settings): Account {
  const timeoutMs = settings.requestTimeoutSeconds * MS_PER_SECOND;
  const api = createApi({
    baseUrl: settings.baseUrl.href,
    apiKey: settings.apiKey,
    keySource: settings.keySource,
    timeouts: { headersMs: timeoutMs, bodyMs: timeoutMs },
    maxAnswerBytes: settings.maxAnswerBytes,
    maxRequestsPerSecond: settings.maxRequestsPerSecond,
  });
  return openAccount(api, settings);
}
