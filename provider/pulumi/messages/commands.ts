/** The commands in messages: Pulumi's, and this package's own for endpoints. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Owner, ownerName, resourceOf } from "../../lib/owner";
import { isCommandLine, shellQuoted, shellWord } from "../../lib/wording";
import type { KeySource } from "../../platform/errors";
import { DEFAULT_BASE_URL } from "../../platform/http/base-url";

/** The npm package of this release, set by the plugin's build; undefined where the program installs it. */
declare const __PGCOMPUTE_PACKAGE__: string | undefined;

/** This package's command in messages. It runs the installed one: npx would fetch any package of that name. */
export const COMMAND =
  typeof __PGCOMPUTE_PACKAGE__ === "string"
    ? pluginCommand(join(__dirname, "..", "bin", "pgcompute.cjs"), __PGCOMPUTE_PACKAGE__)
    : "npx --no-install pgcompute";

/** The command that applies the program. */
export const UP_COMMAND = "pulumi up";

/** The command that applies the program and adopts orphans of an interrupted run. */
export const TAKE_UP_COMMAND = withVariable("PGCOMPUTE_ADOPT_INTERRUPTED", "1", UP_COMMAND);

const RESOURCE_TOKEN = "pgcompute:index:Endpoint";

/** The stack's key, as its configuration has it. */
const CONFIGURED_KEY = "pulumi config get pgcompute:apiKey";

/** The account that a host asks, and where its settings come from. */
export interface AskedAccount {
  baseUrl: string;
  keySource: KeySource;
  /** False for a provider that the program configures. */
  isStacks: boolean;
  /** `PGCOMPUTE_BASE_URL` of the environment. */
  ofEnvironment: string | undefined;
}

/**
 * The command that applies the program without this resource or the member's fleet. With `--exclude-dependents` the
 * engine would delete nothing of the same provider.
 */
export function withoutCommand(owner: Owner): string {
  return `${UP_COMMAND} --exclude ${shellQuoted(resourceOf(owner))}`;
}

/** Formats `pulumi import` of an endpoint for a resource. */
export function importCommand(urn: Owner, id: string): string {
  return `pulumi import ${RESOURCE_TOKEN} ${shellWord(ownerName(urn))} ${shellWord(id)}`;
}

/** A command with an environment variable for it alone, in the system's usual shell. */
export function withVariable(name: string, value: string, command: string, system = process.platform): string {
  if (system !== "win32") return `${name}=${shellWord(value)} ${command}`;
  return `$env:${name} = ${shellQuoted(value)}; ${command}; Remove-Item Env:${name}`;
}

/** The command that deletes the endpoint with this id, `PROJECT/ENDPOINT`. */
export function deleteCommand(id: string): string {
  return `${COMMAND} endpoints delete ${shellWord(id)}`;
}

/** The command that applies the program and sends nothing for these endpoints (`PROJECT/ENDPOINT`) or projects. */
export function forgettingCommand(...ids: readonly string[]): string {
  return withVariable("PGCOMPUTE_FORGET", ids.join(","), UP_COMMAND);
}

/** This package's command beside the plugin, for programs in any language: its own script, else npx. */
export function pluginCommand(script: string, npmPackage: string): string {
  return existsSync(script) ? `node ${shellWord(script)}` : `npx -p ${npmPackage} pgcompute`;
}

/**
 * A text whose commands of this package reach the host's own account: they name an address that is not the public one,
 * and take a configured key from the configuration. The one place that knows, so that no message forgets it.
 */
export function withAccount(text: string, asked: AskedAccount, system = process.platform): string {
  const lines = text.split("\n");
  return lines
    .map((line, at) => {
      if (!asksPlatform(line)) return line;
      const isLast = !asksPlatform(lines[at + 1] ?? "");
      return `${accountCommand(line, asked, system)}${isLast ? keyNote(asked) : ""}`;
    })
    .join("\n");
}

function asksPlatform(line: string): boolean {
  return isCommandLine(line) && line.includes(`${COMMAND} `);
}

function accountCommand(line: string, { baseUrl, keySource, isStacks, ofEnvironment }: AskedAccount, system: string) {
  const isFound = baseUrl === DEFAULT_BASE_URL && (ofEnvironment || DEFAULT_BASE_URL) === DEFAULT_BASE_URL;
  const full = isFound ? line : `${line} --base-url ${shellWord(baseUrl)}`;
  if (keySource === "environment" || !isStacks) return full;
  if (system !== "win32") return full.replace(COMMAND, () => `PGCOMPUTE_API_KEY="$(${CONFIGURED_KEY})" ${COMMAND}`);

  const [indent = ""] = full.match(/^ */) ?? [];
  const command = full.slice(indent.length);
  return `${indent}$env:PGCOMPUTE_API_KEY = ${CONFIGURED_KEY}; ${command}; Remove-Item Env:PGCOMPUTE_API_KEY`;
}

/** The source of a key that no command can read: a provider of the program has it. */
function keyNote({ keySource, isStacks }: AskedAccount): string {
  if (keySource === "environment" || isStacks) return "";
  return "\n    (set PGCOMPUTE_API_KEY to the provider's own apiKey for it)";
}
