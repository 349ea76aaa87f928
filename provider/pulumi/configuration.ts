/**
 * Checks the provider's configuration for both hosts. Failures name no property, because the engine prints a failed
 * property's value.
 */
import { FORGET_VARIABLE } from "../config/forget";
import { configEnvironment } from "../config/model";
import { openConfigured } from "../config/open";
import { type Resolved, resolveConfig } from "../config/resolve";
import { type Failure, formatFailures } from "../lib/failure";
import { UNKNOWN, type Values } from "../lib/unknown";
import type { Account } from "../platform/account";
import { PgComputeError } from "../platform/errors";
import type { Profile } from "../platform/profiles/profile";
import { withAccount } from "./messages/commands";
import { adviseFailure } from "./messages/errors";

const NAMESPACE = "pgcompute:";
/** Effect of a changed setting on existing endpoints. */
const changeAdvice: Readonly<Record<string, string>> = {
  // The key decides which account owns the endpoints.
  apiKey: "where it is another account's, the endpoints in the state are not found",
  baseUrl:
    "the endpoints in the state are looked for at the new address; where it is another platform their projects are not there, " +
    "and every command that asks for them fails until the address is put back",
};

/** Keys that the engine adds to a provider's configuration. */
const engineKeys = new Set(["version", "pluginDownloadURL", "pluginChecksums", "__internal", "__defaults"]);

/** Checks a configuration. Each failure names its setting in the text and blames no property. */
export function checkConfiguration(news: Values, env: NodeJS.ProcessEnv): Failure[] {
  const { failures = [] } = resolveOwn(news, env);
  return failures
    .map(adviseFailure)
    .map(({ property, reason }) => ({ property: "", reason: `${settingName(property)}: ${reason}` }));
}

/**
 * Opens the account. Warnings about no single resource go to `warn`. Throws `configuration` with every unusable key.
 */
export function openAccountFrom(config: Values, env: NodeJS.ProcessEnv, warn: (message: string) => void): Account {
  const { settings, failures } = resolveOwn(config, env);
  if (settings) return openConfigured(settings, warn);
  throw unusable(failures);
}

/** A text as people read it: without the account's key, and with the account in the commands. */
export function toldBy(
  { api, settings }: Account,
  text: string,
  { isStacks, env }: { isStacks: boolean; env: NodeJS.ProcessEnv },
): string {
  const { baseUrl, keySource } = settings;
  const shown = api.withoutKey(text);
  if (!baseUrl || !keySource) return shown;
  const ofEnvironment = env[configEnvironment.baseUrl ?? ""];
  return withAccount(shown, { baseUrl: baseUrl.href, keySource, isStacks, ofEnvironment });
}

/** The platform of a configuration; needs no key. Throws `configuration` for an invalid name or address. */
export function profileFrom({ platform, baseUrl }: Values, env: NodeJS.ProcessEnv): Profile {
  const { settings, failures } = resolveOwn({ platform, baseUrl, apiKey: "not used" }, env);
  if (settings) return settings.profile;
  throw unusable(failures);
}

/** This provider's settings in a stack's configuration, without their namespace. */
export function settingsIn(config: Values): Values {
  const own = Object.entries(config).filter(([key]) => key.startsWith(NAMESPACE));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(NAMESPACE.length), value]));
}

/**
 * Messages that name a configuration's changed settings, without the values. Empty for another provider's old values.
 */
export function configurationChangeMessages(olds: Values, news: Values): string[] {
  const isAnothers = Object.keys(olds).some((key) => key.includes(":"));
  if (isAnothers) return [];
  return [...new Set([...Object.keys(olds), ...Object.keys(news)])]
    .filter((key) => !engineKeys.has(key) && String(olds[key] ?? "") !== String(news[key] ?? ""))
    .map((key) => {
      const change = `${key} ${changeOf(olds[key] ?? undefined, news[key] ?? undefined)}`;
      const advice = changeAdvice[key];
      return advice === undefined ? change : `${change}: ${advice}`;
    });
}

function changeOf(before: unknown, after: unknown): string {
  if (after === UNKNOWN) return "may change, to a value that is not known yet";
  if (before === undefined) return "is set, and was not";
  return after === undefined ? "is no longer set" : "changes";
}

function unusable(failures: readonly Failure[]): PgComputeError {
  const named = failures.map(adviseFailure).map((one) => ({ ...one, property: settingName(one.property) }));
  return new PgComputeError("configuration", formatFailures(named));
}

/** The name of a setting for people. `forget` exists only as an environment variable. */
function settingName(property: string): string {
  return property === FORGET_VARIABLE ? property : `${NAMESPACE}${property}`;
}

function resolveOwn(config: Values, env: NodeJS.ProcessEnv): Resolved {
  return resolveConfig(Object.fromEntries(Object.entries(config).filter(([key]) => !engineKeys.has(key))), env);
}
