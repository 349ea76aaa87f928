/** The command that makes an endpoint a resource's own. */
import { nameOfUrn } from "../lib/urn";
import { shellWord } from "../lib/wording";

const RESOURCE_TOKEN = "pgcompute:index:Endpoint";

/** `pulumi import` of the endpoint with this id, for the resource with this URN; `NAME` stands for one that is not known. */
export function importCommand(urn: string | undefined, id: string): string {
  return `pulumi import ${RESOURCE_TOKEN} ${shellWord(urn === undefined ? "NAME" : nameOfUrn(urn))} ${shellWord(id)}`;
}
