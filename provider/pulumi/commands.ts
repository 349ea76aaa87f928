/** The command lines that messages name: those of Pulumi, and what this package's own command does to endpoints. */
import { nameOfUrn } from "../lib/urn";
import { shellWord } from "../lib/wording";

/**
 * This package's command for whoever reads a message, in whatever language the program is: npx runs the one that is installed, or
 * fetches the package, whose name the command bears.
 */
export const COMMAND = "npx pulumi-pgcompute";

/** Takes up what an interrupted run has left. */
export const TAKE_UP_COMMAND = "PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up";

const RESOURCE_TOKEN = "pgcompute:index:Endpoint";

/** `pulumi import` of the endpoint with this id, for the resource with this URN; `NAME` stands for one that is not known. */
export function importCommand(urn: string | undefined, id: string): string {
  return `pulumi import ${RESOURCE_TOKEN} ${shellWord(urn === undefined ? "NAME" : nameOfUrn(urn))} ${shellWord(id)}`;
}

/** Deletes the endpoint with this id, `PROJECT/ENDPOINT`. */
export function deleteCommand(id: string): string {
  return `${COMMAND} endpoints delete ${shellWord(id)}`;
}
