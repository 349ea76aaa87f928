/** Texts with a command of Pulumi in them: refusals and errors say what is wrong as data, this file says it to people. */
import { idOf } from "../endpoint/identity";
import { memberIn, type Owner, ownerName } from "../lib/owner";
import { nameOfUrn } from "../lib/urn";
import { plain, quoted } from "../lib/wording";
import { PgComputeError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import type { Remedy } from "../platform/remedy";
import { deleteCommand, TAKE_UP_COMMAND } from "./commands";
import { WRONG_ADDRESS_ADVICE } from "./failure-advice";
import { leftMessage } from "./left-advice";
import { maybeCreatedAdvice } from "./lost-create-advice";
import {
  bullets,
  formatOccupant,
  formatResource,
  formatUrnArgument,
  isMember,
  occupiedMessage,
  type Reader,
  resourceName,
  takeoverAdvice,
} from "./occupied-advice";
import type { Refusal } from "./run/refusal";

/** What to look at first where the platform does not know a project. */
export const CHECK_ACCESS =
  "Check the key (pgcompute:apiKey or PGCOMPUTE_API_KEY) and the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL).";

/** The sentence of a refusal, with every way on that the reader has. */
export function refusalMessage(refusal: Refusal, reader: Reader): string {
  switch (refusal.kind) {
    case "order":
      return orderMessage(refusal, reader);
    case "declared_twice":
      return declaredTwiceMessage(refusal);
    case "two_owners":
      return twoOwnersMessage(refusal);
    case "leaves_late":
      return (
        `branch ${plain(refusal.branchId)} still has read-write endpoint ${formatOccupant(refusal.occupant)} of ` +
        `${formatResource(refusal.other)}, which this program gives up only at the end of the run; change that resource ` +
        "first and this one in a second run"
      );
    case "left_behind":
      return leftBehindMessage(refusal, reader);
    case "left":
      return leftMessage(refusal, reader);
    case "released":
      return releasedMessage(refusal.occupant);
    case "occupied":
      return occupiedMessage({
        ...refusal,
        ...reader,
        forcedReplacementPossible: refusal.isNew,
        mayAdopt: refusal.isNew,
      });
  }
}

/** Why the second read-write endpoint that one program declares on a branch fails (specification, section 1, rule 1). */
function declaredTwiceMessage({ branchId, first }: { branchId: string; first: Owner }): string {
  return (
    `the resource ${formatResource(first)} of this program already declares the read-write endpoint of branch ` +
    `${plain(branchId)}, and a branch has at most one. What you can do:` +
    bullets([
      "remove one of the two",
      "give this one another branch",
      'make this one a read replica with `type: "read_only"` (paid plan)',
    ])
  );
}

/** What a replica that an earlier run left is, and the command that removes it; and the one that takes it up, where the resource is new there. */
export function orphanMessage(record: EndpointRecord, isNewThere = false): string {
  const id = idOf(record);
  const takeUp = isNewThere ? `to take it up instead of creating another beside it, run: ${TAKE_UP_COMMAND}; ` : "";
  return (
    `endpoint ${id} on branch ${record.branchId} was created for this resource by an earlier run, and no resource of this run ` +
    `has it; ${takeUp}to delete it, unless a state has it, as in a forced replacement, run: ${deleteCommand(id)}`
  );
}

/** A read replica that an earlier run may have left on a platform that keeps no names. */
export function namelessOrphanMessage(record: EndpointRecord): string {
  const id = idOf(record);
  return (
    `read replica ${id} is on branch ${record.branchId}, and no resource of this run has it; this platform keeps no names, so an ` +
    `earlier run that was killed may have made it; to delete it, if nobody else has it, run: ${deleteCommand(id)}`
  );
}

/** What an import of an endpoint means that was created for another resource. */
export function importedOwnerMessage(id: string, { urn, name }: { urn?: Owner; name: string }): string {
  const [owner, way] =
    urn === undefined || isMember(urn)
      ? [
          quoted(urn === undefined ? name : ownerName(urn)),
          "a resource by `pulumi state delete URN`, a member of a fleet by `pulumi up` with `retainOnDelete: true`, and once more without it",
        ]
      : [formatResource(urn), `run: pulumi state delete ${formatUrnArgument(urn)}`];
  return (
    `endpoint ${id} was created for ${owner}; if a state still has it there, two resources would have one endpoint, and ` +
    `removing one would delete what the other has: take it out of that state, ${way}`
  );
}

/** Runs a call; its failure says what to do next, which `advise` adds to it. */
export async function advised<T, R extends Reader>(
  reader: R,
  work: () => Promise<T>,
  advise: (error: PgComputeError, reader: R) => void = adviseError,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PgComputeError) advise(error, reader);
    throw error;
  }
}

/** Adds to an error what to do next, where that takes a command of Pulumi. */
export function adviseError(error: PgComputeError, reader: Reader): void {
  const advice = error.remedy && remedyAdvice(error.remedy, reader);
  if (advice !== undefined) error.advise(advice);
}

function remedyAdvice(remedy: Remedy, reader: Reader): string {
  const { urn } = reader;
  switch (remedy.kind) {
    case "gone":
      return "Run `pulumi refresh`, then `pulumi up` creates it again";
    case "unknownProject":
      return `${CHECK_ACCESS} If the project was deleted with all that was in it, run: pulumi state delete ${formatUrnArgument(urn)}`;
    case "wrongAddress":
      return WRONG_ADDRESS_ADVICE;
    case "rootBranch":
      return (
        "Set the resource option `retainOnDelete: true` and run `pulumi up` first, or take it out of the stack with " +
        `\`pulumi state delete ${formatUrnArgument(urn)}\``
      );
    case "not_applied":
      return remedy.properties.includes("branchId")
        ? "Run `pulumi config set pgcompute:moves replace`: another branch then means another endpoint."
        : `Take ${remedy.properties.join(" and ")} out of the program: this platform does not do it.`;
    case "maybeCreated":
      return maybeCreatedAdvice(remedy, reader);
  }
}

function orderMessage({ branchId, first, second }: Refusal & { kind: "order" }, { urn }: Reader): string {
  const [one, two] = [first, second].map((which) => (which === urn ? "this resource" : formatResource(which)));
  // The engine knows the fleet, not its members.
  const [waitedFor = "", waiter = ""] = [first, second].map(resourceName);
  return (
    `what becomes of ${one} and ${two} on branch ${plain(branchId)} depends on which of them is changed first, and nothing in the ` +
    `program says so. Let ${quoted(waiter)} wait for ${quoted(waitedFor)}: add ` +
    `\`dependsOn: [${waitedFor}]\` to the options of ${quoted(waiter)}`
  );
}

/**
 * What takes a resource out of the state without a delete. A member leaves its fleet by the program alone, and is released where it is
 * certain that the other one has its endpoint by then.
 */
function wayOut(urn: Owner, other: Owner): string {
  const member = memberIn(urn);
  if (!member) return `pulumi state delete ${formatUrnArgument(urn)}`;
  const name = nameOfUrn(member.fleet);
  const otherFleet = memberIn(other)?.fleet;
  const released =
    otherFleet === undefined
      ? ""
      : `, or take the member out and let ${quoted(name)} wait for the other: add \`dependsOn: [${plain(nameOfUrn(otherFleet))}]\``;
  return `for member ${quoted(member.key)} of the fleet ${quoted(name)}: take its importId out, where the fleet has it not yet${released}`;
}

function twoOwnersMessage({ branchId, endpointId, urns }: Refusal & { kind: "two_owners" }): string {
  const which = endpointId === undefined ? "the read-write endpoint" : `endpoint ${plain(endpointId)}`;
  return (
    `${urns.map(formatResource).join(" and ")} both have ${which} of branch ${plain(branchId)}, and removing one would ` +
    `delete what the other has. Take one of them out of the state, which deletes nothing, and out of the program:` +
    bullets(urns.map((urn, at) => wayOut(urn, urns[1 - at] ?? urn)))
  );
}

function releasedMessage(occupant: EndpointRecord): string {
  const id = idOf(occupant);
  return (
    `endpoint ${formatOccupant(occupant)} was taken over, so a replacement does not delete it: it stays on branch ` +
    `${plain(occupant.branchId)}, and a branch has at most one read-write endpoint. What you can do:${bullets([
      "to change it in place, take the option that replaces it, such as `replaceOnChanges`, off the resource",
      `to have a new one instead, delete it first, run: ${deleteCommand(id)}, then: pulumi up --refresh`,
    ])}`
  );
}

function leftBehindMessage(
  { branchId, occupant, other, isNew }: Refusal & { kind: "left_behind" },
  reader: Reader,
): string {
  const takeover = isNew ? takeoverAdvice(occupant, reader) : [];
  return (
    `branch ${plain(branchId)} still has read-write endpoint ${formatOccupant(occupant)} of ${formatResource(other)}, and it stays ` +
    `there when that resource leaves, since it was taken over or is to be kept (retainOnDelete). What you can do:${bullets(
      [
        "give this one another branch",
        ...takeover.map((one) => `or run pulumi up without this one first; then ${one}`),
      ],
    )}`
  );
}
