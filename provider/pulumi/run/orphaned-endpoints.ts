import type { Context } from "../../endpoint/context";
import { formatId } from "../../endpoint/identity";
import { ownershipOf } from "../../endpoint/ownership-name";
import type { EndpointState } from "../../endpoint/state";
import { PgComputeError } from "../../platform/errors";
import type { EndpointRecord } from "../../platform/records";
import { orphanedReplicasMessage } from "../advice";
import { toOccupant } from "../occupied";

/**
 * The endpoints of this type that earlier runs created for the resource and that no resource of this run is known to
 * have, newest first: left by runs that were killed, or about to be replaced. What is older than the resource's own
 * endpoint is none of them: the state had it once, and deletes it.
 */
export function orphanedEndpoints(
  { ledger, urn }: Context,
  type: EndpointRecord["type"],
  records: readonly EndpointRecord[],
): EndpointRecord[] {
  const own = records.find(({ id }) => id === ledger.endpointOf(urn));
  const since = own ? Date.parse(own.createdAt ?? "") : 0;
  const isMarked = ownershipOf(urn);
  return records
    .filter((record) => record.type === type && record !== own && isMarked(record))
    .filter((record) => Date.parse(record.createdAt ?? "") >= since && !ledger.isAnothers(record.id, urn))
    .sort((a, b) => Date.parse(b.createdAt ?? "") - Date.parse(a.createdAt ?? ""));
}

/**
 * Why the replica is not to be created: earlier runs made some for this very resource, and nobody has said what to do
 * about them. `undefined` where there are none, or where it was said; that another is made is then a warning.
 */
export async function leftReplicasReason(
  context: Context,
  onBranch: readonly EndpointRecord[],
): Promise<string | undefined> {
  const { account, ledger, urn } = context;
  const { adoptInterrupted } = account.settings;
  if (adoptInterrupted === true) return undefined;
  const leftovers = await stillThere(context, orphanedEndpoints(context, "read_only", onBranch));
  const [first] = leftovers;
  if (first === undefined) return undefined;
  // The resource had one before, and which was not said: the only one there is what it replaces.
  if (leftovers.length === 1 && ledger.wasThere(urn) && ledger.endpointOf(urn) === undefined) return undefined;
  if (adoptInterrupted === undefined) return orphanedReplicasMessage(first.branchId, leftovers.map(toOccupant));
  for (const record of leftovers) {
    context.reporter.warn(
      `endpoint ${idOf(record)} on branch ${record.branchId} was created for this resource by an earlier run, and this ` +
        "run creates another beside it, as adoptInterrupted says; unless a state has it, as in a forced replacement, delete " +
        `it, run: pgcompute endpoints delete ${idOf(record)}`,
    );
  }
  return undefined;
}

/** Those that the platform has when it is asked by id: a list may be behind. */
async function stillThere(context: Context, records: readonly EndpointRecord[]): Promise<EndpointRecord[]> {
  const confirm = ({ projectId, id }: EndpointRecord) =>
    context.account.project(projectId).cache.confirm(id, { signal: context.signal });
  return (await Promise.all(records.map(confirm))).filter((record) => record !== undefined);
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
  for (const record of orphanedEndpoints(context, type, records)) {
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
export async function orphanMessages(context: Context, endpointId: string, state: EndpointState): Promise<string[]> {
  const { projectId, branchId } = state;
  if (typeof projectId !== "string" || typeof branchId !== "string") return [];
  const { cache } = context.account.project(projectId);
  try {
    const onBranch = await cache.onBranch(branchId, { signal: context.signal });
    const isMarked = ownershipOf(context.urn);
    return onBranch
      .filter(({ id }) => id !== endpointId && !context.ledger.isAnothers(id, context.urn))
      .filter(isMarked)
      .map(
        (record) =>
          `endpoint ${idOf(record)} on branch ${branchId} was created for this resource, too, by an earlier run; unless a ` +
          "resource of this or another stack has it, or it waits to be deleted after a replacement, delete it, run: " +
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
