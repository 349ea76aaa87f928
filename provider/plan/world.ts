/** What a plan is made from: the platform's lists, what the run knows, and whose turn it is. */
import { type BranchPlace, isReadWrite, isSameBranch } from "../endpoint/identity";
import { type Owner, resourceOf } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { Claim, Ledger, Turn } from "./ledger";

/** The platform's endpoints, by project. */
export type Lists = ReadonlyMap<string, EndpointSnapshot>;

/** What is configured. */
interface Configured {
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

/** The world of one plan, as a resource, or a fleet with all its members, sees it when its turn comes. */
export class World {
  readonly noMoves: string | undefined;
  readonly takesUp: boolean;

  constructor(
    readonly ledger: Ledger,
    readonly turn: Turn,
    readonly lists: Lists,
    { noMoves, takesUp }: Configured,
  ) {
    this.noMoves = noMoves;
    this.takesUp = takesUp;
  }

  recordsOn({ projectId, branchId }: BranchPlace): EndpointRecord[] {
    return this.lists.get(projectId)?.onBranch(branchId) ?? [];
  }

  /** An endpoint, as far as the platform shows it. */
  find(projectId: string, endpointId: string): EndpointRecord | undefined {
    return this.lists.get(projectId)?.find(endpointId);
  }

  /** What others do on a branch. */
  claimsOn(branch: BranchPlace): Claim[] {
    return this.ledger.claimsOn(branch).filter(({ urn }) => !this.#isOwn(urn));
  }

  /** Another one who has an endpoint, or is to take it over. */
  otherOwnerOf(endpointId: string): Owner | undefined {
    return this.ledger.otherOwnerOf(endpointId, this.turn.urn);
  }

  /** True for an endpoint that another one has before, by the program's own dependsOn, so that it holds in every run. */
  isTakenBefore(endpointId: string): boolean {
    return this.ledger.ownersOf(endpointId).some((owner) => {
      const claim = this.#isOwn(owner) ? undefined : this.ledger.record(owner).claim;
      return claim !== undefined && this.isDeclaredBefore(claim);
    });
  }

  isBefore(other: Claim): boolean {
    return this.ledger.isBefore(other, this.turn);
  }

  /** True where the program itself says so, which holds in every run; only the dynamic host is told. */
  isDeclaredBefore(other: Claim): boolean {
    return this.ledger.isDeclaredBefore(other, this.turn);
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
      const id = this.ledger.record(urn).endpointId ?? [...left.values()].find(({ type }) => type === from?.type)?.id;
      if (id !== undefined) left.delete(id);
    }
    return left.size > 0;
  }

  #isOwn(owner: Owner): boolean {
    return resourceOf(owner) === this.turn.urn;
  }

  #endpointAmong(records: Iterable<EndpointRecord>, { urn, from }: Claim): EndpointRecord | undefined {
    const id = this.ledger.record(urn).endpointId;
    for (const record of records) {
      const isIts = id === undefined ? isReadWrite(record) && isReadWrite(from) : record.id === id;
      if (isIts) return record;
    }
    return undefined;
  }
}
