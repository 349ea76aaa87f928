/** Endpoints that earlier runs created for a resource and that no resource of this run has: left by runs that were killed. */
import type { EndpointRecord } from "../../platform/records";
import { isOwn, type RunRecords } from "./run";

/**
 * The orphans among the records, newest first. What is older than the resource's own endpoint is none: the state had it once,
 * and deletes it.
 */
export function orphanedEndpoints(
  run: RunRecords,
  urn: string | undefined,
  records: Iterable<EndpointRecord>,
): EndpointRecord[] {
  const isOwnName = isOwn(urn);
  const ownId = run.endpointOf(urn);
  let since = 0;
  const named: EndpointRecord[] = [];
  // Each resource of a project looks at all of its endpoints: this is the one loop whose length is the square of their number.
  for (const record of records) {
    if (record.id === ownId) since = Date.parse(record.createdAt ?? "");
    else if (isOwnName(record)) named.push(record);
  }
  return named
    .filter(({ id }) => !run.otherOwnerOf(id, urn))
    .filter(({ createdAt }) => !(Date.parse(createdAt ?? "") < since))
    .sort((a, b) => (b.createdAt ?? "").localeCompare(a.createdAt ?? ""));
}
