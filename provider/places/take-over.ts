/**
 * Which endpoints that are there an owner takes over. By `adoptInterrupted` it is one that bears the owner's own name, such as one that a killed
 * run has created: that name tells for whom it was made, not whose it is now, so that it takes the person's word
 * (docs/decisions/0003-endpoints-of-interrupted-runs.md).
 */
import type { Place } from "../endpoint/identity";
import { newestFirst, ownerNameIn, ownershipOf, ownershipStem } from "../endpoint/ownership-name";
import { madeFor, memberIn, type Owner, resourceOwner, siblingUrn } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { Ground } from "./ground";
import type { LeftEndpoint } from "./refusal";

/** A test whether a create of this run made the endpoint and lost the answer. */
type IsOfThisRun = (record: EndpointRecord) => boolean;

/** The decision on existing endpoints with an owner's name: the one to adopt, and the rest. */
export interface TakeUp {
  takes?: EndpointRecord | undefined;
  left: readonly EndpointRecord[];
}

/**
 * The one that is taken up of those that bear an owner's name, newest first, or else all that are left where they are. One that this run has met
 * as another's is not taken up. `metId` is the owner's own, where this run has met it: then this is its replacement, which needs no permission.
 */
export function decideTakeUp(
  ground: Ground,
  made: readonly EndpointRecord[],
  { metId, isOfThisRun }: { metId?: string | undefined; isOfThisRun?: IsOfThisRun | undefined } = {},
): TakeUp {
  const own = made.find(({ id }) => id === metId) ?? made.find((record) => isOfThisRun?.(record));
  const [newest] = made;
  const mayTake = ground.rules.takesUp && newest && ground.otherOwnerOf(newest.id) === undefined;
  const takes = own ?? (mayTake ? newest : undefined);
  return { takes, left: takes ? [] : made };
}

/** Orphans of an owner in all projects of the lists, newest first. `own` is its endpoint in this run, where it has one. */
export function orphansOf(
  ground: Ground,
  owner: Owner,
  own: { projectId: unknown; endpointId: unknown },
  isFree?: (record: EndpointRecord) => boolean,
): EndpointRecord[] {
  const ownRecord = ground.find(String(own.projectId), String(own.endpointId)) ?? [];
  const made = endpointsMadeFor(owner, ...ground.lists.values()).concat(ownRecord);
  return orphansAmong(ground, owner, made, isFree);
}

/** Endpoints that earlier runs made for an owner and nobody in this run has, newest first. Older ones than its own are a state's to delete. */
function orphansAmong(
  ground: Ground,
  owner: Owner,
  records: readonly EndpointRecord[],
  isFree = ({ id }: EndpointRecord) => ground.otherOwnerOf(id) === undefined,
): EndpointRecord[] {
  const ownId = ground.owners.record(owner).endpointId;
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
 * Decides on the orphans of a single endpoint in a place. In a replacement whose old endpoint this run was not told, a sole candidate is that
 * old endpoint, and no orphan.
 */
export function takeUpAt(ground: Ground, place: Place, isOfThisRun?: IsOfThisRun): TakeUp {
  const { phase, endpointId } = ground.owners.record(ground.urn);
  const { takesUp } = ground.rules;
  // With adoptInterrupted the newest counts, even if another one of the run has it: that is refused then.
  const found = orphansAmong(ground, ground.urn, ground.recordsOn(place), takesUp ? () => true : undefined);
  const made = found.filter(({ type }) => type === place.type);
  const isReplaced = made.length === 1 && phase === "replacing" && endpointId === undefined;
  return decideTakeUp(ground, isReplaced ? [] : made, { isOfThisRun });
}

/** Endpoints that are left where they are, each with whoever has it by this run. */
export function withOwners(ground: Ground, left: readonly EndpointRecord[]): Omit<LeftEndpoint, "key">[] {
  return left.map((record) => ({ record, owner: ground.otherOwnerOf(record.id) }));
}

/** The endpoints of projects that bear the name that this owner's are created with, found by the name, however many others there are. */
export function endpointsMadeFor(owner: Owner, ...snapshots: readonly EndpointSnapshot[]): EndpointRecord[] {
  const stem = ownershipStem(madeFor(owner));
  return snapshots.flatMap((snapshot) => [...snapshot.named(stem)]);
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
