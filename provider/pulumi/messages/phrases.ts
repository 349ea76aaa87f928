/** Phrases of refusals: endpoints with their sizes, owners with their URNs, and what was made for whom. */
import { memberIn, type Owner, ownerName, shownUrn } from "../../lib/owner";
import { cleanText } from "../../lib/redact";
import { commandLines, formatSize, listedFew, plain, quoted } from "../../lib/wording";
import type { ForeignEndpoint, Maker } from "../../places/refusal";
import type { EndpointRecord } from "../../platform/records";
import { importCommand } from "./commands";
import type { Reader } from "./errors";

/** The rule that most of these refusals follow from (specification, section 1, rule 1). */
export const AT_MOST_ONE = "and a branch has at most one";

/** An endpoint in a sentence: id, size and state. */
export function formatOccupant(occupant: EndpointRecord): string {
  const { id, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max, currentState } = occupant;
  const facts = min === undefined || max === undefined ? [] : [formatSize(min, max)];
  if (currentState !== undefined && currentState !== "") facts.push(plain(currentState));
  return `${plain(id)} (${facts.join(", ")})`;
}

/** Formats an owner as name and URN. A member has the URN of its row. */
export function formatResource(owner: Owner): string {
  return `${quoted(ownerName(owner))} (${cleanText(shownUrn(owner))})`;
}

/** What stands on a branch, by the name that it was made for. */
export function madeFor(occupant: EndpointRecord, { name }: Maker): string {
  return `branch ${plain(occupant.branchId)} has the read-write endpoint ${formatOccupant(occupant)}, made for ${quoted(name)}, ${AT_MOST_ONE}`;
}

/** What stands on a branch, of which no owner is known. */
export function unowned(occupant: EndpointRecord): string {
  const { name = "" } = occupant;
  const named = name === "" ? "" : ` named ${quoted(name)}`;
  return (
    `branch ${plain(occupant.branchId)} has the read-write endpoint ${formatOccupant(occupant)}${named}, of which no owner is known, ` +
    AT_MOST_ONE
  );
}

/** The endpoint of a leaving member that stays. */
export function leftBehind(branchId: string, other: Owner): string {
  return (
    `branch ${plain(branchId)} still has the read-write endpoint of ${formatResource(other)}, which stays there when that one leaves: ` +
    "it was taken over, or is to be kept (retainOnDelete)"
  );
}

/** What earlier runs made for the resource, or for its members. */
export function madeForThis(left: readonly EndpointRecord[], keys: readonly string[] = []): string {
  const [since] = left.flatMap(({ createdAt }) => createdAt ?? []).sort();
  const isOne = left.length === 1;
  const when = since === undefined ? "" : ` ${isOne ? "at" : "since"} ${plain(since)}`;
  const [first] = left;
  if (first && keys.length === 0)
    return `branch ${plain(first.branchId)} has ${formatOccupant(first)}, made for this resource${when}`;

  const ids = listedFew(left.map(({ id }) => id));
  const members = `${keys.length === 1 ? "member" : "members"} ${listedFew(keys)} of this fleet`;
  return `${left.length} ${isOne ? "endpoint is" : "endpoints are"} there, made for ${members}${when} (${ids})`;
}

/** How a renamed resource gets its old URN. */
export function aliasAdvice({ name, urn }: Maker): string {
  if (urn === undefined) return `give it the URN of ${quoted(name)} in the state as an alias`;
  return `give it the old URN as an alias, \`aliases: [${JSON.stringify(cleanText(shownUrn(urn)))}]\``;
}

/** Endpoints to import, and for whom they were made. */
export function createdFor(foreign: readonly ForeignEndpoint[]): string {
  const owners = foreign.flatMap(({ marked }) => {
    if (!marked) return [];
    const { name, urn } = marked;
    return urn === undefined || memberIn(urn) ? quoted(urn === undefined ? name : ownerName(urn)) : formatResource(urn);
  });
  return `${namesOf(foreign)}: made for ${listedFew([...new Set(owners)])}`;
}

/** Endpoints to import, by their names in messages. */
export function namesOf(foreign: readonly ForeignEndpoint[]): string {
  return listedFew(foreign.map(({ what }) => what));
}

/** How an endpoint becomes the reader's own, on the reader's host. */
export function importWay(id: string, { host, urn }: Reader): string {
  const member = `\`importId: "${plain(id)}"\``;
  if (memberIn(urn)) return `set ${member} instead.`;
  if (host === "dynamic") return `make it a member of a fleet by ${member}: without the plugin there is no import.`;
  return `import it before:${commandLines(importCommand(urn, id))}`;
}
