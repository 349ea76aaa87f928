/** The memory of a run: each endpoint's owner, the declared places, the endpoints to adopt, and each owner's phase. */
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

/** The run's record of an owner: a resource or a fleet's member. */
export interface OwnerRecord {
  /** Absent before a Read or a Check; for a member, before its fleet's plan. */
  phase?: Phase | undefined;
  /** Its endpoint, once Diff, Create or Update has found it. */
  endpointId?: string;
  /** Its place in the program, if known. */
  to?: Place | undefined;
  /** The endpoint that it claims: the id to adopt. */
  takes?: string | undefined;
  /** The reason why the endpoint stays when the owner leaves; absent if the endpoint is deleted. */
  stays?: Stay | undefined;
}

/** The owners of one run, indexed by endpoint and by branch. */
export class Owners<R extends OwnerRecord = OwnerRecord> {
  readonly #records = new Map<Owner, R>();
  readonly #byEndpoint = new Map<string, Set<Owner>>();
  readonly #byTaken = new Map<string, Set<Owner>>();
  readonly #byBranch = new Map<string, Set<Owner>>();
  /** The order in which the run has met the resources, by their first Check. */
  readonly #order = new Map<string, number>();

  record(owner: Owner): R {
    // Every field is optional, so an empty record is valid.
    const record = this.#records.get(owner) ?? ({} as R);
    this.#records.set(owner, record);
    return record;
  }

  /** Records the owner's place in the program, and that its resource is met. */
  declare(owner: Owner, to: Place | undefined): void {
    const resource = resourceOf(owner);
    if (!this.#order.has(resource)) this.#order.set(resource, this.#order.size);
    const record = this.record(owner);
    if (record.to) removeFrom(this.#byBranch, branchKeyOf(record.to), owner);
    record.to = to;
    if (to) addTo(this.#byBranch, branchKeyOf(to), owner);
  }

  /** Records the owner's endpoint. */
  identify(owner: Owner, endpointId: string): void {
    const record = this.record(owner);
    if (record.endpointId !== undefined) removeFrom(this.#byEndpoint, record.endpointId, owner);
    record.endpointId = endpointId;
    addTo(this.#byEndpoint, endpointId, owner);
  }

  /** Records the endpoint that the owner claims; undefined for none. */
  take(owner: Owner, endpointId: string | undefined): void {
    const record = this.record(owner);
    if (record.takes !== undefined) removeFrom(this.#byTaken, record.takes, owner);
    record.takes = endpointId;
    if (endpointId !== undefined) addTo(this.#byTaken, endpointId, owner);
  }

  /**
   * Every checked owner that has or claims the endpoint. Of leaving owners: only members whose fleet deletes the
   * endpoint.
   */
  ownersOf(endpointId: string): Owner[] {
    const has = [...(this.#byEndpoint.get(endpointId) ?? [])].filter((owner) => isChecked(this.record(owner)));
    return [...new Set([...has, ...(this.#byTaken.get(endpointId) ?? [])])];
  }

  /** Another resource, or another fleet's member, that has or claims the endpoint. */
  otherOwnerOf(endpointId: string, owner: Owner): Owner | undefined {
    return this.ownersOf(endpointId).find((one) => resourceOf(one) !== resourceOf(owner));
  }

  /** The same, if the run has met it before this owner. */
  earlierOwnerOf(endpointId: string, owner: Owner): Owner | undefined {
    return this.ownersOf(endpointId).find((one) => this.#isMetBefore(one, owner));
  }

  /** True for another resource that the run met first: of two, the second is refused, at its turn too. */
  #isMetBefore(other: Owner, owner: Owner): boolean {
    const [first, second] = [resourceOf(other), resourceOf(owner)];
    const last = Number.POSITIVE_INFINITY;
    return first !== second && (this.#order.get(first) ?? -1) < (this.#order.get(second) ?? last);
  }

  /** True if any state in this run has the endpoint, checked or not. */
  isKnown(endpointId: string): boolean {
    return (this.#byEndpoint.get(endpointId)?.size ?? 0) > 0;
  }

  /** Another resource, met before, or its member, that declares the read-write endpoint of this place's branch. */
  otherAt(place: Place, owner: Owner): Owner | undefined {
    const there = [...(this.#byBranch.get(branchKeyOf(place)) ?? [])];
    return there.find((one) => this.#isMetBefore(one, owner) && isSole(this.record(one).to));
  }
}

/** True for an owner that this run has checked, not only read. */
export function isChecked({ phase }: OwnerRecord): boolean {
  return phase !== undefined && phase !== "refreshed";
}

/** True for an owner in this run's program whose endpoint is not being replaced. */
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
