/** Ways on for endpoints in the way: on a read-write endpoint's branch, or orphans of an interrupted run. */
import { idOf } from "../../endpoint/identity";
import { ownerNameIn } from "../../endpoint/ownership-name";
import { memberIn, nameOfUrn, type Owner, ownerName, resourceOf, shownUrn } from "../../lib/owner";
import { cleanText } from "../../lib/redact";
import { commandLines, formatSize, listed, listedFew, plain, quoted, sentences, shellQuoted } from "../../lib/wording";
import type { InTheWay, LeftRefusal, Refusal } from "../../places/refusal";
import { madeForOther } from "../../places/take-over";
import type { EndpointRecord } from "../../platform/records";
import { deleteCommand, importCommand, OWNERS_COMMAND, TAKE_UP_COMMAND, UP_COMMAND, withoutCommand } from "./commands";

/** The command to find an endpoint's owner. */
export const WHO_HAS = `to see who has which endpoint, run:${commandLines(OWNERS_COMMAND)}`;

/** The reader's host, which decides the possible advice: the dynamic host cannot import. */
export interface Reader {
  host: "plugin" | "dynamic";
  /** The resource or member that the message is about. */
  urn: Owner;
}

/** A way on, or nothing. */
type Way = string | false | undefined;

/** An endpoint in the way, and the resource that it blocks. */
type Occupied = Reader & Omit<InTheWay, "kind">;

/**
 * The reason why an occupied branch takes no second read-write endpoint (specification, section 1, rules 1 and 3), with
 * up to three ways on.
 */
export function occupiedMessage(args: Occupied): string {
  const { occupant, other, isNew } = args;
  const owner = other?.urn === undefined ? other?.name : ownerName(other.urn);
  const whose =
    owner === undefined ? "" : other?.name === undefined ? ` of ${quoted(owner)}` : ` created for ${quoted(owner)}`;

  // This run knows the owner, so no search is needed.
  const isMet = other?.urn !== undefined && other.name === undefined;
  const keeps = other ? !isMet && renamedAdvice(args) : sentences(takeoverAdvice(occupant, args));

  const ways: Way[] = [
    isNew && keeps,
    firstAdvice(args),
    exchangeAdvice(args),
    isMet
      ? 'else give this one another branch, or make it a read replica with `type: "read_only"` (paid plan)'
      : ownersAdvice(args),
  ];

  return (
    `branch ${plain(occupant.branchId)} already has a read-write endpoint, ${formatNamedOccupant(args)}${whose}, ` +
    `and a branch has at most one. What you can do:${bullets(ways)}`
  );
}

/**
 * The reason why a read-write endpoint cannot move to a branch with replicas (specification, section 4.5), and the ways
 * on.
 */
export function notEmptyMessage({ branchId, from, there }: Refusal & { kind: "not_empty" }): string {
  const ids = listedFew(there.map(idOf));
  return (
    `branch ${plain(branchId)} has ${ids}, and a read-write endpoint moves only to a branch without endpoints. What you can do:` +
    bullets([
      `let what is there leave first: say branch ${plain(from)} again for one run, here and for each replica that is to be on the same branch, run ` +
        "pulumi up, then the new one, with `dependsOn` this one for each replica (each gets a new host name)",
      "to have this one deleted and created there instead, with another host name, run:" +
        commandLines("pulumi config set pgcompute:moves replace", UP_COMMAND),
      WHO_HAS,
    ])
  );
}

/** The reason why a replica was not created: the primary that moves to its branch has not come. */
export function primaryMissingMessage({ primary, branchId }: Refusal & { kind: "primary_missing" }): string {
  if (primary === undefined) {
    return (
      `no read-write endpoint of branch ${plain(branchId)} is known in this run yet, and steps that wait, as this one does, hold all of ` +
      "Pulumi's workers, so that none can come: nothing was sent for this one. Let this one wait for it: add the branch's read-write " +
      `endpoint to \`dependsOn\` in its options, then run pulumi up again. If the program has none there, run:${commandLines("pulumi up --parallel 256")}`
    );
  }
  return (
    `${formatResource(primary)}, which moves to branch ${plain(branchId)} in this run, is not there yet, and it moves only to a branch without ` +
    `endpoints: so nothing was sent for this one. Let this one wait for it: add \`dependsOn: [${resourceName(primary)}]\` to its options, ` +
    "then run pulumi up again"
  );
}

/** The advice to apply all other resources first. */
function firstAdvice({ urn, isNew, other }: Occupied): string {
  const who =
    other === undefined ? "what has it" : quoted(other.urn === undefined ? (other.name ?? "") : ownerName(other.urn));
  const options = isNew && !isMember(urn) ? ", without --refresh, as no state has this one yet" : "";
  const waiting = isNew
    ? "; where that one waits for this one, run pulumi up without this one in the program instead"
    : "";

  return (
    `if ${who} leaves the branch in this update, or is no longer in the program (then it is deleted, with its host name), let all others go ` +
    `first${options} (exclude in the same way whatever else is named then${waiting}), run:` +
    commandLines(withoutCommand(urn), UP_COMMAND)
  );
}

/** Advice for a new resource that may be the replacement of the endpoint in the way. Pulumi cannot replace a member. */
function forcedReplacementAdvice(urn: Owner, isOwn = "it is this resource's own endpoint"): string {
  return (
    `if ${isOwn}, which --replace or a taint is to replace, ` +
    `delete it, with its host name, run:${commandLines(`pulumi destroy --target ${formatUrnArgument(urn)}`, UP_COMMAND)}`
  );
}

/** An endpoint in a sentence: id, size and state. */
export function formatOccupant({
  id,
  autoscalingLimitMinCu,
  autoscalingLimitMaxCu,
  currentState,
}: EndpointRecord): string {
  const [min, max] = [autoscalingLimitMinCu, autoscalingLimitMaxCu];
  const facts = min === undefined || max === undefined ? [] : [formatSize(min, max)];
  if (currentState !== undefined && currentState !== "") facts.push(plain(currentState));
  return `${plain(id)} (${facts.join(", ")})`;
}

/** Formats an owner as name and URN. A member has the URN of its row. */
export function formatResource(owner: Owner): string {
  return `${quoted(ownerName(owner))} (${cleanText(shownUrn(owner))})`;
}

/** A quoted URN for a command line: URNs have `::` and may have `$` and spaces. */
export function formatUrnArgument(owner: Owner): string {
  return shellQuoted(resourceOf(owner));
}

/** How a fleet member adopts an existing endpoint, on either host. */
export function importIdAdvice(...ids: readonly string[]): string {
  const settings = ids.map((id) => `\`importId: "${plain(id)}"\``);
  return `to make it the fleet's own, set ${listed(settings, "or")} for this member`;
}

/** True for a member of a fleet: no command of Pulumi can name it. */
export function isMember(owner: Owner | undefined): boolean {
  return owner !== undefined && memberIn(owner) !== undefined;
}

/** The resource's name in the program; of a member, its fleet's. */
function resourceName(owner: Owner): string {
  return plain(nameOfUrn(resourceOf(owner)));
}

/** The ways on as bullets, without the empty ones. */
export function bullets(all: readonly Way[]): string {
  return all.flatMap((one) => (one ? `\n  - ${one}` : [])).join("");
}

/** Advice for two endpoints that exchange branches, which no order in one run allows. */
function exchangeAdvice({ leaves }: Occupied): Way {
  if (leaves === undefined) return undefined;
  return (
    `if branch ${plain(leaves)}, which this one leaves, is wanted in exchange, or that one waits for this one, go by an empty branch: give this ` +
    "one a branch without endpoints and run pulumi up, then let the others come, then give this one its own"
  );
}

/** Ways on by the occupant's owner. A name tells only for whom it was made; only an unowned endpoint may be deleted. */
function ownersAdvice({ occupant, other, isNew, urn }: Occupied): Way {
  const id = idOf(occupant);
  if (!other && !isNew) return WHO_HAS;
  if (!other)
    return `keep what this stack has under another name of the program with the ${aliasOption("THAT-NAME")}; ${WHO_HAS}`;
  const seen = `a live resource may have it, here or in another stack; ${WHO_HAS}`;
  if (isNew && isMember(urn)) return sentences([seen, `only where no state has it, ${importIdAdvice(id)}`]);

  return sentences([
    seen,
    `to delete it, with its host name, only where no state has it, run:${commandLines(deleteCommand(id))}`,
  ]);
}

/**
 * Advice for a renamed resource or a shifted index: the endpoint bears its old name. A renamed member is a new member.
 */
function renamedAdvice({ urn, other }: Occupied): Way {
  const inState = `to see the name that the state has, run:${commandLines("pulumi stack --show-urns")}`;
  if (isMember(urn))
    return `if the fleet was only renamed, keep its endpoints with its ${aliasOption("OLD-NAME")}; ${inState}`;
  const renamed = "if this resource was only renamed, or its index shifted, keep its endpoint with the";
  if (other?.urn === undefined || isMember(other.urn)) return `${renamed} ${aliasOption("OLD-NAME")}; ${inState}`;
  return `${renamed} ${aliasOption(resourceName(other.urn))}; if it was renamed before, ${inState}`;
}

function aliasOption(name: string): string {
  return `resource option \`aliases: [{ name: "${name}" }]\``;
}

/** Ways for a new resource to adopt an endpoint without an owner. Another resource's endpoint is not offered. */
function takeoverAdvice(occupant: EndpointRecord, { host, urn }: Reader): string[] {
  const id = idOf(occupant);
  const adopt = "to take it over in this program, set `adoptExisting: true`";
  const isMarked = madeForOther(occupant, urn) !== undefined;
  const bring =
    host === "plugin"
      ? [`to bring it under management, run:${commandLines(importCommand(urn, id, { isMarked }))}`]
      : [];
  return [...(ownerNameIn(occupant) === undefined ? [adopt] : []), ...(isMember(urn) ? [importIdAdvice(id)] : bring)];
}

function formatNamedOccupant({ occupant, other }: Occupied): string {
  const { name = "" } = occupant;
  return name === "" || other ? formatOccupant(occupant) : `${formatOccupant(occupant)} named ${quoted(name)}`;
}

/** Reports orphans by name. Offers no adoption or import, because some state may still have them. */
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

  const they = isOne ? "it" : "them";
  const instead = keys.length > 0 ? "the member another key or branch" : "this resource another branch";
  const owners = [...new Set(left.flatMap(({ owner }) => owner ?? []))];

  if (left[0]?.owner !== undefined) {
    return (
      `${what}, and ${listed(owners.map(formatResource))} ${owners.length === 1 ? "has" : "have"} ${they} now, so ${isOne ? "it" : "they"} cannot be taken up. ` +
      `What you can do:${bullets([
        `give ${instead}`,
        keys.length === 0 && `to have another one beside ${they}, run pulumi up without adoptInterrupted`,
      ])}`
    );
  }

  return (
    `${what}, and the name does not say who has it now. What you can do:` +
    bullets([
      `only where a run was killed: take ${they} up, without --target and --exclude, which hide owners, run:${commandLines(TAKE_UP_COMMAND)}`,
      `whoever else has ${they} keeps ${they}, so give ${instead} (what nobody has, as after retainOnDelete, the first command takes up); to see ` +
        `who has which endpoint, with this stack and with others, run:${commandLines(OWNERS_COMMAND)}`,
      isNew &&
        forcedReplacementAdvice(urn, keys.length > 0 ? `${isOne ? "it is" : "they are"} this fleet's own` : undefined),
    ])
  );
}
