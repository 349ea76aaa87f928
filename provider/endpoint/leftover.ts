import { PgComputeError } from "../api/errors";
import type { EndpointRecord } from "../api/records";
import { PLANNING_FRESH_MS } from "../directory/endpoint-directory";
import { describeLeftReplicas } from "../rules/occupancy";
import type { Context } from "./context";
import { formatId } from "./identity";
import { marksFor } from "./mark";
import { toOccupant } from "./occupied";
import type { EndpointState } from "./state";

/**
 * The endpoints of this type that earlier runs created for the resource and that are not the one this run knows as its
 * own, newest first: left by runs that were killed, or about to be replaced or deleted.
 */
export function leftoversFor(
  { plan, urn }: Context,
  type: EndpointRecord["type"],
  records: readonly EndpointRecord[],
): EndpointRecord[] {
  const ownId = plan.endpointOf(urn);
  const isMarked = marksFor(urn);
  return records
    .filter((record) => record.type === type && record.id !== ownId && isMarked(record))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}

/**
 * Why the replica is not to be created: earlier runs made some for this very resource, and nobody has said what to do
 * about them. `undefined` where there are none, or where it was said; that another is made is then a warning.
 */
export function leftReplicasReason(context: Context, onBranch: readonly EndpointRecord[]): string | undefined {
  const { adoptInterrupted } = context.account.settings;
  const leftovers = leftoversFor(context, "read_only", onBranch);
  const [first] = leftovers;
  if (first === undefined || adoptInterrupted === true) return undefined;
  if (adoptInterrupted === undefined) return describeLeftReplicas(first.branchId, leftovers.map(toOccupant));
  for (const record of leftovers) {
    context.reporter.warn(
      `endpoint ${idOf(record)} on branch ${record.branchId} was created for this resource by an earlier run, and this ` +
        "run creates another beside it, as adoptInterrupted says; unless a state has it, as in a forced replacement, delete " +
        `it, run: pgcompute endpoints delete ${idOf(record)}`,
    );
  }
  return undefined;
}

/**
 * Says of endpoints that earlier runs made for a new resource on other branches of its project that they are there: the
 * program may have been changed since a run was killed.
 */
export function warnOfLeftoversElsewhere(
  context: Context,
  { type, branchId }: Pick<EndpointRecord, "type" | "branchId">,
  records: readonly EndpointRecord[],
): void {
  for (const record of leftoversFor(context, type, records)) {
    if (record.branchId === branchId) continue;
    context.reporter.warn(
      `endpoint ${idOf(record)} on branch ${record.branchId} was created for this resource by an earlier run; unless a ` +
        "state has it, as in a forced replacement, no run will find it again: delete it, run: " +
        `pgcompute endpoints delete ${idOf(record)}; or declare this resource on that branch and take it up first, run: ` +
        "PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up",
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
    const onBranch = await directory.onBranch(branchId, { maxAgeMs: PLANNING_FRESH_MS, signal: context.signal });
    const isMarked = marksFor(context.urn);
    return onBranch
      .filter((record) => record.id !== endpointId && isMarked(record))
      .map(
        (record) =>
          `endpoint ${idOf(record)} on branch ${branchId} was created for this resource, too, by an earlier run; unless ` +
          "it waits to be deleted after a replacement, it is in no state: delete it, run: " +
          `pgcompute endpoints delete ${idOf(record)}`,
      );
  } catch (error) {
    if (error instanceof PgComputeError) return [];
    throw error;
  }
}

function idOf({ projectId, id }: EndpointRecord): string {
  return formatId({ projectId, endpointId: id });
}
