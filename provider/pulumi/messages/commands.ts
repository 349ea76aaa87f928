/** The commands in messages: Pulumi's, and this package's own for endpoints. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Owner, ownerName, resourceOf } from "../../lib/owner";
import { shellQuoted, shellWord } from "../../lib/wording";

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

/** The command that lists each endpoint's owner, and the endpoints without one. */
export const OWNERS_COMMAND = `pulumi stack export | ${COMMAND} state list --live`;

const RESOURCE_TOKEN = "pgcompute:index:Endpoint";

/** The command that applies the program without this resource or the member's fleet, and without their dependents. */
export function withoutCommand(owner: Owner): string {
  return `${UP_COMMAND} --exclude ${shellQuoted(resourceOf(owner))} --exclude-dependents`;
}

/** Formats `pulumi import` of an endpoint for a resource; `isMarked` puts `PGCOMPUTE_ADOPT_INTERRUPTED` before it. */
export function importCommand(urn: Owner, id: string, { isMarked = false } = {}): string {
  const command = `pulumi import ${RESOURCE_TOKEN} ${shellWord(ownerName(urn))} ${shellWord(id)}`;
  return isMarked ? withVariable("PGCOMPUTE_ADOPT_INTERRUPTED", "1", command) : command;
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

/** The command that drops an endpoint (by its owner's URN) or a project from the state, and deletes nothing. */
export function forgetCommand(id: string): string {
  return `pulumi stack export | ${COMMAND} state forget ${shellWord(id)} --out state.json && pulumi stack import --file state.json`;
}

/** This package's command beside the plugin, for programs in any language: its own script, else npx. */
export function pluginCommand(script: string, npmPackage: string): string {
  return existsSync(script) ? `node ${shellWord(script)}` : `npx -p ${npmPackage} pgcompute`;
}
