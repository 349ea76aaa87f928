/** The order of creates and updates: a replica waits for its primary, and a conflict's error says what is in the way. */

import { requestOptions } from "../../endpoint/context";
import { isSameBranch, type Place, placeOf } from "../../endpoint/identity";
import { waitsInPlace } from "../../endpoint/moment";
import type { EndpointInputs } from "../../endpoint/properties";
import type { EndpointState } from "../../endpoint/state";
import { isSole } from "../../endpoint/types";
import { sentences } from "../../lib/wording";
import type { Refusal } from "../../places/refusal";
import { isKind, PartialError, PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../call";
import { refusalMessage } from "../messages/refusals";

/** A create, or with a state an update. */
interface InTurn {
  inputs: EndpointInputs;
  state?: EndpointState | undefined;
  /** What a new list shows to be against it, if anything. */
  objection(): Promise<Refusal | undefined>;
}

/** Runs a create or update in turn: a replica waits for a moving primary; a conflict's error says what is in the way. */
export async function changeInTurn<T>(
  context: LifecycleContext,
  { inputs, state, objection }: InTurn,
  work: () => Promise<T>,
): Promise<T> {
  const { run, urn } = context;
  const { from } = run.record(urn);
  const waitsLong = state !== undefined && waitsInPlace(inputs, state);

  try {
    if (isSole(inputs)) return await run.arrivals.asPrimary(urn, inputs, work, waitsLong);
    if (!waitsLong) await awaitPrimary(context, inputs, state ? placeOf(state) : from);
    return await work();
  } catch (error) {
    throw isKind(error, "conflict") && isSole(inputs) ? conflictError(context, error, await objection()) : error;
  }
}

/** Waits for the read-write endpoint that moves to a replica's branch. Throws `refused` if it does not come. */
async function awaitPrimary(context: LifecycleContext, to: Place, from: Place | undefined): Promise<void> {
  const { run, account, signal } = context;
  const { branchId } = to;
  const comes = !isSameBranch(from, to);

  const missing = await run.arrivals.awaitPrimary({
    ...requestOptions(context),
    ...{ owner: context.urn, to, clock: account.clock, signal },
    mayFollow: comes && (await mayMoveTo(context, to)),
    comesAlong: from !== undefined && comes,
  });
  if (!missing) return;
  throw new PgComputeError("refused", refusalMessage({ kind: "primary_missing", branchId, ...missing }, context));
}

/** True if a read-write endpoint may move to the branch that has none, and needs it empty. */
async function mayMoveTo({ account, signal, reporter }: LifecycleContext, to: Place): Promise<boolean> {
  const { profile, moves } = account.settings;
  if (!profile.movesToEmpty || moves === "replace") return false;
  const snapshot = await account.project(to.projectId).cache.snapshot({ signal, onWait: reporter.status });
  return !snapshot.onBranch(to.branchId).some(isSole);
}

/** The platform's own words, and what the plan finds in the way by a new list, if anything. */
function conflictError(context: LifecycleContext, error: PgComputeError, refusal: Refusal | undefined): PgComputeError {
  if (!refusal) return error;
  const partial = error instanceof PartialError ? error : undefined;
  const cause = partial?.cause instanceof PgComputeError ? partial.cause : error;
  const summary = sentences([cause.summary, refusalMessage(refusal, context)]);
  const conflict = new PgComputeError("conflict", summary, { cause });
  return partial ? new PartialError(partial.id, partial.state, conflict) : conflict;
}

/** True for a read-write endpoint that is replaced on its branch without a Diff: the old one must be deleted first. */
export function staysWithoutDiff({ run, urn }: LifecycleContext): boolean {
  const { phase, compared, from, to } = run.record(urn);
  if (phase === "new" || compared) return false;
  return isSameBranch(from, to) && isSole(from) && isSole(to);
}
