/** What a plan is made from: the platform's lists, what the resources of this run claim, and which of them come first. */
import { type BranchPlace, branchKeyOf, isReadWrite, isSameBranch, type Place } from "../endpoint/identity";
import { type Owner, resourceOf, resourceOwner } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";

/** What a run knows of everybody in it. */
export interface Ledger {
  readonly claims: Claims;
  /** The id of an owner's endpoint, where the run has been shown it. */
  endpointOf(owner: Owner): string | undefined;
  /** Who has an endpoint: resources that the program declares, and those that are about to take it over. */
  ownersOf(endpointId: string): Owner[];
  known(owner: Owner): Known;
}

/** What a run has been shown of an owner. */
export interface Known {
  isDeclared?: boolean;
  /** True where its endpoint was taken over, so that it is not deleted; absent until a state has shown that. */
  isReleased?: boolean | undefined;
  /** True once a Diff has compared it for a plan. */
  isCompared?: boolean;
  hadOne?: boolean;
}

/** What the world is made of. */
export interface WorldParts {
  ledger: Ledger;
  lists: ReadonlyMap<string, EndpointSnapshot>;
  turn: Turn;
  /** True for an owner that is planned now: the resource, or any member of the fleet. */
  isOwn(owner: Owner): boolean;
  /** Why another branch is another endpoint, where the platform has no moves. */
  noMoves?: string | undefined;
  takesUp: boolean;
}

/** What is on a branch when the turn of whoever plans comes. */
export interface BranchView {
  claims: readonly Claim[];
  /** The endpoints of others that are there by then. */
  present: readonly EndpointRecord[];
  /** The ids of those present that leave, and nobody knows whether before or after. */
  leaving: ReadonlySet<string>;
  /** The claims of others that come to the branch before. */
  arrivals: readonly Claim[];
  /** One that comes or leaves, and nobody knows whether before or after. */
  unordered: Claim | undefined;
}

/** The world of one plan. */
export class World {
  readonly ledger: Ledger;
  readonly turn: Turn;
  readonly noMoves: string | undefined;
  readonly takesUp: boolean;

  constructor(private readonly parts: WorldParts) {
    this.ledger = parts.ledger;
    this.turn = parts.turn;
    this.noMoves = parts.noMoves;
    this.takesUp = parts.takesUp;
  }

  recordsOn({ projectId, branchId }: BranchPlace): EndpointRecord[] {
    return this.parts.lists.get(projectId)?.onBranch(branchId) ?? [];
  }

  /** Where an endpoint stands now, as far as the platform shows it. */
  branchOf(projectId: string, endpointId: string): string | undefined {
    return this.parts.lists.get(projectId)?.find(endpointId)?.branchId;
  }

  claimsOn(branch: BranchPlace): Claim[] {
    return this.ledger.claims.on(branch).filter(({ urn }) => !this.parts.isOwn(urn));
  }

  /** Another one who has an endpoint, or is to take it over. */
  otherOwnerOf(endpointId: string): Owner | undefined {
    return this.ledger.ownersOf(endpointId).find((owner) => !this.parts.isOwn(owner));
  }

  /** True for an endpoint that another one has before, by the program's own dependsOn, so that it holds in every run. */
  isTakenBefore(endpointId: string): boolean {
    const { ledger, isOwn } = this.parts;
    return ledger.ownersOf(endpointId).some((owner) => {
      const claim = isOwn(owner) ? undefined : ledger.claims.of(owner);
      return claim !== undefined && this.isDeclaredBefore(claim);
    });
  }

  isBefore(other: Claim): boolean {
    return this.ledger.claims.order(other, this.turn) === "before";
  }

  /** True where the program itself says so, which holds in every run; only the dynamic host is told. */
  isDeclaredBefore(other: Claim): boolean {
    return this.ledger.claims.isDeclaredBefore(other, this.turn);
  }

  /** A branch without the endpoints of which `isOwn` is true. */
  view(branch: BranchPlace, isOwn: (record: EndpointRecord) => boolean): BranchView {
    const claims = this.claimsOn(branch);
    const present = new Map(this.recordsOn(branch).map((record) => [record.id, record]));
    for (const record of present.values()) if (isOwn(record)) present.delete(record.id);
    const leaving = new Set<string>();
    const arrivals: Claim[] = [];
    let unordered: Claim | undefined;
    for (const other of claims) {
      const isBefore = this.isBefore(other);
      if (isSameBranch(other.from, branch) && other.leavesInTime) {
        const its = this.#endpointAmong(present.values(), other);
        if (isBefore && its) present.delete(its.id);
        else if (!isBefore) {
          unordered ??= other;
          if (its) leaving.add(its.id);
        }
      }
      if (other.arrival !== undefined && other.arrival !== "adopt" && isSameBranch(other.to, branch)) {
        if (isBefore) arrivals.push(other);
        else unordered ??= other;
      }
    }
    return { claims, present: [...present.values()], leaving, arrivals, unordered };
  }

  /** True where a branch has an endpoint for certain, whoever of these leaves it. */
  staysWithout(leavers: readonly Pick<Claim, "urn" | "from">[], branch: BranchPlace): boolean {
    const left = new Map(this.recordsOn(branch).map((record) => [record.id, record]));
    for (const { urn, from } of leavers) {
      // Before its Diff the endpoint of a resource is not known: any one of its type may be it.
      const id = this.ledger.endpointOf(urn) ?? [...left.values()].find(({ type }) => type === from?.type)?.id;
      if (id !== undefined) left.delete(id);
    }
    return left.size > 0;
  }

  #endpointAmong(records: Iterable<EndpointRecord>, { urn, from }: Claim): EndpointRecord | undefined {
    const id = this.ledger.endpointOf(urn);
    for (const record of records) {
      const isIts = id === undefined ? isReadWrite(record) && isReadWrite(from) : record.id === id;
      if (isIts) return record;
    }
    return undefined;
  }
}

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

/** What one resource does with its places in this run. */
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

/** True for the place of a read replica in a project, as far as it is known. */
export function isReplicaIn(projectId: string, place: { projectId?: unknown; type?: unknown } | undefined): boolean {
  return place?.projectId === projectId && place.type === "read_only";
}

/** The claims of one run, found by resource and by branch. */
export class Claims {
  readonly #byUrn = new Map<Owner, Claim>();
  readonly #byBranch = new Map<string, Set<Claim>>();
  readonly #takers = new Map<string, Set<Owner>>();
  #moment = 0;

  of(urn: Owner): Claim | undefined {
    return this.#byUrn.get(urn);
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

  done(urn: Owner): void {
    const claim = this.of(urn);
    this.#moment += 1;
    if (claim) claim.doneAt = this.#moment;
  }

  takersOf(endpointId: string): Owner[] {
    return [...(this.#takers.get(endpointId) ?? [])];
  }

  /** Who has, or is to have, a read replica in a project. */
  replicasIn(projectId: string): Claim[] {
    return [...this.#byUrn.values()].filter(
      ({ from, to }) => isReplicaIn(projectId, from) || isReplicaIn(projectId, to),
    );
  }

  on(branch: BranchPlace): Claim[] {
    return [...(this.#byBranch.get(branchKeyOf(branch)) ?? [])];
  }

  /** Which of two comes first, as far as anybody can tell; one without a moment is planned now. */
  order(one: Turn, other: Turn): "before" | "after" | "unknown" {
    if (this.#isBefore(one, other)) return "before";
    return this.#isBefore(other, one) ? "after" : "unknown";
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
      open.push(...(this.#byUrn.get(resourceOwner(urn))?.after ?? []));
    }
    return false;
  }

  #isBefore(first: Turn, second: Turn): boolean {
    if (second.after !== undefined) return this.isDeclaredBefore(first, second);
    return first.doneAt !== undefined && first.doneAt < (second.plannedAt ?? Number.POSITIVE_INFINITY);
  }
}

function branchesOf({ from, to }: Claim): Set<string> {
  return new Set([from, to].flatMap((place) => (place ? branchKeyOf(place) : [])));
}
