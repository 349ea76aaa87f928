/**
 * Whether a resource takes over an endpoint that is there: by `adoptExisting` one that bears nobody's name, by `adoptInterrupted` one that bears
 * its own, such as one that a killed run has created. That name tells for whom it was made, not whose it is now, so it takes the person's word
 * (docs/decisions/0003-endpoints-of-interrupted-runs.md).
 */
import type { Place } from "../endpoint/identity";
import { newestFirst, ownerNameIn, ownershipOf, ownershipStem } from "../endpoint/ownership-name";
import { madeFor, memberIn, type Owner, resourceOwner, siblingUrn } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { LeftEndpoint } from "./refusal";
import type { World } from "./world";

/** True for an endpoint that `adoptExisting` takes over: nobody in this run has it, and it bears nobody's name. */
export function isAdoptable(world: World, record: Pick<EndpointRecord, "id" | "name">): boolean {
  return world.otherOwnerOf(record.id) === undefined && ownerNameIn(record) === undefined;
}

/** True for what a create of this very run has made, whose answer was lost. */
type IsOfThisRun = (record: EndpointRecord) => boolean;

/**
 * The endpoint that is taken up of those that bear an owner's name where the program wants one, newest first, or else all that are left where
 * they are. One that this run has met as another's is not taken up, even if this owner should come first: the next run may differ. `metId` is
 * the owner's own, where this run has met it: then this is its replacement, which needs no permission.
 */
export function decideTakeUp(
  world: World,
  made: readonly EndpointRecord[],
  { metId, isOfThisRun }: { metId?: string | undefined; isOfThisRun?: IsOfThisRun | undefined } = {},
): { takes?: EndpointRecord | undefined; left: readonly EndpointRecord[] } {
  const own = made.find(({ id }) => id === metId) ?? made.find((record) => isOfThisRun?.(record));
  const [newest] = made;
  const takes = own ?? (world.takesUp && newest && !world.otherOwnerOf(newest.id) ? newest : undefined);
  return { takes, left: takes ? [] : made };
}

/** What earlier runs made for an owner and nobody of this run has, newest first. What is older than its own endpoint, a state deletes. */
export function orphansAmong(
  world: World,
  owner: Owner,
  records: readonly EndpointRecord[],
  isFree = ({ id }: EndpointRecord) => world.otherOwnerOf(id) === undefined,
): EndpointRecord[] {
  const ownId = world.ledger.record(owner).endpointId;
  const others = records.filter(({ id }) => id !== ownId);
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
 * What becomes of the orphans of a resource in a place. If the resource had an endpoint before, and this run was not told which, a sole
 * candidate is taken for that one: it is about to be replaced, and is no orphan.
 */
export function takeUpAt(world: World, place: Place, isOfThisRun?: IsOfThisRun): ReturnType<typeof decideTakeUp> {
  const { urn } = world.turn;
  const { hadOne, endpointId } = world.ledger.record(urn);
  const isFree = ({ id }: EndpointRecord) => !world.isTakenBefore(id);
  const found = orphansAmong(world, urn, world.recordsOn(place), world.takesUp ? isFree : undefined);
  const made = found.filter(({ type }) => type === place.type);
  const isReplaced = made.length === 1 && hadOne && endpointId === undefined;
  return decideTakeUp(world, isReplaced ? [] : made, { isOfThisRun });
}

/** Endpoints that are left where they are, each with whoever has it by this run: that one keeps it, whatever adoptInterrupted says. */
export function withOwners(world: World, left: readonly EndpointRecord[]): Omit<LeftEndpoint, "key">[] {
  return left.map((record) => ({ record, owner: world.otherOwnerOf(record.id) }));
}

/** The endpoints of projects that bear the name that this owner's are created with, found by the name, however many others there are. */
export function endpointsMadeFor(owner: Owner, ...snapshots: readonly EndpointSnapshot[]): EndpointRecord[] {
  const stem = ownershipStem(madeFor(owner));
  return snapshots.flatMap((snapshot) => snapshot.named(stem));
}

/** A test whether an endpoint bears the name that this owner's endpoints are created with. */
export function isMadeFor(owner: Owner): (record: Pick<EndpointRecord, "name">) => boolean {
  return ownershipOf(madeFor(owner));
}

/** For whom else an endpoint was made: a resource of the same stack and type by its URN, anybody else by the name alone. */
export function madeForOther(
  record: Pick<EndpointRecord, "name">,
  owner: Owner,
): { name: string; urn?: Owner } | undefined {
  const name = ownerNameIn(record);
  if (name === undefined || isMadeFor(owner)(record)) return undefined;
  const sibling = memberIn(owner) ? undefined : resourceOwner(siblingUrn(owner, name));
  return sibling !== undefined && isMadeFor(sibling)(record) ? { name, urn: sibling } : { name };
}
