/** What to do about endpoints that are there already: on the branch of a read-write endpoint, or under the names of an interrupted run. */
import { idOf } from "../../endpoint/identity";
import { ownerNameIn } from "../../endpoint/ownership-name";
import { memberIn, nameOfUrn, type Owner, ownerName, resourceOf, shownUrn } from "../../lib/owner";
import { cleanText } from "../../lib/redact";
import { formatSize, listed, listedFew, plain, quoted, shellQuoted } from "../../lib/wording";
import { madeForOther } from "../../plan/adopt";
import type { LeftRefusal, Refusal } from "../../plan/refusal";
import type { EndpointRecord } from "../../platform/records";
import { deleteCommand, importCommand, OWNERS_COMMAND, TAKE_UP_COMMAND } from "./commands";

const WHO_HAS = `to see who has which endpoint, run: ${OWNERS_COMMAND}`;

/** Who reads, and what they can do: the dynamic host cannot import. */
export interface Reader {
  host: "plugin" | "dynamic";
  /** The resource, or the member of a fleet, that it is about. */
  urn: Owner;
}

/** A way on, where there is that one. */
type Way = string | false | undefined;

/** Who is in the way, and for whom. Once it is being created, it is no replacement of the occupant by force, which a Check cannot tell apart. */
type Occupied = Reader & Omit<Refusal & { kind: "occupied" }, "kind"> & { isCreating?: true };

/** Why a read-write endpoint cannot be created on a branch that has one (specification, section 1, rules 1 and 3), and at most three ways on. */
export function occupiedMessage(args: Occupied): string {
  const ways = args.other ? waysWithOwner(args, args.other) : waysWithoutOwner(args);
  return (
    `branch ${plain(args.occupant.branchId)} already has a read-write endpoint, ${formatNamedOccupant(args)}, ` +
    `and a branch has at most one. What you can do:${bullets(ways)}`
  );
}

/** For a new resource, which may be the replacement of the endpoint in the way; no command of Pulumi replaces a member. */
function forcedReplacementAdvice(urn: Owner, isOwn = "it is this resource's own endpoint"): string {
  return (
    `if ${isOwn}, which --replace or a taint is to replace, ` +
    `run: pulumi destroy --target ${formatUrnArgument(urn)}, then: pulumi up`
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

/** A resource, or a member, in a sentence: its name and its URN. */
export function formatResource(owner: Owner): string {
  return `${quoted(ownerName(owner))} (${cleanText(shownUrn(owner))})`;
}

/** A URN in a command: it has `::` and may have `$` and spaces, so it is quoted for people to copy the line as it is. */
export function formatUrnArgument(owner: Owner): string {
  return shellQuoted(resourceOf(owner));
}

/** How a member of a fleet takes over what is there, on either host. */
export function importIdAdvice(id: string): string {
  return `to make it the fleet's own, set \`importId: "${plain(id)}"\` for this member`;
}

/** True for a member of a fleet: no command of Pulumi can name it. */
export function isMember(owner: Owner | undefined): boolean {
  return owner !== undefined && memberIn(owner) !== undefined;
}

/** The name that a program's options know: of a member its fleet's. */
export function resourceName(owner: Owner): string {
  return plain(nameOfUrn(resourceOf(owner)));
}

/** Ways on, a line each; those that there are. */
export function bullets(all: readonly Way[]): string {
  return all.flatMap((one) => (one ? `\n  - ${one}` : [])).join("");
}

/** Ways on in one line. */
function either(...all: readonly Way[]): string {
  return all.filter(Boolean).join("; ");
}

function waysWithOwner(args: Occupied, { urn, name }: { urn?: Owner; name?: string }): Way[] {
  const label = quoted(urn === undefined ? (name ?? "") : ownerName(urn));
  // The name in an endpoint's own is for people: no program need have anything of that very name.
  const wait =
    urn === undefined
      ? `it was created for ${label}, a resource or a member of a fleet, in this stack or another: if another stack has it, give this one ` +
        "another branch; if it leaves the branch in this same update, let this one wait with `dependsOn` for that resource, or for that fleet"
      : `it belongs to ${formatResource(urn)}: if that leaves the branch in this same update, let this one wait with ` +
        `\`dependsOn: [${resourceName(urn)}]\``;
  const isOthers = either(wait, exchangeAdvice(args, label));
  // This run has met it, so that there is nothing to find out.
  if (name === undefined) {
    const another = 'else give this one another branch, or make it a read replica with `type: "read_only"` (paid plan)';
    return [movedAdvice(args), isOthers, another];
  }
  const { occupant, isNew, isCreating, leftBranchId } = args;
  const id = idOf(occupant);
  return [
    movedAdvice(args),
    isOthers,
    leftBranchId === undefined && goneAdvice(args, { label, urn }),
    either(
      WHO_HAS,
      // One that was renamed has an endpoint that bears its old name.
      isNew && !isCreating && !isMember(args.urn) && forcedReplacementAdvice(args.urn),
      `to delete it, if no state has it because an interrupted run left it, run: ${deleteCommand(id)}`,
      isNew && isMember(args.urn) && `or ${importIdAdvice(id)}, once no other state has it`,
    ),
  ];
}

function waysWithoutOwner(args: Occupied): Way[] {
  const { occupant, isNew, isCreating, urn } = args;
  const isOthers =
    "if it belongs to another resource of this program, which leaves the branch in this same update, let this one wait for " +
    "that one with `dependsOn`";
  return [
    movedAdvice(args),
    isNew && either(...takeoverAdvice(occupant, args)),
    either(isOthers, exchangeAdvice(args, "the resource that has it"), renamedAdvice(args, "OLD-NAME")),
    either(WHO_HAS, isNew && !isCreating && !isMember(urn) && forcedReplacementAdvice(urn)),
  ];
}

/** What to do where the program no longer has the one that the occupant was created for: it goes only at the end of the run. */
function goneAdvice(args: Occupied, { label, urn }: { label: string; urn: Owner | undefined }): string {
  const without = isMember(args.urn)
    ? "without this member first, but never where this fleet has it: that deletes it"
    : args.isNew
      ? "without this resource first"
      : "with this resource where it was first";
  return either(
    `if ${label} was taken out of the program, run pulumi up ${without}`,
    !isMember(urn) && renamedAdvice(args, urn === undefined ? "OLD-NAME" : resourceName(urn)),
  );
}

function movedAdvice({ leftBranchId }: Occupied): Way {
  return (
    leftBranchId !== undefined &&
    `if it is this resource's own endpoint, which is no longer on branch ${plain(leftBranchId)}, moved here outside this program ` +
      "or by an interrupted run, record that first, run: pulumi refresh"
  );
}

/** No order of one run lets two endpoints exchange their branches. */
function exchangeAdvice({ leaves, urn }: Occupied, other: string): Way {
  if (!leaves) return undefined;
  const first = "give this resource a branch without endpoints";
  const runs = leaves.inTime
    ? `two runs: ${first}, let ${other} wait for it with \`dependsOn: [${resourceName(urn)}]\`, run pulumi up, then give this one its new branch`
    : `three runs: ${first}, then ${other} its new branch, then this one its own, with pulumi up after each`;
  return `if ${other} is to come to branch ${plain(leaves.branchId)} in exchange, that takes ${runs}`;
}

/** A member of a fleet is its key, and a renamed one is another; the fleet itself may have been renamed. What is not new keeps its own. */
function renamedAdvice({ urn, isNew }: Occupied, oldName: string): Way {
  const option = (name: string) => `resource option \`aliases: [{ name: "${name}" }]\``;
  if (!isNew) return undefined;
  return isMember(urn)
    ? `if the fleet was only renamed, keep its endpoints with its ${option("OLD-NAME")}`
    : `if this resource was only renamed, keep its endpoint with the ${option(oldName)}`;
}

/** How a resource that is new takes over what nobody has any more; what was created for another one is not adopted. */
export function takeoverAdvice(occupant: EndpointRecord, { host, urn }: Reader): string[] {
  const id = idOf(occupant);
  const adopt = "to take it over in this program, set `adoptExisting: true`";
  const isMarked = madeForOther(occupant, urn) !== undefined;
  const bring = host === "plugin" ? [`to bring it under management, run: ${importCommand(urn, id, { isMarked })}`] : [];
  return [...(ownerNameIn(occupant) === undefined ? [adopt] : []), ...(isMember(urn) ? [importIdAdvice(id)] : bring)];
}

function formatNamedOccupant({ occupant, other }: Occupied): string {
  const { name = "" } = occupant;
  return name === "" || other ? formatOccupant(occupant) : `${formatOccupant(occupant)} named ${quoted(name)}`;
}

/** Offers no adoption or import: the name tells for whom it was made, and only whether a state has it is open. */
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
      `only where a run was killed: take ${they} up, without --target and --exclude, which hide owners, run: ${TAKE_UP_COMMAND}`,
      `else see who has which endpoint, with this stack and with others, run: ${OWNERS_COMMAND}; whoever has ${they} there keeps ${they}, so give ` +
        `${instead}; what nobody has, as after retainOnDelete, the first command takes up`,
      isNew &&
        forcedReplacementAdvice(urn, keys.length > 0 ? `${isOne ? "it is" : "they are"} this fleet's own` : undefined),
    ])
  );
}
