/** What is on a branch when a resource's turn comes, as far as the order of the run is known. */
import { isSameBranch, type Place } from "../../endpoint/place";
import type { Owner } from "../../lib/owner";
import type { EndpointSnapshot } from "../../platform/project/snapshot";
import type { EndpointRecord } from "../../platform/records";
import type { Claim } from "./claims";
import type { RunRecords } from "./run";

/** Who looks. */
interface Onlooker {
  urn: Owner;
  after?: ReadonlySet<string> | undefined;
  plannedAt?: number | undefined;
  snapshot: EndpointSnapshot;
}

/** What a resource finds on a branch when its turn comes. */
export interface Sight {
  branch: Place;
  /** The claims of others on the branch. */
  claims: readonly Claim[];
  /** The endpoints that are there by then. */
  present: EndpointRecord[];
  /** Ids of those present whose resources leave, without a known order. */
  leaving: ReadonlySet<string>;
  /** The others that come before. */
  arrivals: readonly Claim[];
  /** A resource that comes or goes, before or after this one: which, is not known. */
  unordered: Claim | undefined;
}

/** What a resource finds on a branch when its turn comes, by the claims of the others and the list. */
export function lookAt(run: RunRecords, request: Onlooker, branch: Place): Sight {
  const claims = run.claims.on(branch, request.urn);
  const present = new Map(request.snapshot.onBranch(branch.branchId).map((record) => [record.id, record]));
  const leaving = new Set<string>();
  const arrivals: Claim[] = [];
  let unordered: Claim | undefined;
  for (const other of claims) {
    const ordered = run.claims.areOrdered(other, request);
    if (isSameBranch(other.from, branch) && other.leavesInTime) {
      const its = endpointOf(run, other, present.values());
      if (ordered && its) present.delete(its.id);
      else if (!ordered) {
        unordered ??= other;
        if (its) leaving.add(its.id);
      }
    }
    if (other.arrival !== undefined && other.arrival !== "adopt" && isSameBranch(other.to, branch)) {
      if (ordered) arrivals.push(other);
      else unordered ??= other;
    }
  }
  return { branch, claims, present: [...present.values()], leaving, arrivals, unordered };
}

function endpointOf(
  run: RunRecords,
  { urn, from }: Claim,
  present: Iterable<EndpointRecord>,
): EndpointRecord | undefined {
  const id = run.endpointOf(urn);
  for (const record of present) {
    if (id === undefined ? record.type === "read_write" && from?.type === "read_write" : record.id === id)
      return record;
  }
  return undefined;
}

/** True where a branch has an endpoint for certain, whoever of the claims leaves it. */
export function staysWithout(
  run: RunRecords,
  claims: readonly Claim[],
  records: readonly EndpointRecord[],
  branch: Place,
): boolean {
  const left = new Map(records.map((record) => [record.id, record]));
  for (const { urn, from, leavesInTime } of claims) {
    if (!leavesInTime || !isSameBranch(from, branch)) continue;
    // Before its Diff, nobody knows which endpoint is whose: any of its type may be.
    const id = run.endpointOf(urn) ?? [...left.values()].find(({ type }) => type === from?.type)?.id;
    if (id !== undefined) left.delete(id);
  }
  return left.size > 0;
}
