/**
 * The order of creates and updates: a replica waits for its primary, and a conflict's error names the endpoint on the
 * branch.
 */

import { requestOptions } from "../../endpoint/context";
import { isSameBranch, type Place } from "../../endpoint/identity";
import { waitsInPlace } from "../../endpoint/moment";
import type { EndpointInputs } from "../../endpoint/properties";
import type { EndpointState } from "../../endpoint/state";
import { isSole } from "../../endpoint/types";
import type { Refusal } from "../../places/refusal";
import { otherHolderOf } from "../../places/take-over";
import { isKind, PartialError, PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../call";
import { refusalMessage } from "../messages/refusals";

/**
 * Runs a create or update in turn: a replica waits for a moving primary; a conflict's error names the branch's
 * endpoint.
 */
export async function changeInTurn<T>(
  context: LifecycleContext,
  { inputs, state }: { inputs: EndpointInputs; state?: EndpointState | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const { run, urn } = context;
  const replacedId = run.record(urn).endpointId;
  const place: Place = inputs;
  const waitsLong = state !== undefined && waitsInPlace(inputs, state);

  try {
    if (isSole(inputs)) return await run.asPrimary(urn, inputs, work, waitsLong);
    if (!waitsLong) {
      const primary = await run.awaitPrimary(place, {
        ...requestOptions(context),
        clock: context.account.clock,
        signal: context.signal,
      });
      if (primary !== undefined) {
        const refusal = { kind: "primary_missing", branchId: place.branchId, primary } as const;
        throw new PgComputeError("refused", refusalMessage(refusal, context));
      }
    }
    return await work();
  } catch (error) {
    const conflict = isKind(error, "conflict") ? await conflictError(context, inputs, error, replacedId) : undefined;
    if (!conflict) throw error;
    throw error instanceof PartialError ? new PartialError(error.id, error.state, conflict) : conflict;
  }
}

/**
 * The error that names the endpoint on the branch, from one fresh list. `replacedId` is this resource's old endpoint.
 */
async function conflictError(
  context: LifecycleContext,
  inputs: EndpointInputs,
  error: PgComputeError,
  replacedId: string | undefined,
): Promise<PgComputeError | undefined> {
  // A branch may have several replicas, so none blocks it. The platform's own message has the reason.
  if (!isSole(inputs)) return undefined;

  const { run, urn, account } = context;
  const { projectId, branchId } = inputs;
  const { cache } = account.project(projectId);
  const options = { sinceMs: account.clock.now(), onWait: context.reporter.status };
  const snapshot = await cache.snapshot(options).catch(() => undefined);
  const there = snapshot?.onBranch(branchId).filter(({ id }) => id !== replacedId || run.record(urn).phase !== "kept");
  const occupant = there?.find(isSole);
  const refused = (refusal: Refusal) =>
    new PgComputeError("conflict", refusalMessage(refusal, context), { cause: error });

  if (!occupant) {
    const from = run.record(urn).from?.branchId;
    const isMove = replacedId !== undefined && from !== undefined && there !== undefined && there.length > 0;
    return isMove ? refused({ kind: "not_empty", branchId, from, there }) : undefined;
  }

  // The old endpoint was adopted, so it stays in either order.
  if (run.record(urn).releasedId === occupant.id) return refused({ kind: "released", occupant });
  const isWithoutDiff = staysWithoutDiff(context);

  if (replacedId === undefined ? isWithoutDiff : occupant.id === replacedId) {
    // Check does not get these options and cannot refuse them.
    const what =
      `the new endpoint cannot be created while the one that it replaces, ${occupant.id}, is on branch ${branchId}: a ` +
      "branch has at most one read-write endpoint";
    const advice = isWithoutDiff
      ? "Set `deleteBeforeReplace: true` in the options of the resource, without `retainOnDelete`, then run `pulumi up` again."
      : "Take `deleteBeforeReplace: false` out of the options of the resource, or `retainOnDelete: true`, then run " +
        "`pulumi up` again.";
    return new PgComputeError("conflict", what, { cause: error, advice });
  }

  const other = otherHolderOf(run, occupant, urn);
  return refused({ kind: "in_the_way", occupant, other, isNew: replacedId === undefined });
}

/** True for a read-write endpoint that is replaced on its branch without a Diff: the old one must be deleted first. */
export function staysWithoutDiff({ run, urn }: LifecycleContext): boolean {
  const { phase, compared, from, to } = run.record(urn);
  if (phase === "new" || compared) return false;
  return isSameBranch(from, to) && isSole(from) && isSole(to);
}
