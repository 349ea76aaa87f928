/**
 * The world as whoever plans sees it: the lists of the platform, what this run knows of all others, and which of them come first. A single
 * endpoint and a fleet plan from the same; they differ in who is one of them.
 */
import { type BranchPlace, isSameBranch } from "../endpoint/identity";
import { type Owner, resourceOwner } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import { type Claim, Claims, type Turn } from "./claims";

/** What a run knows of everybody in it. */
export interface Ledger {
  readonly claims: Claims;
  /** The id of an owner's endpoint, where the run has been shown it. */
  endpointOf(owner: Owner): string | undefined;
  /** Who has an endpoint; where `isDeclared`, only those of the program, and those that are to take it over. */
  ownersOf(endpointId: string, of: { isDeclared: boolean }): Owner[];
  /** What else the run has been shown of an owner. */
  known(owner: Owner): Known;
}

/** What a run has been shown of an owner. */
export interface Known {
  /** True where the program declares it. */
  isDeclared?: boolean;
  /** True where its endpoint was taken over, so that it stays when it is let go; absent until a state has shown it. */
  isReleased?: boolean;
  /** True once a Diff has compared it for a plan. */
  isCompared?: boolean;
  /** True for one that had an endpoint before. */
  wasThere?: boolean;
}

/** What the world is made of. */
export interface WorldParts {
  ledger: Ledger;
  /** By project, its endpoints. */
  lists: ReadonlyMap<string, EndpointSnapshot>;
  /** When the turn of whoever plans comes. */
  turn: Turn;
  /** True for an owner that is planned now: the resource, or any member of the fleet. */
  isOwn(owner: Owner): boolean;
  /** False where the platform has no moves: another branch is another endpoint. */
  movesInPlace: boolean;
  /** Whether somebody says that what an interrupted run has made is taken up. */
  takesUp: boolean;
}

/** What is on a branch when the turn of whoever plans comes. */
export interface BranchView {
  /** What others do there. */
  claims: readonly Claim[];
  /** The endpoints of others that are there by then. */
  present: readonly EndpointRecord[];
  /** Ids of those present whose owners leave, without a known order. */
  leaving: ReadonlySet<string>;
  /** The others that come before. */
  arrivals: readonly Claim[];
  /** One that comes or goes, before or after: which, is not known. */
  unordered: Claim | undefined;
}

/** The world of one plan. */
export class World {
  readonly turn: Turn;
  readonly movesInPlace: boolean;
  readonly takesUp: boolean;

  constructor(private readonly parts: WorldParts) {
    this.turn = parts.turn;
    this.movesInPlace = parts.movesInPlace;
    this.takesUp = parts.takesUp;
  }

  /** All endpoints on a branch, in the order the platform lists them. */
  recordsOn({ projectId, branchId }: BranchPlace): EndpointRecord[] {
    return this.parts.lists.get(projectId)?.onBranch(branchId) ?? [];
  }

  /** Where an endpoint stands now, as far as the platform shows it. */
  branchOf(projectId: string, endpointId: string): string | undefined {
    return this.parts.lists.get(projectId)?.find(endpointId)?.branchId;
  }

  /** What others do at a branch. */
  claimsOn(branch: BranchPlace): Claim[] {
    return this.parts.ledger.claims.on(branch).filter(({ urn }) => !this.parts.isOwn(urn));
  }

  claimOf(owner: Owner): Claim | undefined {
    return this.parts.ledger.claims.of(owner);
  }

  endpointOf(owner: Owner): string | undefined {
    return this.parts.ledger.endpointOf(owner);
  }

  known(owner: Owner): Known {
    return this.parts.ledger.known(owner);
  }

  /** Another one who has an endpoint, or is to take it over. */
  otherOwnerOf(endpointId: string): Owner | undefined {
    return this.parts.ledger.ownersOf(endpointId, { isDeclared: true }).find((owner) => !this.parts.isOwn(owner));
  }

  /** True for an endpoint that another one has before the turn of whoever plans, in every run. */
  isTakenBefore(endpointId: string): boolean {
    const { ledger, isOwn, turn } = this.parts;
    return ledger.ownersOf(endpointId, { isDeclared: true }).some((owner) => {
      const claim = isOwn(owner) ? undefined : ledger.claims.of(owner);
      return claim !== undefined && ledger.claims.isDeclaredBefore(claim, turn);
    });
  }

  /** Which of two comes first. */
  order(one: Turn, other: Turn): "before" | "after" | "unknown" {
    return this.parts.ledger.claims.order(one, other);
  }

  /** True where another one comes before whoever plans. */
  isBefore(other: Claim): boolean {
    return this.order(other, this.turn) === "before";
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
      // Before its Diff, nobody knows which endpoint is whose: any of its type may be.
      const id = this.endpointOf(urn) ?? [...left.values()].find(({ type }) => type === from?.type)?.id;
      if (id !== undefined) left.delete(id);
    }
    return left.size > 0;
  }

  #endpointAmong(records: Iterable<EndpointRecord>, { urn, from }: Claim): EndpointRecord | undefined {
    const id = this.endpointOf(urn);
    for (const record of records) {
      const isIts = id === undefined ? record.type === "read_write" && from?.type === "read_write" : record.id === id;
      if (isIts) return record;
    }
    return undefined;
  }
}

/** A world in which nobody else is: what it is planned for goes as a whole. */
export function emptyWorld(): World {
  return new World({
    ledger: { claims: new Claims(), endpointOf: () => undefined, ownersOf: () => [], known: () => ({}) },
    lists: new Map(),
    turn: { urn: resourceOwner("") },
    isOwn: () => true,
    movesInPlace: true,
    takesUp: false,
  });
}
