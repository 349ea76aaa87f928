/** What to do next where a fleet or one of its members fails: no command of Pulumi names a member, and one that names the fleet means all of them. */
import type { StoredMembers } from "../../fleet/state";
import { nameOfUrn, type Owner } from "../../lib/owner";
import { listedFew, plain, shellWord } from "../../lib/wording";
import type { PgComputeError } from "../../platform/errors";
import { COMMAND } from "./commands";
import type { Reader } from "./occupied";
import { advised, adviseError, CHECK_ACCESS } from "./refusals";

/** A fleet that reads of an error: the members are those of its state. */
export interface FleetReader extends Reader {
  urn: Owner;
  members: StoredMembers;
}

/** Runs a call about a fleet; its failure says what to do next. */
export function advisedFleet<T>(reader: FleetReader, work: () => Promise<T>): Promise<T> {
  return advised(reader, work, adviseFleet);
}

/** Adds to a member's error what to do next. A member, which has this URN, is no resource that a command could name. */
export function adviseMember(error: PgComputeError, reader: FleetReader, urn: Owner): void {
  const { remedy } = error;
  if (remedy?.kind === "root_branch") {
    error.advise("Keep the member, set `retainOnDelete: true`, run `pulumi up`, then remove it.");
  } else if (remedy?.kind === "maybe_created") {
    adviseError(error, { ...reader, urn });
  } else {
    adviseFleet(error, reader);
  }
}

/** To take the whole fleet out of the state would forget what its other projects have. */
function adviseFleet(error: PgComputeError, reader: FleetReader): void {
  const { remedy } = error;
  const lost = remedy?.kind === "unknown_project" ? remedy.projectId : undefined;
  const keys = [...reader.members].filter(([, { state }]) => state.projectId === lost).map(([key]) => key);
  if (lost === undefined || keys.length === 0 || keys.length === reader.members.size) adviseError(error, reader);
  else error.advise(lostMembersAdvice(reader.urn, lost, keys));
}

function lostMembersAdvice(urn: string, projectId: string, keys: readonly string[]): string {
  const scattered = [nameOfUrn(urn), ...keys].map(shellWord).join(" ");
  return (
    `${CHECK_ACCESS} If project ${plain(projectId)} was deleted with all that was in it, take its members (${listedFew(keys)}) out of ` +
    "the program, and out of the state, where they first have to be single endpoints, run: " +
    `pulumi stack export | ${COMMAND} state scatter ${scattered} --out state.json && pulumi stack import --file state.json, ` +
    "then for each of them, by the URN that `pulumi stack --show-urns` lists, run: pulumi state delete URN"
  );
}
