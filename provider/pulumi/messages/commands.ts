/** The command lines that messages name: those of Pulumi, and what this package's own command does to endpoints. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Owner, ownerName, resourceOf } from "../../lib/owner";
import { shellQuoted, shellWord } from "../../lib/wording";

/** The npm package of this release, which the build writes into the plugin; elsewhere the program has it installed. */
declare const __PGCOMPUTE_PACKAGE__: string | undefined;

/** This package's command for whoever reads a message: the installed one, since npx would fetch whatever has its name in the registry. */
export const COMMAND =
  typeof __PGCOMPUTE_PACKAGE__ === "string"
    ? pluginCommand(join(__dirname, "..", "bin", "pgcompute.cjs"), __PGCOMPUTE_PACKAGE__)
    : "npx --no-install pgcompute";

/** Makes the program so. */
export const UP_COMMAND = "pulumi up";

/** Takes up what an interrupted run has left. */
export const TAKE_UP_COMMAND = withVariable("PGCOMPUTE_ADOPT_INTERRUPTED", "1", UP_COMMAND);

/** Says who has which endpoint, and what nobody has. */
export const OWNERS_COMMAND = `pulumi stack export | ${COMMAND} state list --live`;

const RESOURCE_TOKEN = "pgcompute:index:Endpoint";

/** Makes all of the program so but the resource with this URN, or the fleet of this member, and what depends on it. */
export function withoutCommand(owner: Owner): string {
  return `${UP_COMMAND} --exclude ${shellQuoted(resourceOf(owner))} --exclude-dependents`;
}

/** Formats `pulumi import` of an endpoint for a resource; `isMarked` puts `PGCOMPUTE_ADOPT_INTERRUPTED` before it. */
export function importCommand(urn: Owner, id: string, { isMarked = false } = {}): string {
  const command = `pulumi import ${RESOURCE_TOKEN} ${shellWord(ownerName(urn))} ${shellWord(id)}`;
  return isMarked ? withVariable("PGCOMPUTE_ADOPT_INTERRUPTED", "1", command) : command;
}

/** A command with an environment variable for it alone, for the usual shell of the system. */
export function withVariable(name: string, value: string, command: string, system = process.platform): string {
  if (system !== "win32") return `${name}=${shellWord(value)} ${command}`;
  return `$env:${name} = ${shellQuoted(value)}; ${command}; Remove-Item Env:${name}`;
}

/** Deletes the endpoint with this id, `PROJECT/ENDPOINT`. */
export function deleteCommand(id: string): string {
  return `${COMMAND} endpoints delete ${shellWord(id)}`;
}

/** Takes out of the state, and out of it alone, an endpoint by its owner's URN, or all of a project. */
export function forgetCommand(id: string): string {
  return `pulumi stack export | ${COMMAND} state forget ${shellWord(id)} --out state.json && pulumi stack import --file state.json`;
}

/** This package's command beside the plugin, whose program may be in any language: the script of its own package, or what fetches that. */
export function pluginCommand(script: string, npmPackage: string): string {
  return existsSync(script) ? `node ${shellWord(script)}` : `npx -p ${npmPackage} pgcompute`;
}
