import { openConfigured } from "../../config/open";
import { resolveConfig } from "../../config/resolve";
import type { Failure } from "../../lib/failure";
import type { Account } from "../../platform/account";
import { ConfigurationError } from "../../platform/errors";

type Values = Readonly<Record<string, unknown>>;

/** Every reason why a configuration cannot be used, each on its key. */
export function checkConfiguration(news: Values, env: NodeJS.ProcessEnv): Failure[] {
  return resolveConfig(news, env).failures ?? [];
}

/** Opens the account of a configuration; throws a `ConfigurationError` that names every key that cannot be used. */
export function openAccountFrom(config: Values, env: NodeJS.ProcessEnv): Account {
  const { settings, failures } = resolveConfig(config, env);
  if (settings) return openConfigured(settings);
  const reasons = failures.map(({ property, reason }) => `pgcompute:${property}: ${reason}`).join("; ");
  throw new ConfigurationError(failures[0]?.property ?? "", reasons);
}

/** What a reviewer should know about a change of configuration; nothing in it ever replaces a resource. */
export function configurationWarnings(olds: Values, news: Values): string[] {
  if (olds.baseUrl === undefined || olds.baseUrl === news.baseUrl) return [];
  return [
    "the base address changes: the endpoints in the state are looked for at the new address; where it is another " +
      "platform their projects are not there, and every command that asks for them fails until the address is put back",
  ];
}
