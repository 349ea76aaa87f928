/** Conflicts that the preview could not see, because somebody else was faster. */
import type { EndpointInputs } from "../endpoint/properties";
import { madeForOther } from "../plan/take-up";
import { isKind, PartialError, PgComputeError } from "../platform/errors";
import type { LifecycleContext } from "./context";
import { occupiedMessage } from "./messages/occupied";
import { refusalMessage } from "./messages/refusals";
import { staysWithoutDiff } from "./replaced-without-diff";

/**
 * The error to throw for that of a create or an update: of a conflict, it says who is there now. `replacedId` is the endpoint that the
 * resource had before.
 */
export async function withOccupant(
  context: LifecycleContext,
  inputs: EndpointInputs,
  error: unknown,
  replacedId: string | undefined,
): Promise<unknown> {
  if (!isKind(error, "conflict")) return error;
  const conflict = await conflictError(context, inputs, error, replacedId);
  if (!conflict) return error;
  return error instanceof PartialError ? new PartialError(error.id, error.state, conflict) : conflict;
}

async function conflictError(
  context: LifecycleContext,
  { projectId, branchId, type }: EndpointInputs,
  error: PgComputeError,
  replacedId: string | undefined,
): Promise<PgComputeError | undefined> {
  // Nobody stands in the way of a replica: the platform's own words say what does.
  if (type === "read_only") return undefined;
  const { cache } = context.account.project(projectId);
  const onBranch = await cache.onBranch(branchId, { sinceMs: context.account.clock.now() }).catch(() => []);
  const occupant = onBranch.find((record) => record.type === "read_write");
  if (!occupant) return undefined;
  // What was taken over stays, whichever comes first.
  if (context.urn !== undefined && context.run.record(context.urn).releasedId === occupant.id) {
    const message = refusalMessage({ kind: "released", occupant }, context);
    return new PgComputeError("conflict", message, { cause: error });
  }
  const isWithoutDiff = staysWithoutDiff(context);
  if (replacedId === undefined ? isWithoutDiff : occupant.id === replacedId) {
    // No check is told of these options, so none can refuse this.
    const what =
      `the new endpoint cannot be created while the one that it replaces, ${occupant.id}, is on branch ${branchId}: a ` +
      "branch has at most one read-write endpoint";
    const advice = isWithoutDiff
      ? "Set `deleteBeforeReplace: true` in the options of the resource, without `retainOnDelete`, then run `pulumi up` again."
      : "Take `deleteBeforeReplace: false` out of the options of the resource, or `retainOnDelete: true`, then run " +
        "`pulumi up` again.";
    return new PgComputeError("conflict", what, { cause: error, advice });
  }
  const other = madeForOther(occupant, context.urn);
  const mayAdopt = replacedId === undefined;
  const message = occupiedMessage({ ...context, occupant, other, forcedReplacementPossible: false, mayAdopt });
  return new PgComputeError("conflict", message, { cause: error });
}
