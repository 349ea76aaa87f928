/**
 * Which resources of a run leave and reach which branches, and in which order. The engine tells a provider no dependencies: what
 * it has answered before a Check is taken to come first, and where the program hands its order over, that decides.
 */
import { type BranchPlace, branchKeyOf, type Place } from "../endpoint/identity";
import { type Owner, resourceOf, resourceOwner } from "../lib/owner";

/** How an endpoint reaches a branch: by its first create, by a move in place, by a replacement, or by being taken over. */
export type Arrival = "create" | "move" | "replace" | "adopt";

/** When somebody's turn comes. */
export interface Turn {
  readonly urn: Owner;
  /** When it was planned, and when the step that was planned for it was answered: places in the order of the run. */
  plannedAt?: number | undefined;
  doneAt?: number | undefined;
  /** The resources that it waits for, by the program's own word; absent where the host does not tell. */
  after?: ReadonlySet<string> | undefined;
}

/** What one resource does with its places in this run. */
export interface Claim extends Turn {
  /** Where its endpoint stood when the run began. */
  from?: Place | undefined;
  /** Where the program puts it. */
  to?: Place | undefined;
  /** Absent where it stays on its branch. */
  arrival?: Arrival | undefined;
  /** The id of the endpoint that it takes over. */
  adopts?: string | undefined;
  /** True where it leaves its old place early enough for another: moved in place, or deleted first. */
  leavesInTime?: boolean;
  /** Of a member of a fleet: true where the endpoint that it leaves stays on its old place. */
  isKept?: boolean;
}

/** The claims of one run, found by resource and by branch. */
export class Claims {
  readonly #byUrn = new Map<Owner, Claim>();
  /** By branch, the claims that begin or end there. */
  readonly #byBranch = new Map<string, Set<Claim>>();
  /** By endpoint, the resources that are to take it over. */
  readonly #takers = new Map<string, Set<Owner>>();
  #moment = 0;

  /** The claim of a resource. */
  of(urn: Owner | undefined): Claim | undefined {
    return urn === undefined ? undefined : this.#byUrn.get(urn);
  }

  /** Takes note of what a resource does, planned now; what was known of it before gives way. */
  put(claim: Claim): void {
    const known = this.#byUrn.get(claim.urn);
    if (known) for (const key of branchesOf(known)) this.#byBranch.get(key)?.delete(known);
    if (known?.adopts !== undefined) this.#takers.get(known.adopts)?.delete(known.urn);
    if (claim.adopts !== undefined) {
      this.#takers.set(claim.adopts, (this.#takers.get(claim.adopts) ?? new Set()).add(claim.urn));
    }
    this.#moment += 1;
    claim.plannedAt = this.#moment;
    this.#byUrn.set(claim.urn, claim);
    for (const key of branchesOf(claim)) {
      const there = this.#byBranch.get(key) ?? new Set();
      this.#byBranch.set(key, there.add(claim));
    }
  }

  /** Takes note that a resource's planned step was answered. */
  done(urn: Owner | undefined): void {
    const claim = this.of(urn);
    this.#moment += 1;
    if (claim) claim.doneAt = this.#moment;
  }

  /** The resources that are to take an endpoint over. */
  takersOf(endpointId: string): Owner[] {
    return [...(this.#takers.get(endpointId) ?? [])];
  }

  /** The claims that begin or end on a branch. */
  on(branch: BranchPlace): Claim[] {
    return [...(this.#byBranch.get(branchKeyOf(branch)) ?? [])];
  }

  /** Which of two comes first, as far as anybody can tell; one without a moment is planned now. */
  order(one: Turn, other: Turn): "before" | "after" | "unknown" {
    if (this.#isBefore(one, other)) return "before";
    return this.#isBefore(other, one) ? "after" : "unknown";
  }

  /**
   * True where the program itself puts the first one before the second. A plugin is never told: what it has answered first may have
   * been first by chance, and what is taken up by its name must not depend on that.
   */
  isDeclaredBefore(first: Turn, { after = new Set() }: Turn): boolean {
    const met = new Set<string>();
    const open = [...after];
    for (let urn = open.pop(); urn !== undefined; urn = open.pop()) {
      if (urn === resourceOf(first.urn)) return true;
      if (met.has(urn)) continue;
      met.add(urn);
      // What is no endpoint may wait for others in its turn, which nobody tells: only what is said is known.
      open.push(...(this.#byUrn.get(resourceOwner(urn))?.after ?? []));
    }
    return false;
  }

  #isBefore(first: Turn, second: Turn): boolean {
    if (second.after !== undefined) return this.isDeclaredBefore(first, second);
    return first.doneAt !== undefined && first.doneAt < (second.plannedAt ?? Number.POSITIVE_INFINITY);
  }

  /** Forgets everything. */
  clear(): void {
    this.#byUrn.clear();
    this.#byBranch.clear();
    this.#takers.clear();
  }
}

function branchesOf({ from, to }: Claim): Set<string> {
  return new Set([from, to].flatMap((place) => (place ? branchKeyOf(place) : [])));
}
