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
  records: readonly EndpointRecord[],
): EndpointRecord[] {
  const isOwnName = isOwn(urn);
  const own = records.find(({ id }) => id === run.endpointOf(urn));
  const since = own ? Date.parse(own.createdAt) : 0;
  return records
    .filter((record) => record !== own && isOwnName(record) && !run.otherOwnerOf(record.id, urn))
    .filter(({ createdAt }) => Date.parse(createdAt) >= since)
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}
