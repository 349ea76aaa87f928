import { type Failure, formatIssue } from "../lib/failure";
import { withoutKeys } from "../lib/redact";
import { isKnown, UNKNOWN, type Values } from "../lib/unknown";
import { listed, nearestName, plain } from "../lib/wording";
import type { KeySource } from "../platform/errors";
import { DEFAULT_BASE_URL, isLoopback, parseBaseUrl } from "../platform/http/base-url";
import type { Profile } from "../platform/profiles/profile";
import { hasPlan, profileOf } from "../platform/profiles/profiles";
import { FORGET_VARIABLE, parseForget } from "./forget";
import { type ConfigKey, configEnvironment, configModel, type ProviderConfig } from "./model";

/** The resolved configuration of a provider. */
export interface Settings extends Omit<ProviderConfig, "apiKey" | "baseUrl" | "platform"> {
  apiKey: string;
  baseUrl: URL;
  /** The key's origin, for the message of a 401. */
  keySource: KeySource;
  /** The configured platform, or the base address's. */
  profile: Profile;
  /** Endpoints that the run neither deletes nor changes (see `forget.ts`). */
  forget: readonly string[];
}

/** Settings, or all failures. */
export type Resolved = { settings: Settings; failures?: undefined } | { settings?: undefined; failures: Failure[] };

/**
 * Checks a configuration and adds the environment's values and defaults. Returns all failures at once; unknown values
 * pass.
 */
export function resolveConfig(raw: Values, env: NodeJS.ProcessEnv): Resolved {
  const failures: Failure[] = [];
  // A wrong name or value may be a misplaced key.
  const told = (text: string) => withoutKeys(text, raw.apiKey, env.PGCOMPUTE_API_KEY);
  const known = Object.keys(configModel.shape) as ConfigKey[];

  for (const key of Object.keys(raw)) {
    if (known.includes(key as ConfigKey)) continue;
    const property = plain(told(key));
    const near = nearestName(key, known);
    const hint = near ? `; did you mean "${near}"?` : "";

    failures.push({
      property,
      reason: `unknown configuration key${hint}`,
      advice: { kind: "take_out", key: property },
    });
  }

  const values: Record<string, unknown> = {};
  const unknown = new Set<string>();
  for (const key of known) {
    const variable = configEnvironment[key];
    const given = raw[key] ?? (variable ? env[variable] || undefined : undefined);
    if (given === UNKNOWN) unknown.add(key);
    else if (isKnown(given)) values[key] = given;
  }

  const parsed = configModel.safeParse(values);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      failures.push({ property: issue.path.join("."), reason: formatIssue(issue) });
    }
  }

  const baseUrl = parseBaseUrl(typeof values.baseUrl === "string" ? values.baseUrl : DEFAULT_BASE_URL);
  if (!baseUrl.url) failures.push({ property: "baseUrl", reason: baseUrl.reason });
  if (values.apiKey === undefined && !unknown.has("apiKey")) {
    failures.push({ property: "apiKey", reason: "no API key", advice: { kind: "give_key" } });
  }

  const keySource: KeySource = (raw.apiKey ?? undefined) === undefined ? "environment" : "configuration";
  const isNamed = typeof raw.baseUrl === "string" && values.apiKey !== undefined;
  if (baseUrl.url && isNamed && keySource === "environment" && !mayHaveKeyOfEnvironment(baseUrl.url, env)) {
    const reason =
      "the API key comes from the environment variable PGCOMPUTE_API_KEY and this address from the configuration; a key from the " +
      "environment goes to the environment's address alone, so no request was sent";
    failures.push({ property: "baseUrl", reason, advice: { kind: "give_address" } });
  }

  const forget = parseForget(env[FORGET_VARIABLE], told);
  if (!forget.ids) failures.push({ property: FORGET_VARIABLE, reason: forget.reason });
  if (failures.length > 0 || !parsed.success || !baseUrl.url || !forget.ids) return { failures };
  const { platform, ...config } = parsed.data;
  const profile = profileOf(platform, baseUrl.url);

  if (config.plan !== undefined && !hasPlan(profile, config.plan)) {
    const own = [...new Set([...Object.keys(profile.plans), "paid"])];
    return {
      failures: [{ property: "plan", reason: `${profile.platform} has no such plan: use ${listed(own, "or")}` }],
    };
  }

  const moves = config.moves ?? profile.moves;
  const given = { apiKey: config.apiKey ?? "", baseUrl: baseUrl.url, keySource };
  return { settings: { ...config, ...given, moves, profile, forget: forget.ids } };
}

/** True if the configuration, not the environment, determines the platform: by name or base address. */
export function namesPlatform({ platform, baseUrl }: Values, env: NodeJS.ProcessEnv): boolean {
  if (isKnown(platform ?? undefined)) return true;
  const [ofPlatform, ofAddress] = [configEnvironment.platform, configEnvironment.baseUrl].map((name = "") => env[name]);
  if (ofPlatform) return false;
  return isKnown(baseUrl ?? undefined) || !ofAddress;
}

/** True if the environment's key may go to this address: the environment's own, the public platform's, or loopback. */
function mayHaveKeyOfEnvironment(address: URL, env: NodeJS.ProcessEnv): boolean {
  if (isLoopback(address.hostname)) return true;
  const own = [env.PGCOMPUTE_BASE_URL || DEFAULT_BASE_URL, DEFAULT_BASE_URL].map(
    (text) => parseBaseUrl(text).url?.href,
  );
  return own.includes(address.href);
}
