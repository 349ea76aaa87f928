import { isKind, PgComputeError } from "../api/errors";
import type { EndpointRecord } from "../api/records";
import { describeOccupied } from "../rules/occupancy";
import { type Context, nameOf } from "./context";
import { isMarkedFor } from "./mark";
import type { Place } from "./plan";

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
  return describeOccupied({
    projectId: occupant.projectId,
    branchId: occupant.branchId,
    occupant: {
      endpointId: occupant.id,
      minCu: occupant.autoscalingLimitMinCu,
      maxCu: occupant.autoscalingLimitMaxCu,
      ...(occupant.currentState === undefined ? {} : { state: occupant.currentState }),
    },
    host,
    forcedReplacementPossible: isNew,
    markedAsOwn: isMarkedFor(occupant, urn),
    ...(leftBranch === undefined ? {} : { leftBranchId: leftBranch }),
    ...(urn === undefined ? {} : { urn, resourceName: nameOf(urn) ?? "" }),
  });
}

/** A conflict that preview could not see, because somebody else was faster: the error says who is there now. */
export async function explainConflict(
  context: Context,
  { projectId, branchId }: Place,
  error: unknown,
): Promise<unknown> {
  if (!isKind(error, "conflict")) return error;
  const { directory } = context.account.project(projectId);
  const onBranch = await directory.onBranch(branchId, { maxAgeMs: 0 }).catch(() => []);
  const occupant = onBranch.find(({ type }) => type === "read_write");
  if (!occupant) return error;
  return new PgComputeError("conflict", occupiedReason(context, occupant, { isNew: false }), { cause: error });
}
