/** What to say where an answer to a create was lost, and nobody can tell what it has made. */
import { idOf } from "../endpoint/identity";
import { listed, shellWord } from "../lib/wording";
import type { EndpointRecord } from "../platform/records";
import type { MaybeCreated } from "../platform/remedy";
import { COMMAND, deleteCommand, importCommand, TAKE_UP_COMMAND } from "./commands";
import { importIdAdvice, isMember, type Reader } from "./occupied-advice";

/** Where the endpoint would be, or which endpoints may be it. */
export function maybeCreatedMessage({ projectId, branchId, name, keepsNames, candidates }: MaybeCreated): string {
  const lost = "An answer to the create of this endpoint was lost";
  if (candidates.length > 0) {
    const [which, those] =
      candidates.length === 1
        ? [`endpoint ${candidates.join()} may be what it made`, "it"]
        : [`any of the endpoints ${listed(candidates)} may be what it made`, "they"];
    return (
      `${lost}, and this platform keeps no names: ${which}, for ${those} appeared on branch ${branchId} at that ` +
      "moment, but nobody can tell for certain, so that nothing was taken and nothing was sent again"
    );
  }
  const named = keepsNames === false ? "" : `, under the name ${name}`;
  return `${lost}, so it may exist: it would be on branch ${branchId} of project ${projectId}${named}`;
}

/** The commands that help. */
export function maybeCreatedAdvice(
  { projectId, branchId, keepsNames, candidates }: MaybeCreated,
  reader: Reader,
): string {
  // One way on, not two: a plain run would only find the endpoint, and ask for the same.
  const takeUp =
    "Run the same command again with PGCOMPUTE_ADOPT_INTERRUPTED=1, as in " +
    `\`${TAKE_UP_COMMAND}\`: it takes the endpoint up if it is there, and creates it if it is not.`;
  if (candidates.length === 0 && keepsNames === true) return takeUp;
  const look = `${COMMAND} endpoints list --project ${shellWord(projectId)} --branch ${shellWord(branchId)}`;
  const remove = deleteCommand(`${projectId}/ENDPOINT`);
  if (candidates.length === 0 && keepsNames === false) {
    return `Look whether it is there, run: ${look}. To delete it, if nobody else has it, run: ${remove}. Then run \`pulumi up\` again.`;
  }
  if (candidates.length === 0) {
    const nameless = `To delete it, if it is there without its name and nobody else has it, run: ${remove}.`;
    return `Look whether it is there, run: ${look} --json. ${nameless} ${takeUp}`;
  }
  const ways = candidates.flatMap((id) => [
    `to delete ${id}, if nobody else has it, run: ${deleteCommand(id)}`,
    ...importWays(reader, id),
  ]);
  return `What you can do before you run \`pulumi up\` again:${ways.map((way) => `\n  - ${way}`).join("")}`;
}

/** A second endpoint that one create has made, because an answer was lost and the platform's lists were behind. */
export function duplicateMessage(record: EndpointRecord, { name }: { name: string }): string {
  const id = idOf(record);
  const what =
    record.name === name
      ? `endpoint ${id} was created by the same request as this resource's own, because an answer was lost and the platform's lists ` +
        "were behind; to delete it"
      : `endpoint ${id} appeared while this resource's own was created and an answer was lost, and is as it was sent; to delete ` +
        "it, if nobody else has it";
  return `${what}, run: ${deleteCommand(id)}`;
}

function importWays({ host, urn }: Reader, id: string): string[] {
  if (isMember(urn)) return [`or ${importIdAdvice(id)}`];
  return host === "plugin" ? [`or bring it under management, run: ${importCommand(urn, id)}`] : [];
}
