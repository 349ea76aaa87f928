import { PgComputeError } from "../api/errors";
import type { EndpointRecord } from "../api/records";
import { PLANNING_FRESH_MS } from "../directory/endpoint-directory";
import type { Context } from "./context";
import { formatId } from "./identity";
import { isMarkedFor } from "./mark";
import type { EndpointState } from "./state";

/**
 * The endpoints of this type that earlier runs created for the resource and that are not the one this run knows as its
 * own, newest first: left by runs that were killed, or about to be replaced or deleted.
 */
export function leftoversFor(
  { plan, urn }: Context,
  type: EndpointRecord["type"],
  onBranch: readonly EndpointRecord[],
): EndpointRecord[] {
  const ownId = plan.endpointOf(urn);
  return onBranch
    .filter((record) => record.type === type && record.id !== ownId && isMarkedFor(record, urn))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}

/** Says of each replica that earlier runs made for the resource that it is there, and that another will be created. */
export function warnOfLeftovers({ reporter }: Context, records: readonly EndpointRecord[]): void {
  for (const record of records) {
    reporter.warn(
      `endpoint ${idOf(record)} on branch ${record.branchId} was created for this resource by an earlier run, and this ` +
        "run creates another. If that run was interrupted before it could record the endpoint, take it up instead, run: " +
        "PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up; if this is a forced replacement (--replace, or tainted), the engine " +
        "deletes it afterwards",
    );
  }
}

/**
 * Endpoints on the resource's branch that some run created for it and that are not its own, as sentences for people:
 * those of killed runs. Empty where the platform cannot be asked, which other calls report.
 */
export async function leftoversOf(context: Context, endpointId: string, state: EndpointState): Promise<string[]> {
  const { projectId, branchId } = state;
  if (typeof projectId !== "string" || typeof branchId !== "string") return [];
  const { directory } = context.account.project(projectId);
  try {
    const onBranch = await directory.onBranch(branchId, { maxAgeMs: PLANNING_FRESH_MS });
    return onBranch
      .filter((record) => record.id !== endpointId && isMarkedFor(record, context.urn))
      .map(
        (record) =>
          `endpoint ${idOf(record)} on branch ${branchId} was created for this resource, too, by a run that was ` +
          "interrupted; unless it waits to be deleted after a replacement, it is in no state: delete it on the platform",
      );
  } catch (error) {
    if (error instanceof PgComputeError) return [];
    throw error;
  }
}

function idOf({ projectId, id }: EndpointRecord): string {
  return formatId({ projectId, endpointId: id });
}
