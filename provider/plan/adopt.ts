/**
 * Whether a resource takes over an endpoint that is there: by `adoptExisting` one that bears nobody's name, by `adoptInterrupted` one that bears
 * its own, such as one that a killed run has created. That name tells for whom it was made, not whose it is now, so it takes the person's word
 * (docs/decisions/0003-endpoints-of-interrupted-runs.md).
 */
import { newestFirst, ownerNameIn, ownershipOf, ownershipStems } from "../endpoint/ownership-name";
import { madeFor, memberIn, type Owner, resourceOwner, siblingUrn } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { LeftEndpoint } from "./refusal";
import type { World } from "./world";

/** True for an endpoint that `adoptExisting` takes over: nobody in this run has it, and it bears nobody's name. */
export function isAdoptable(world: World, record: Pick<EndpointRecord, "id" | "name">): boolean {
  return world.otherOwnerOf(record.id) === undefined && ownerNameIn(record) === undefined;
}

/** What is known of the endpoints that bear an owner's name. */
export interface TakeUpRequest {
  /** Those where the program wants one, newest first, without any that another one has before by the program's own order. */
  made: readonly EndpointRecord[];
  /** True for one that this run has met as another's. It is not taken up, even if this resource should come first: the next run may differ. */
  isAnothers?(record: EndpointRecord): boolean;
  /** Whether the program or the person says that what an interrupted run has made is taken up. */
  isSaid: boolean;
  /** The owner's own endpoint, where this run has met it: then this is its replacement, which needs no permission. */
  metId?: string | undefined;
  /** True for what a create of this very run has made, whose answer was lost. */
  isOfThisRun?(record: EndpointRecord): boolean;
}

/** The endpoint that is taken up, or else all that are left where they are. */
export function decideTakeUp({ made, isAnothers, isSaid, metId, isOfThisRun }: TakeUpRequest): {
  takes?: EndpointRecord | undefined;
  left: readonly EndpointRecord[];
} {
  const own = made.find(({ id }) => id === metId) ?? made.find((record) => isOfThisRun?.(record));
  const [newest] = made;
  const takes = own ?? (isSaid && newest && !isAnothers?.(newest) ? newest : undefined);
  return { takes, left: takes ? [] : made };
}

/** What earlier runs made for an owner and nobody of this run has, newest first. What is older than its own endpoint, a state deletes. */
export function orphansAmong(
  world: World,
  owner: Owner,
  records: readonly EndpointRecord[],
  isFree = ({ id }: EndpointRecord) => world.otherOwnerOf(id) === undefined,
): EndpointRecord[] {
  const ownId = world.ledger.endpointOf(owner);
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
 * What becomes of the orphans of a resource on a branch. If the resource had an endpoint before, and this run was not told which, a sole
 * candidate is taken for that one: it is about to be replaced, and is no orphan.
 */
export function takeUpOn(
  world: World,
  { urn, hadOne }: { urn: Owner; hadOne: boolean },
  {
    onBranch,
    type,
    isOfThisRun,
  }: { onBranch: readonly EndpointRecord[]; type: string } & Pick<TakeUpRequest, "isOfThisRun">,
): ReturnType<typeof decideTakeUp> {
  const isSaid = world.takesUp;
  const isFree = ({ id }: EndpointRecord) => !world.isTakenBefore(id);
  const made = orphansAmong(world, urn, onBranch, isSaid ? isFree : undefined).filter((one) => one.type === type);
  const isReplaced = made.length === 1 && hadOne && world.ledger.endpointOf(urn) === undefined;
  return decideTakeUp({
    made: isReplaced ? [] : made,
    isAnothers: ({ id }) => world.otherOwnerOf(id) !== undefined,
    isSaid,
    ...(isOfThisRun && { isOfThisRun }),
  });
}

/** Endpoints that are left where they are, each with whoever has it by this run: that one keeps it, whatever adoptInterrupted says. */
export function withOwners(world: World, left: readonly EndpointRecord[]): Omit<LeftEndpoint, "key">[] {
  return left.map((record) => ({ record, owner: world.otherOwnerOf(record.id) }));
}

/** The endpoints of projects that bear the name that this owner's are created with, found by the name, however many others there are. */
export function endpointsMadeFor(owner: Owner, ...snapshots: readonly EndpointSnapshot[]): EndpointRecord[] {
  const found: EndpointRecord[] = [];
  for (const stem of ownershipStems(madeFor(owner)))
    for (const snapshot of snapshots) found.push(...snapshot.named(stem));
  return found;
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
