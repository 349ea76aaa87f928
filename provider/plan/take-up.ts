/**
 * Whether an endpoint that was made for somebody is taken up for whom it was made. A name tells for whom an endpoint was made, not whose
 * it is now, so that the name alone takes nothing: somebody has to say so (docs/decisions/0003-endpoints-of-interrupted-runs.md).
 */
import { newestFirst, ownerNameIn, ownershipOf, ownershipStems } from "../endpoint/ownership-name";
import { madeFor, memberIn, type Owner, resourceOwner, siblingUrn } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { World } from "./world";

/** What is known of the endpoints that bear an owner's name. */
export interface TakeUpRequest {
  /** Those that stand where the program wants one, newest first; none that is another's for certain before this owner's turn. */
  made: readonly EndpointRecord[];
  /**
   * True for one that this run has met as another's, in an order that nobody knows: the next run may meet that owner later, and has to
   * come to the same.
   */
  isAnothers?(record: EndpointRecord): boolean;
  /** Whether the program or the person says that what an interrupted run has made is taken up. */
  isSaid: boolean;
  /** The owner's own endpoint, where this run has been shown it: it is replaced, and goes on. */
  metId?: string | undefined;
  /** True for what a create of this very run has made, whose answer was lost. */
  isOfThisRun?(record: EndpointRecord): boolean;
}

/** The endpoint that is taken up, or those that nobody says so of. */
export function decideTakeUp({ made, isAnothers, isSaid, metId, isOfThisRun }: TakeUpRequest): {
  takes?: EndpointRecord | undefined;
  left: readonly EndpointRecord[];
} {
  const own = made.find(({ id }) => id === metId) ?? made.find((record) => isOfThisRun?.(record));
  const [newest] = made;
  const takes = own ?? (isSaid && newest && !isAnothers?.(newest) ? newest : undefined);
  return { takes, left: takes ? [] : made };
}

/**
 * What earlier runs made for an owner and nobody of this run has, newest first. What is older than the owner's own endpoint is none: the
 * state had it once, and deletes it.
 */
export function orphansAmong(
  world: World,
  owner: Owner | undefined,
  records: readonly EndpointRecord[],
  isFree = ({ id }: EndpointRecord) => world.otherOwnerOf(id) === undefined,
): EndpointRecord[] {
  const ownId = owner && world.endpointOf(owner);
  const others = records.filter(({ id }) => id !== ownId);
  // Nearly always: no other is there.
  if (others.length === 0) return [];
  const since = Date.parse(records.find(({ id }) => id === ownId)?.createdAt ?? "");
  return newestFirst(
    others
      .filter(isMadeFor(owner))
      .filter(isFree)
      .filter(({ createdAt }) => !(Date.parse(createdAt ?? "") < since)),
  );
}

/**
 * What becomes of the orphans of a resource on a branch, by their type. One that had an endpoint before, of which nobody has said which,
 * has the only one there is: that one it replaces.
 */
export function takeUpOn(
  world: World,
  { urn, hadOne }: { urn: Owner | undefined; hadOne: boolean },
  {
    onBranch,
    type,
    isOfThisRun,
  }: { onBranch: readonly EndpointRecord[]; type: string } & Pick<TakeUpRequest, "isOfThisRun">,
): ReturnType<typeof decideTakeUp> {
  const isSaid = world.takesUp;
  const isFree = ({ id }: EndpointRecord) => !world.isTakenBefore(id);
  const made = orphansAmong(world, urn, onBranch, isSaid ? isFree : undefined).filter((one) => one.type === type);
  const isReplaced = made.length === 1 && hadOne && urn !== undefined && world.endpointOf(urn) === undefined;
  return decideTakeUp({
    made: isReplaced ? [] : made,
    isAnothers: ({ id }) => world.otherOwnerOf(id) !== undefined,
    isSaid,
    ...(isOfThisRun && { isOfThisRun }),
  });
}

/** The endpoints of a project that bear the name that this owner's are created with, found by the name, however many others there are. */
export function endpointsMadeFor(owner: Owner, snapshot: EndpointSnapshot): EndpointRecord[] {
  return ownershipStems(madeFor(owner)).flatMap((stem) => snapshot.named(stem));
}

/** A test whether an endpoint bears the name that this owner's endpoints are created with. */
export function isMadeFor(owner: Owner | undefined): (record: Pick<EndpointRecord, "name">) => boolean {
  return owner === undefined ? () => false : ownershipOf(madeFor(owner));
}

/** Whom else an endpoint was made for: an owner where it is a resource of the same stack and kind, else the name that people gave it. */
export function madeForOther(
  record: Pick<EndpointRecord, "name">,
  owner: Owner | undefined,
): { name: string; urn?: Owner } | undefined {
  const name = ownerNameIn(record);
  if (name === undefined || isMadeFor(owner)(record)) return undefined;
  const sibling = owner === undefined || memberIn(owner) ? undefined : resourceOwner(siblingUrn(owner, name));
  return sibling !== undefined && isMadeFor(sibling)(record) ? { name, urn: sibling } : { name };
}
