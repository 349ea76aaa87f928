/** Endpoints that earlier runs created for a resource and that no resource of this run has: left by runs that were killed. */
import { ownershipStem } from "../../endpoint/ownership-name";
import type { EndpointSnapshot } from "../../platform/project/snapshot";
import type { EndpointRecord } from "../../platform/records";
import { isOwn, ownerOf, type RunRecords } from "./run";

/**
 * The orphans among the records, newest first. What is older than the resource's own endpoint is none: the state had it once,
 * and deletes it.
 */
export function orphanedEndpoints(
  run: RunRecords,
  urn: string | undefined,
  records: readonly EndpointRecord[],
): EndpointRecord[] {
  const ownId = run.endpointOf(urn);
  const others = records.filter(({ id }) => id !== ownId);
  // Nearly always: no other is there.
  if (others.length === 0) return [];
  const since = Date.parse(records.find(({ id }) => id === ownId)?.createdAt ?? "");
  return others
    .filter(isOwn(urn))
    .filter(({ id }) => !run.otherOwnerOf(id, urn))
    .filter(({ createdAt }) => !(Date.parse(createdAt ?? "") < since))
    .sort((a, b) => (b.createdAt ?? "").localeCompare(a.createdAt ?? ""));
}

/**
 * Those of a branch that an earlier run has left there. A resource that had an endpoint before, of which the engine has not said which, has
 * the only one there is: that one it replaces.
 */
export function leftBehind(
  run: RunRecords,
  urn: string | undefined,
  orphansHere: readonly EndpointRecord[],
): readonly EndpointRecord[] {
  const { wasThere, endpointId } = urn === undefined ? {} : run.record(urn);
  return orphansHere.length === 1 && wasThere === true && endpointId === undefined ? [] : orphansHere;
}

/** The orphans among all endpoints of a project. */
export function orphanedInProject(
  run: RunRecords,
  urn: string | undefined,
  snapshot: EndpointSnapshot,
): EndpointRecord[] {
  if (urn === undefined) return [];
  const own = snapshot.find(run.endpointOf(urn) ?? "");
  const named = snapshot.named(ownershipStem(ownerOf(urn)));
  return orphanedEndpoints(run, urn, own ? [...named, own] : named);
}
