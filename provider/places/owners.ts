/** The memory of a run: the owner of each endpoint, the declared places, the endpoints to adopt, and the phase of each owner. */
import { branchKeyOf, type Place } from "../endpoint/identity";
import { isSole } from "../endpoint/types";
import { type Owner, resourceOf } from "../lib/owner";
import type { Stay } from "./wish";

/**
 * How far the engine has come with an owner. A member's phase is set by the plan of its fleet.
 *
 * | phase       | set by                                              | the owner                              |
 * | ----------- | --------------------------------------------------- | -------------------------------------- |
 * | `refreshed` | Read, until the Diff of that refresh                | has an endpoint, and is not yet checked |
 * | `new`       | a Check without old inputs                          | has no endpoint by the state           |
 * | `kept`      | a Check with old inputs; an ended Create or Update  | has an endpoint                        |
 * | `replacing` | a Check without old inputs of one that has had one  | gives its endpoint up for a new one    |
 * | `leaving`   | the plan of its fleet                               | left the program: the fleet deletes it |
 */
export type Phase = "new" | "kept" | "refreshed" | "replacing" | "leaving";

/** The run's knowledge of an owner: a resource, or a member of a fleet. */
export interface OwnerRecord {
  /** Absent until a Read or a Check; of a member until its fleet is planned. */
  phase?: Phase | undefined;
  /** Its endpoint, once Diff, Create or Update has shown it. */
  endpointId?: string;
  /** Its place in the program; absent while that is not known. */
  to?: Place | undefined;
  /** The endpoint that it is to take over. */
  takes?: string | undefined;
  /** Why its endpoint stays where it is when the owner goes; absent where it is deleted then. */
  stays?: Stay | undefined;
}

/** The owners of one run, found by endpoint and by branch too. */
export class Owners<R extends OwnerRecord = OwnerRecord> {
  readonly #records = new Map<Owner, R>();
  readonly #byEndpoint = new Map<string, Set<Owner>>();
  readonly #byTaken = new Map<string, Set<Owner>>();
  readonly #byBranch = new Map<string, Set<Owner>>();

  record(owner: Owner): R {
    // Every field is optional: nothing is known of an owner that nobody has met.
    const record = this.#records.get(owner) ?? ({} as R);
    this.#records.set(owner, record);
    return record;
  }

  /** Notes where the program puts an owner's endpoint. */
  declare(owner: Owner, to: Place | undefined): void {
    const record = this.record(owner);
    if (record.to) removeFrom(this.#byBranch, branchKeyOf(record.to), owner);
    record.to = to;
    if (to) addTo(this.#byBranch, branchKeyOf(to), owner);
  }

  /** Notes which endpoint an owner has. */
  identify(owner: Owner, endpointId: string): void {
    const record = this.record(owner);
    if (record.endpointId !== undefined) removeFrom(this.#byEndpoint, record.endpointId, owner);
    record.endpointId = endpointId;
    addTo(this.#byEndpoint, endpointId, owner);
  }

  /** Notes which endpoint an owner is to take over; none where undefined. */
  take(owner: Owner, endpointId: string | undefined): void {
    const record = this.record(owner);
    if (record.takes !== undefined) removeFrom(this.#byTaken, record.takes, owner);
    record.takes = endpointId;
    if (endpointId !== undefined) addTo(this.#byTaken, endpointId, owner);
  }

  /** Everybody checked in this run who has an endpoint or is to take it over; among those that leave, the members whose fleet deletes it. */
  ownersOf(endpointId: string): Owner[] {
    const has = [...(this.#byEndpoint.get(endpointId) ?? [])].filter((owner) => isChecked(this.record(owner)));
    return [...new Set([...has, ...(this.#byTaken.get(endpointId) ?? [])])];
  }

  /** Another resource, or a member of another fleet, that has an endpoint or is to take it over. */
  otherOwnerOf(endpointId: string, owner: Owner): Owner | undefined {
    return this.ownersOf(endpointId).find((one) => resourceOf(one) !== resourceOf(owner));
  }

  /** True if a state in this run has the endpoint, checked or not. */
  isKnown(endpointId: string): boolean {
    return (this.#byEndpoint.get(endpointId)?.size ?? 0) > 0;
  }

  /** Another resource, or a member of another fleet, whose read-write endpoint the program puts on the branch of this place. */
  otherAt(place: Place, owner: Owner): Owner | undefined {
    const there = [...(this.#byBranch.get(branchKeyOf(place)) ?? [])];
    return there.find((one) => resourceOf(one) !== resourceOf(owner) && isSole(this.record(one).to));
  }
}

/** True for an owner that this run has checked, not only read. */
export function isChecked({ phase }: OwnerRecord): boolean {
  return phase !== undefined && phase !== "refreshed";
}

/** True for an owner that the program of this run declares, and whose endpoint it does not replace. */
export function isDeclared({ phase }: OwnerRecord): boolean {
  return phase === "new" || phase === "kept";
}

function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const known = sets.get(key);
  if (known) known.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  sets.get(key)?.delete(value);
}
