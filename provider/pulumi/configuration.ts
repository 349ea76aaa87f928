/** The provider's configuration as both hosts check it. No property is blamed: the engine prints the value of whatever is. */
import { FORGET_VARIABLE } from "../config/forget";
import { openConfigured } from "../config/open";
import { type Resolved, resolveConfig } from "../config/resolve";
import { type Failure, formatFailures } from "../lib/failure";
import { cleanText } from "../lib/redact";
import { UNKNOWN, type Values } from "../lib/unknown";
import type { Account } from "../platform/account";
import { PgComputeError } from "../platform/errors";
import type { Profile } from "../platform/profiles/profile";
import { adviseFailure } from "./messages/errors";

const NAMESPACE = "pgcompute:";
const ANOTHER_ADDRESS =
  "the endpoints in the state are looked for at the new address; where it is another platform their projects are not there, " +
  "and every command that asks for them fails until the address is put back";

/** Keys that the engine itself puts beside a provider's own. */
const engineKeys = new Set(["version", "pluginDownloadURL", "pluginChecksums", "__internal", "__defaults"]);

/** Every reason why a configuration cannot be used, each with the name of its setting, and on no property. */
export function checkConfiguration(news: Values, env: NodeJS.ProcessEnv): Failure[] {
  const { failures = [] } = resolveOwn(news, env);
  return failures
    .map(adviseFailure)
    .map(({ property, reason }) => ({ property: "", reason: `${settingName(property)}: ${reason}` }));
}

/** Opens the account; `warn` gets what is no single resource's. Throws `configuration`, with a message that names every key that cannot be used. */
export function openAccountFrom(config: Values, env: NodeJS.ProcessEnv, warn: (message: string) => void): Account {
  const { settings, failures } = resolveOwn(config, env);
  if (settings) return openConfigured(settings, warn);
  throw unusable(failures);
}

/** The platform of a configuration, which needs no key. Throws `configuration` where its name or its address cannot be used. */
export function profileFrom({ platform, baseUrl }: Values, env: NodeJS.ProcessEnv): Profile {
  const { settings, failures } = resolveOwn({ platform, baseUrl, apiKey: "not used" }, env);
  if (settings) return settings.profile;
  throw unusable(failures);
}

/** The settings of this provider among a stack's whole configuration, without their namespace. */
export function settingsIn(config: Values): Values {
  const own = Object.entries(config).filter(([key]) => key.startsWith(NAMESPACE));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(NAMESPACE.length), value]));
}

/** What a reviewer should know of a change of configuration, which replaces nothing. The values of `secrets` are not shown. */
export function configurationChangeMessages(olds: Values, news: Values, secrets: ReadonlySet<string>): string[] {
  const shown = (key: string, value: unknown) => {
    if (value === undefined || value === null) return "not set";
    if (value === UNKNOWN) return "a value that is not known yet";
    return secrets.has(key) ? "[secret]" : cleanText(String(value));
  };
  return [...new Set([...Object.keys(olds), ...Object.keys(news)])]
    .filter((key) => !engineKeys.has(key) && String(olds[key] ?? "") !== String(news[key] ?? ""))
    .map((key) => {
      // Whose the endpoints are is for the key to say.
      if (key === "apiKey")
        return "apiKey changes: where it is another account's, the endpoints in the state are not found";
      const change = `${key} changes from ${shown(key, olds[key])} to ${shown(key, news[key])}`;
      return key === "baseUrl" ? `${change}: ${ANOTHER_ADDRESS}` : change;
    });
}

function unusable(failures: readonly Failure[]): PgComputeError {
  const named = failures.map(adviseFailure).map((one) => ({ ...one, property: settingName(one.property) }));
  return new PgComputeError("configuration", formatFailures(named));
}

/** The name under which a person finds a setting; what to forget is an environment variable alone. */
function settingName(property: string): string {
  return property === FORGET_VARIABLE ? property : `${NAMESPACE}${property}`;
}

function resolveOwn(config: Values, env: NodeJS.ProcessEnv): Resolved {
  return resolveConfig(Object.fromEntries(Object.entries(config).filter(([key]) => !engineKeys.has(key))), env);
}
