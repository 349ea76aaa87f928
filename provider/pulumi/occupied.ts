import { type Context, nameOf } from "../endpoint/context";
import { isOwnedBy } from "../endpoint/ownership-name";
import { isKind, PartialError, PgComputeError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { type Occupant, occupiedMessage } from "./advice";
import type { Place } from "./run/run-ledger";

/**
 * Why the branch of `occupant` cannot take another read-write endpoint, with the ways on. `isNew` is true where the
 * engine shows nothing old of the resource, so that it may be a forced replacement of the occupant itself; `leftBranch` is
 * where the resource's own endpoint no longer stands, so that it may have been moved here.
 */
export function occupiedReason(
  context: Context,
  occupant: EndpointRecord,
  { isNew, leftBranch }: { isNew: boolean; leftBranch?: string | undefined },
): string {
  const { urn, host } = context;
  return occupiedMessage({
    projectId: occupant.projectId,
    branchId: occupant.branchId,
    occupant: toOccupant(occupant),
    host,
    forcedReplacementPossible: isNew,
    markedAsOwn: isOwnedBy(occupant, urn),
    ...(leftBranch === undefined ? {} : { leftBranchId: leftBranch }),
    ...(urn === undefined ? {} : { urn, resourceName: nameOf(urn) ?? "" }),
  });
}

/** The endpoint as messages show who is in the way. */
export function toOccupant(record: EndpointRecord): Occupant {
  return {
    endpointId: record.id,
    minCu: record.autoscalingLimitMinCu,
    maxCu: record.autoscalingLimitMaxCu,
    ...(record.currentState === undefined ? {} : { state: record.currentState }),
    ...(record.name === undefined ? {} : { name: record.name }),
  };
}

/**
 * A conflict that preview could not see, because somebody else was faster: the error says who is there now. `replacedId`
 * is the endpoint that is to be replaced by the one that met the conflict.
 */
export async function withOccupant(
  context: Context,
  { projectId, branchId }: Place,
  error: unknown,
  replacedId?: string,
): Promise<unknown> {
  if (!isKind(error, "conflict") || error instanceof PartialError) return error;
  const { clock, project } = context.account;
  const onBranch = await project(projectId)
    .cache.onBranch(branchId, { sinceMs: clock.now() })
    .catch(() => []);
  const occupant = onBranch.find(({ type }) => type === "read_write");
  if (!occupant) return error;
  if (occupant.id === replacedId) {
    // No check is told of the option, so none can foresee this.
    const summary =
      `the new endpoint cannot be created while the one that it replaces, ${occupant.id}, is on branch ${branchId}: a ` +
      "branch has at most one read-write endpoint";
    const advice = "Take `deleteBeforeReplace: false` out of the options of the resource, then run `pulumi up` again.";
    return new PgComputeError("conflict", summary, { cause: error, advice });
  }
  return new PgComputeError("conflict", occupiedReason(context, occupant, { isNew: false }), { cause: error });
}
