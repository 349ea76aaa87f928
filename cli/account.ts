/** The account and the project of a command, from its options and the environment. */
import type { Command } from "commander";
import { type ConfigKey, configEnvironment } from "../provider/config/model";
import { resolveConfig } from "../provider/config/resolve";
import { type EndpointIdentity, parseId } from "../provider/endpoint/identity";
import { isId } from "../provider/lib/ids";
import { withoutKeys } from "../provider/lib/redact";
import { plain, sentences, shellWord } from "../provider/lib/wording";
import { type Account, withAddressChecked } from "../provider/platform/account";
import { DEFAULT_BASE_URL } from "../provider/platform/http/base-url";
import type { ProfileName } from "../provider/platform/profiles/profile";
import { profiles } from "../provider/platform/profiles/profiles";
import { choice } from "./arguments";
import { CommandError, exitCodes } from "./exit-code";
import type { Shell } from "./shell";

/** Options of every command that calls the platform. */
export interface AccountOptions {
  baseUrl?: string;
  platform?: ProfileName;
  project?: string;
  json?: boolean;
}

/** Advice on where to set the key. */
const KEY_ADVICE =
  "set the environment variable PGCOMPUTE_API_KEY (an argument would be visible to every user of the machine)";

/** Adds the account options to a command. The key is no option, because other users can see arguments. */
export function addAccountOptions(command: Command): Command {
  return addAddressOption(command.option("--project <id>", "the project (default: PGCOMPUTE_PROJECT_ID)"));
}

/** Adds the account options and `--json`, for commands that print data. */
export function addTellingOptions(command: Command): Command {
  return addAccountOptions(command.option("--json", "for machines"));
}

/** Adds `--base-url` and `--platform`, for commands that need no `--project`. */
export function addAddressOption(command: Command): Command {
  return command
    .option(
      "--base-url <url>",
      "base address of the control API (default: PGCOMPUTE_BASE_URL, then the public platform)",
    )
    .addOption(
      choice(
        "--platform <name>",
        `whose rules hold there: ${Object.keys(profiles).join(", ")} (default: PGCOMPUTE_PLATFORM, then neon for the public address, specification for others)`,
        Object.keys(profiles),
      ),
    );
}

/** The endpoint of an argument: `PROJECT/ENDPOINT`, or an id in the project from the options or the environment. */
export function endpointOf(shell: Pick<Shell, "env">, target: string, options: AccountOptions): EndpointIdentity {
  return parseId(target.includes("/") ? target : `${projectOf(shell, options)}/${target}`);
}

/** Refuses a key among the arguments, before anything prints them. */
export function refuseKeyArgument(args: readonly string[]): void {
  if (!args.some((arg) => /^--(api-?key|key|token|password)(=|$)/i.test(arg))) return;
  throw new CommandError(`the API key cannot be an option: ${KEY_ADVICE}`, exitCodes.usage);
}

/** Opens the account from options and environment, runs the work and closes the account. */
export async function withAccount<T>(
  shell: Shell,
  options: AccountOptions,
  work: (account: Account) => Promise<T>,
): Promise<T> {
  // The user gives an option as deliberately as an environment variable, so the key may go to that address.
  const { baseUrl, platform } = options;
  const given = { ...(baseUrl && { PGCOMPUTE_BASE_URL: baseUrl }), ...(platform && { PGCOMPUTE_PLATFORM: platform }) };
  const env = { ...shell.env, ...given };
  const { settings, failures } = resolveConfig({}, env);

  if (!settings) {
    const reasons = failures.map(({ property, reason, advice }) =>
      advice?.kind === "give_key" ? `${reason}: ${KEY_ADVICE}` : `${nameOf(property, options)}: ${reason}`,
    );
    throw new CommandError(sentences(reasons), exitCodes.usage);
  }

  const account = shell.open(settings, (message) => shell.err.write(`pgcompute: ${message}\n`));
  try {
    return await withAddressChecked(account.api, () => work(account), shell.signal);
  } finally {
    await account.api.close();
  }
}

/** A command of this package, with the account's address where that is not the public one. */
export function commandFor(account: Account, command: string): string {
  const address = addressOf(account);
  return `pgcompute ${command}${address === undefined ? "" : ` --base-url ${shellWord(address)}`}`;
}

/** The account's address where that is not the public one. */
export function addressOf({ settings: { baseUrl } }: Account): string | undefined {
  return baseUrl?.href === DEFAULT_BASE_URL ? undefined : baseUrl?.href;
}

/** A setting's name on the command line: its option or its environment variable. */
function nameOf(property: string, { baseUrl }: AccountOptions): string {
  if (property === "baseUrl" && baseUrl !== undefined) return "--base-url";
  return configEnvironment[property as ConfigKey] ?? property;
}

/** The project from the options or the environment. Throws a usage error if it is missing or invalid. */
export function projectOf({ env }: Pick<Shell, "env">, options: AccountOptions): string {
  const project = options.project ?? env.PGCOMPUTE_PROJECT_ID;
  if (!project) {
    throw new CommandError(
      "no project: give --project, or set PGCOMPUTE_PROJECT_ID; `pgcompute projects` lists them",
      exitCodes.usage,
    );
  }
  if (isId(project)) return project;

  throw new CommandError(
    `"${plain(withoutKeys(project, env.PGCOMPUTE_API_KEY))}" cannot be a project's id: give the id, not the name; \`pgcompute projects\` lists both`,
    exitCodes.usage,
  );
}
