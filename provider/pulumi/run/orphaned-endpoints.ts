/** Endpoints that earlier runs created for a resource and that no resource of this run has: left by runs that were killed. */
import { newestFirst, ownershipStems } from "../../endpoint/ownership-name";
import { madeFor, type Owner } from "../../lib/owner";
import { decideTakeUp, type TakeUpRequest } from "../../plan/take-up";
import type { EndpointSnapshot } from "../../platform/project/snapshot";
import type { EndpointRecord } from "../../platform/records";
import { isOwn, type RunRecords } from "./run";

/**
 * The orphans among the records, newest first: by default those that this run has not met as another's. What is older than the resource's own endpoint is none: the state had it once,
 * and deletes it.
 */
export function orphanedEndpoints(
  run: RunRecords,
  urn: Owner | undefined,
  records: readonly EndpointRecord[],
  isFree = ({ id }: EndpointRecord) => run.otherOwnerOf(id, urn) === undefined,
): EndpointRecord[] {
  const ownId = run.endpointOf(urn);
  const others = records.filter(({ id }) => id !== ownId);
  // Nearly always: no other is there.
  if (others.length === 0) return [];
  const since = Date.parse(records.find(({ id }) => id === ownId)?.createdAt ?? "");
  return newestFirst(
    others
      .filter(isOwn(urn))
      .filter(isFree)
      .filter(({ createdAt }) => !(Date.parse(createdAt ?? "") < since)),
  );
}

/**
 * What becomes of the orphans of a resource on a branch, by their type. A resource that had an endpoint before, of which the engine has
 * not said which, has the only one there is: that one it replaces.
 */
export function takeUpOn(
  run: RunRecords,
  { urn, after }: { urn?: Owner | undefined; after?: ReadonlySet<string> | undefined },
  {
    onBranch,
    type,
    ...said
  }: { onBranch: readonly EndpointRecord[]; type: string } & Omit<TakeUpRequest, "made" | "metId" | "isAnothers">,
): ReturnType<typeof decideTakeUp> {
  const ownerOf = ({ id }: EndpointRecord) => run.otherOwnerOf(id, urn);
  const isFree = (record: EndpointRecord) => {
    const claim = run.claims.of(ownerOf(record));
    return claim === undefined || !run.claims.areOrdered(claim, run.claims.of(urn) ?? { after });
  };
  const named = orphanedEndpoints(run, urn, onBranch, said.isSaid ? isFree : undefined);
  const here = named.filter((record) => record.type === type);
  const { wasThere, endpointId } = urn === undefined ? {} : run.record(urn);
  const isReplaced = here.length === 1 && wasThere === true && endpointId === undefined;
  return decideTakeUp({
    made: isReplaced ? [] : here,
    isAnothers: (record) => ownerOf(record) !== undefined,
    ...said,
  });
}

/** The orphans among all endpoints of a project. */
export function orphanedInProject(
  run: RunRecords,
  urn: Owner | undefined,
  snapshot: EndpointSnapshot,
): EndpointRecord[] {
  if (urn === undefined) return [];
  const own = snapshot.find(run.endpointOf(urn) ?? "");
  const named = ownershipStems(madeFor(urn)).flatMap((stem) => snapshot.named(stem));
  return orphanedEndpoints(run, urn, own ? [...named, own] : named);
}
