/** What a run knows of everybody in it: who has which endpoint, what each does with its places, and which of two comes first. */
import { type BranchPlace, branchKeyOf, type Place } from "../endpoint/identity";
import { type Owner, resourceOf, resourceOwner } from "../lib/owner";

/** What becomes of an endpoint: `adopt` takes over one that is there, `release` lets it stay, `unknown` is on a branch that is not known yet. */
export type Change = "same" | "create" | "adopt" | "update" | "move" | "replace" | "delete" | "release" | "unknown";

/** How an endpoint reaches a branch: by its first create, by a move in place, by a replacement, or by being taken over. */
export type Arrival = Extract<Change, "create" | "move" | "replace" | "adopt">;

/** When somebody's turn comes. */
export interface Turn {
  readonly urn: Owner;
  /** When it was planned, and when the step that was planned for it was answered: places in the order of the run. */
  plannedAt?: number | undefined;
  doneAt?: number | undefined;
  /** The resources that it waits for, by the program's own word; absent where the host does not tell. */
  after?: ReadonlySet<string> | undefined;
}

/** What an owner does with its places in this run. */
export interface Claim extends Turn {
  from?: Place | undefined;
  to?: Place | undefined;
  /** Absent where it stays on its branch. */
  arrival?: Arrival | undefined;
  adopts?: string | undefined;
  /** True where it leaves its old place early enough for another: moved in place, or deleted first. */
  leavesInTime?: boolean;
  /** Of a member of a fleet: true where the endpoint that it leaves stays on its old place. */
  isKept?: boolean;
}

/** What is known of an owner: a resource, or a member of a fleet. */
export interface OwnerRecord {
  /** Absent until it was planned. */
  claim?: Claim;
  /** The endpoint behind it, once Diff, Read, Create or Update has shown it. */
  endpointId?: string;
  /** True for what the program has. */
  isDeclared?: boolean;
  /** True for a member that the program no longer has, and whose fleet is still to delete the endpoint: nobody else can have it. */
  isDeleted?: boolean;
  /** True where a Check was shown what it had before. */
  hadOne?: boolean;
  /** True where a later Check was shown nothing any more: it gives up what it has, until its replacement is being created. */
  isReplaced?: boolean;
  /** True where its endpoint was taken over: a replacement lets it go, and it stays where it is. Absent until a state has shown it. */
  isReleased?: boolean;
  /** What Diff has announced for a plan: a change in place, or not. Absent for a replacement by force, which comes without. */
  compared?: { inPlace: boolean };
}

/** True for the place of a read replica in a project, as far as it is known. */
export function isReplicaIn(projectId: string, place: { projectId?: unknown; type?: unknown } | undefined): boolean {
  return place?.projectId === projectId && place.type === "read_only";
}

/** The owners of one run with what they claim, found by endpoint and by branch too. */
export class Ledger<R extends OwnerRecord = OwnerRecord> {
  readonly #records = new Map<Owner, R>();
  /** By branch. */
  readonly #claims = new Map<string, Set<Claim>>();
  /** By endpoint, those that have it, and those that are to take it over. More than one is refused. */
  readonly #owners = new Map<string, Set<Owner>>();
  readonly #takers = new Map<string, Set<Owner>>();
  #moment = 0;

  record(urn: Owner): R {
    // All that is known of one that nobody has met is optional.
    const record = this.#records.get(urn) ?? ({} as R);
    this.#records.set(urn, record);
    return record;
  }

  /** Takes note of what an owner does, planned now; what was known of it before gives way. */
  put(claim: Claim): void {
    const record = this.record(claim.urn);
    const { claim: known } = record;
    for (const key of branchesOf(known)) if (known) this.#claims.get(key)?.delete(known);
    if (known?.adopts !== undefined) this.#takers.get(known.adopts)?.delete(known.urn);
    if (claim.adopts !== undefined) addTo(this.#takers, claim.adopts, claim.urn);
    this.#moment += 1;
    claim.plannedAt = this.#moment;
    record.claim = claim;
    for (const key of branchesOf(claim)) addTo(this.#claims, key, claim);
  }

  /** Takes note that the step that was planned for it was answered. */
  done(urn: Owner): void {
    const { claim } = this.record(urn);
    this.#moment += 1;
    if (claim) claim.doneAt = this.#moment;
  }

  identify(urn: Owner, endpointId: string): void {
    const record = this.record(urn);
    if (record.endpointId !== undefined) this.#owners.get(record.endpointId)?.delete(urn);
    record.endpointId = endpointId;
    addTo(this.#owners, endpointId, urn);
  }

  /** Who has an endpoint by the program, or is to take it over; of those that leave only a fleet that will delete it. */
  ownersOf(endpointId: string): Owner[] {
    const declared = this.#met(endpointId).filter((urn) => {
      const { isDeclared, isDeleted } = this.record(urn);
      return isDeclared || isDeleted;
    });
    return [...new Set([...declared, ...(this.#takers.get(endpointId) ?? [])])];
  }

  /** Another resource, or a member of another fleet, that has this endpoint. */
  otherOwnerOf(endpointId: string, urn: Owner): Owner | undefined {
    return this.ownersOf(endpointId).find((owner) => resourceOf(owner) !== resourceOf(urn));
  }

  /** True where this run has met a resource that has this endpoint. */
  hasOwner(endpointId: string): boolean {
    return this.#met(endpointId).length > 0;
  }

  /** True where a resource that has this endpoint has been checked; a refresh has shown every endpoint before. */
  isPlanned(endpointId: string): boolean {
    return this.#met(endpointId).some((urn) => this.record(urn).claim !== undefined);
  }

  /** Who has, or is to have, a read replica in a project. */
  replicasIn(projectId: string): Claim[] {
    return [...this.#records.values()].flatMap(({ claim }) =>
      claim && [claim.from, claim.to].some((place) => isReplicaIn(projectId, place)) ? claim : [],
    );
  }

  claimsOn(branch: BranchPlace): Claim[] {
    return [...(this.#claims.get(branchKeyOf(branch)) ?? [])];
  }

  /** True where one comes before another for certain; one without a moment is planned now. */
  isBefore(first: Turn, second: Turn): boolean {
    if (second.after !== undefined) return this.isDeclaredBefore(first, second);
    return first.doneAt !== undefined && first.doneAt < (second.plannedAt ?? Number.POSITIVE_INFINITY);
  }

  /**
   * True where the program itself orders them (dependsOn), which only the dynamic host is told. Which step the plugin has answered first may be
   * chance, and an endpoint must not be taken up by chance.
   */
  isDeclaredBefore(first: Turn, { after = new Set() }: Turn): boolean {
    const met = new Set<string>();
    const open = [...after];
    for (let urn = open.pop(); urn !== undefined; urn = open.pop()) {
      if (urn === resourceOf(first.urn)) return true;
      if (met.has(urn)) continue;
      met.add(urn);
      // A dependency through a resource of another provider is not followed: nobody tells what that one waits for.
      open.push(...(this.#records.get(resourceOwner(urn))?.claim?.after ?? []));
    }
    return false;
  }

  #met(endpointId: string): Owner[] {
    return [...(this.#owners.get(endpointId) ?? [])];
  }
}

function branchesOf({ from, to }: Partial<Claim> = {}): Set<string> {
  return new Set([from, to].flatMap((place) => (place ? branchKeyOf(place) : [])));
}

function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}
