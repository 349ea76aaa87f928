/** Endpoints that earlier runs created for a resource and that no resource of this run has: left by runs that were killed. */
import { newestFirst, ownershipStems } from "../../endpoint/ownership-name";
import { madeFor, type Owner } from "../../lib/owner";
import { decideTakeUp, type TakeUpRequest } from "../../plan/take-up";
import type { EndpointSnapshot } from "../../platform/project/snapshot";
import type { EndpointRecord } from "../../platform/records";
import { isOwn, type RunRecords } from "./run";

/**
 * The orphans among the records, newest first. What is older than the resource's own endpoint is none: the state had it once,
 * and deletes it.
 */
export function orphanedEndpoints(
  run: RunRecords,
  urn: Owner | undefined,
  records: readonly EndpointRecord[],
): EndpointRecord[] {
  const ownId = run.endpointOf(urn);
  const others = records.filter(({ id }) => id !== ownId);
  // Nearly always: no other is there.
  if (others.length === 0) return [];
  const since = Date.parse(records.find(({ id }) => id === ownId)?.createdAt ?? "");
  return newestFirst(
    others
      .filter(isOwn(urn))
      .filter(({ id }) => !run.otherOwnerOf(id, urn))
      .filter(({ createdAt }) => !(Date.parse(createdAt ?? "") < since)),
  );
}

/**
 * What becomes of the orphans of a resource on a branch, by their type. A resource that had an endpoint before, of which the engine has
 * not said which, has the only one there is: that one it replaces.
 */
export function takeUpOn(
  run: RunRecords,
  urn: Owner | undefined,
  {
    onBranch,
    type,
    ...said
  }: { onBranch: readonly EndpointRecord[]; type: string } & Omit<TakeUpRequest, "made" | "metId">,
): ReturnType<typeof decideTakeUp> {
  const here = orphanedEndpoints(run, urn, onBranch).filter((record) => record.type === type);
  const { wasThere, endpointId } = urn === undefined ? {} : run.record(urn);
  const isReplaced = here.length === 1 && wasThere === true && endpointId === undefined;
  return decideTakeUp({ made: isReplaced ? [] : here, ...said });
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
