/** What to do about endpoints that bear the names of a resource's or of a fleet's members' endpoints, and that nobody says are theirs. */
import { listedFew, plain } from "../lib/wording";
import type { LeftRefusal } from "../plan/take-up";
import { TAKE_UP_COMMAND } from "./commands";
import { bullets, forcedReplacementAdvice, formatOccupant, type Reader } from "./occupied-advice";

/**
 * Says it once: how many there are, for which members, since when, and the command that takes them up, first with what it is for. To offer
 * an adoption or an import would make people decide what the name has decided; whether a state has the endpoint is all that is open.
 */
export function leftMessage({ left, isNew }: LeftRefusal, { urn }: Reader): string {
  const keys = [...new Set(left.flatMap(({ key }) => key ?? []))];
  const [since] = left.flatMap(({ record }) => record.createdAt ?? []).sort();
  const isOne = left.length === 1;
  const when = since === undefined ? "" : ` ${isOne ? "at" : "since"} ${plain(since)}`;
  const occupied = left.map(({ record }) => `branch ${plain(record.branchId)} already has ${formatOccupant(record)}`);
  const what =
    keys.length === 0
      ? `${occupied.join()}, which was created for this resource${when}`
      : `${left.length} ${isOne ? "endpoint is" : "endpoints are"} there that ${isOne ? "was" : "were"} created for ` +
        `${keys.length === 1 ? "the member" : "the members"} ${listedFew(keys)} of this fleet${when} ` +
        `(${listedFew(left.map(({ record }) => record.id))})`;
  const [they, ids] = isOne ? ["it", "its id"] : ["them", "their ids"];
  const instead = keys.length > 0 ? "the member another key or branch" : "this resource another branch";
  return (
    `${what}, and a name does not tell whose an endpoint is now. What you can do:` +
    bullets([
      `only where a run was killed: take ${they} up, without --target and --exclude, which hide owners, run: ${TAKE_UP_COMMAND}`,
      `else look for ${ids} in \`pulumi stack export\` of this stack and of others: whoever has ${they} there keeps ${they}, so give ` +
        `${instead}; what nobody has, as after retainOnDelete, the same command takes up`,
      ...forcedReplacementAdvice(isNew, urn),
    ])
  );
}
