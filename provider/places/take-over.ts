/**
 * Decides which existing endpoints an owner adopts. `adoptInterrupted` covers those with the owner's own name, such as
 * one that a killed run created. The name tells for whom it was made, not who has it now, so the user must ask for it
 * (docs/decisions/0003-endpoints-of-interrupted-runs.md).
 */
import { type BranchPlace, isSameBranch, type Place } from "../endpoint/identity";
import { newestFirst, ownerNameIn, ownershipOf, ownershipStem } from "../endpoint/ownership-name";
import { madeFor, memberIn, type Owner, resourceOwner, urnsNamed } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { Ground } from "./ground";
import type { Maker, Refusal } from "./refusal";

/** The decision on endpoints with an owner's name: the one to adopt, and the others. */
export interface TakeUp {
  takes?: EndpointRecord | undefined;
  left: readonly EndpointRecord[];
}

/** An owner's orphans on its branch, of either type, newest first. */
export function orphansOn(
  ground: Ground,
  owner: Owner,
  branch: BranchPlace,
  isFree = ({ id }: EndpointRecord) => ground.otherOwnerOf(id) === undefined,
): EndpointRecord[] {
  return orphansAmong(ground, owner, branch.projectId, (record) => isSameBranch(record, branch)).filter(isFree);
}

/**
 * Endpoints that earlier runs made for an owner, newest first, by an indexed lookup. Older than its own counts only what
 * has the very same name: the same request made it.
 */
function orphansAmong(
  ground: Ground,
  owner: Owner,
  projectId: string,
  isThere: (record: EndpointRecord) => boolean,
): EndpointRecord[] {
  const list = ground.lists.get(projectId);
  if (!list) return [];
  const ownId = ground.owners.record(owner).endpointId;
  const own = [list.find(ownId ?? "")].find((record) => record && isThere(record));
  const since = Date.parse(own?.createdAt ?? "");

  return newestFirst(
    endpointsMadeFor(owner, list)
      .filter((record) => record.id !== ownId && isThere(record))
      .filter(({ createdAt, name }) => name === own?.name || !(Date.parse(createdAt ?? "") < since)),
  );
}

/** What a takeover in a place depends on, besides lists and owners. */
interface TakeUpRules {
  /** True if a create of this run made the endpoint and lost the answer. */
  isOfThisRun?(record: EndpointRecord): boolean;
  isFree?(record: EndpointRecord): boolean;
  /** True for a member of a set that the engine makes anew: it keeps the endpoint that it had. */
  keepsItsOwn?: boolean;
}

/**
 * Decides whether an owner takes up what was made for it in a place: what this run made, or with `adoptInterrupted` the
 * newest, if no other resource has it. One that another resource has is left, and refused later.
 */
export function takeUpAt(ground: Ground, owner: Owner, place: Place, rules: TakeUpRules = {}): TakeUp {
  const { isOfThisRun, isFree = () => true, keepsItsOwn } = rules;
  // Its own endpoint of another type is no measure of age: after a half-done change of type the older one comes back.
  const isThere = (record: EndpointRecord) => isSameBranch(record, place) && record.type === place.type;
  const made = orphansAmong(ground, owner, place.projectId, isThere).filter(isFree);
  const own = keepsItsOwn ? ground.find(place.projectId, ground.owners.record(owner).endpointId ?? "") : undefined;
  const isKept = own && isThere(own) && isFree(own) && isMadeFor(owner)(own);

  const [newest] = made;
  const mayTake = ground.rules.takesUp && newest && ground.otherOwnerOf(newest.id) === undefined;
  const certain = isKept ? own : made.find((record) => isOfThisRun?.(record));
  const takes = certain ?? (mayTake ? newest : undefined);
  return { takes, left: takes ? [] : made };
}

/** The refusal of orphans, by their owners in this run. */
export function leftRefusal(ground: Ground, left: readonly EndpointRecord[]): Refusal {
  const owners = [...new Set(left.flatMap(({ id }) => ground.otherOwnerOf(id) ?? []))];
  return owners.length === 0 ? { kind: "left", left } : { kind: "left_to_others", left, owners };
}

/** The endpoints with this owner's name, by an indexed lookup. */
export function endpointsMadeFor(owner: Owner, snapshot: EndpointSnapshot): EndpointRecord[] {
  return snapshot.named(ownershipStem(madeFor(owner)));
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
