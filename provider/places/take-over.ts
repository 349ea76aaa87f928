/**
 * Decides which existing endpoints an owner adopts. `adoptInterrupted` covers those with the owner's own name, such as
 * one that a killed run created. The name tells for whom it was made, not who has it now, so the user must ask for it
 * (docs/decisions/0003-endpoints-of-interrupted-runs.md).
 */
import type { BranchPlace, Place } from "../endpoint/identity";
import { newestFirst, ownerNameIn, ownershipOf, ownershipStem } from "../endpoint/ownership-name";
import { madeFor, memberIn, type Owner, resourceOwner, urnsNamed } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { Ground } from "./ground";
import type { LeftEndpoint, Maker, Refusal } from "./refusal";

/** Tests whether a create of this run made the endpoint and lost the answer. */
type IsOfThisRun = (record: EndpointRecord) => boolean;

/** The decision on endpoints with an owner's name: the one to adopt, and the others. */
export interface TakeUp {
  takes?: EndpointRecord | undefined;
  left: readonly EndpointRecord[];
}

/**
 * Decides whether to adopt the newest endpoint with an owner's name; never another owner's. `metId`: its own old
 * endpoint, always allowed.
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

/** An owner's orphans on its branch, of either type, newest first. */
export function orphansOn(
  ground: Ground,
  owner: Owner,
  branch: BranchPlace,
  isFree?: (record: EndpointRecord) => boolean,
): EndpointRecord[] {
  return orphansAmong(ground, owner, ground.recordsOn(branch), isFree);
}

/**
 * Unowned endpoints that earlier runs made for an owner, newest first. Older than its own counts only what has the very
 * same name: the same request made it.
 */
function orphansAmong(
  ground: Ground,
  owner: Owner,
  records: readonly EndpointRecord[],
  isFree = ({ id }: EndpointRecord) => ground.otherOwnerOf(id) === undefined,
): EndpointRecord[] {
  const ownId = ground.owners.record(owner).endpointId;
  const others = records.filter(({ id }) => id !== ownId);
  if (others.length === 0) return [];
  const own = records.find(({ id }) => id === ownId);
  const since = Date.parse(own?.createdAt ?? "");

  return newestFirst(
    others
      .filter(isMadeFor(owner))
      .filter(isFree)
      .filter(({ createdAt, name }) => name === own?.name || !(Date.parse(createdAt ?? "") < since)),
  );
}

/** Decides on a single endpoint's orphans in a place. */
export function takeUpAt(ground: Ground, place: Place, isOfThisRun?: IsOfThisRun): TakeUp {
  const { takesUp } = ground.rules;
  // Its own endpoint of another type is no measure of age: after a half-done change of type the older one comes back.
  const records = ground.recordsOn(place).filter(({ type }) => type === place.type);
  // With adoptInterrupted an owned endpoint counts too, and is refused later.
  const made = orphansAmong(ground, ground.urn, records, takesUp ? () => true : undefined);
  return decideTakeUp(ground, made, { isOfThisRun });
}

/** The refusal of orphans, by their owners in this run. */
export function leftRefusal(ground: Ground, left: readonly LeftEndpoint[]): Refusal {
  const owners = [...new Set(left.flatMap(({ record }) => ground.otherOwnerOf(record.id) ?? []))];
  return owners.length === 0 ? { kind: "left", left } : { kind: "left_to_others", left, owners };
}

/** The endpoints with this owner's name, by an indexed lookup. */
export function endpointsMadeFor(owner: Owner, ...snapshots: readonly EndpointSnapshot[]): EndpointRecord[] {
  const stem = ownershipStem(madeFor(owner));
  return snapshots.flatMap((snapshot) => [...snapshot.named(stem)]);
}

/** Builds a test for endpoints with this owner's name. */
export function isMadeFor(owner: Owner): (record: Pick<EndpointRecord, "name">) => boolean {
  return ownershipOf(madeFor(owner));
}

/** The other owner that an endpoint's name stands for, with its URN if the name fits one of this stack and type. */
export function madeForOther(record: Pick<EndpointRecord, "name">, owner: Owner): Maker | undefined {
  const name = ownerNameIn(record);
  if (name === undefined || isMadeFor(owner)(record)) return undefined;
  const namesakes = memberIn(owner) ? [] : urnsNamed(owner, name).map(resourceOwner);
  const urn = namesakes.find((one) => isMadeFor(one)(record));
  return urn === undefined ? { name } : { name, urn };
}
