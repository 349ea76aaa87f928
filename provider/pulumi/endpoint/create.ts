/** Creates an endpoint, and handles an endpoint in the way: one to adopt, a leftover, another resource's, or its own. */

import { requestOptions } from "../../endpoint/context";
import { adopt, create } from "../../endpoint/create";
import { idOf, isSameBranch, type Place } from "../../endpoint/identity";
import { waitsInPlace } from "../../endpoint/moment";
import { newOwnershipName, ownerNameIn } from "../../endpoint/ownership-name";
import type { EndpointInputs } from "../../endpoint/properties";
import type { EndpointState } from "../../endpoint/state";
import type { StoredEndpoint } from "../../endpoint/stored";
import { isSole } from "../../endpoint/types";
import { madeFor } from "../../lib/owner";
import type { Refusal } from "../../places/refusal";
import { madeForOther, takeUpAt, withOwners } from "../../places/take-over";
import { isKind, type MaybeCreated, OutcomeUnknownError, PartialError, PgComputeError } from "../../platform/errors";
import type { EndpointRecord } from "../../platform/records";
import { groundOf, type LifecycleContext } from "../call";
import { duplicateMessage, maybeCreatedMessage } from "../messages/errors";
import { refusalMessage } from "../messages/refusals";

/**
 * Adopts the endpoint that `adoptExisting` or `adoptInterrupted` asks for and updates it to the program's inputs.
 * Undefined if there is none.
 */
export async function takeOver(context: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint | undefined> {
  const { run, urn, account, reporter } = context;
  const { cache, creates } = account.project(inputs.projectId);
  // The new endpoint of a replacement takes nothing over.
  const { phase } = run.record(urn);
  const adopts = inputs.adoptExisting && phase !== "kept" && phase !== "replacing";
  if (!adopts && !account.settings.adoptInterrupted && !creates.hasLost) return undefined;
  const lists = new Map([
    [inputs.projectId, await cache.snapshot({ signal: context.signal, onWait: context.reporter.status })],
  ]);
  const ground = groundOf(context, lists);
  const { takes, left } = takeUpAt(ground, inputs, (record) => creates.hasMade(record));
  // Check planned to take it up, but the run has met another owner since.
  if (!takes && ground.rules.takesUp && left.length > 0) {
    const refusal = { kind: "left", left: withOwners(ground, left), isNew: true } as const;
    throw new PgComputeError("refused", refusalMessage(refusal, context));
  }
  // An endpoint of another resource is not adopted, even if that one is about to leave the branch.
  const isFree = (record: EndpointRecord) =>
    ground.otherOwnerOf(record.id) === undefined && ownerNameIn(record) === undefined;
  const occupant = adopts ? ground.recordsOn(inputs).find((one) => isSole(one) && isFree(one)) : undefined;
  const found = takes ?? occupant;
  // A list may be old, and another resource may have it by now; from here on it is this one's.
  const record = found && (await cache.confirm(found.id, requestOptions(context)));
  if (record?.branchId !== inputs.branchId || run.otherOwnerOf(record.id, urn) !== undefined) return undefined;
  run.identify(urn, record.id);
  const id = idOf(record);
  reporter.info(
    takes
      ? `takes over endpoint ${id}, which an interrupted run created for this resource`
      : `adopts endpoint ${id}; destroy will release it, not delete it`,
  );
  return adopt(context, { record, inputs, adopted: !takes });
}

/**
 * Creates an endpoint with the program's name or a generated one. After a lost answer without a result, the error names
 * the endpoints that may exist.
 */
export async function createAnew(context: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint> {
  const { urn, run, reporter } = context;
  const { projectId, branchId } = inputs;
  const ownName = inputs.name === undefined ? newOwnershipName(madeFor(urn)) : undefined;
  try {
    const { duplicates, ...stored } = await create(context, { inputs, ownName, isTaken: (id) => run.isKnown(id) });
    for (const duplicate of duplicates) reporter.warn(duplicateMessage(duplicate));
    return stored;
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    const { keepsNames } = context.account.project(projectId).creates;
    const place = { projectId, branchId, name: ownName, keepsNames };
    const nothingSeen: MaybeCreated = { kind: "maybe_created", ...place, candidates: [] };
    const remedy = error.remedy?.kind === "maybe_created" ? error.remedy : nothingSeen;
    const summary = `${error.summary}. ${maybeCreatedMessage(remedy)}`;
    throw new PgComputeError(error.kind, summary, { cause: error, remedy });
  }
}

/**
 * Runs a create or an update of an endpoint, or of a member with this state. A replica's waits for the read-write endpoint that comes to its
 * branch; the error of a conflict says who is there now.
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

/** Names who is on the branch, by one fresh list. `replacedId` is the endpoint that it had before. */
async function conflictError(
  context: LifecycleContext,
  inputs: EndpointInputs,
  error: PgComputeError,
  replacedId: string | undefined,
): Promise<PgComputeError | undefined> {
  // A branch may have several replicas, so none is in the way. The platform's own message gives the reason.
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
  // Its old endpoint was taken over, so it stays, whether it goes first or last.
  if (run.record(urn).releasedId === occupant.id) return refused({ kind: "released", occupant });
  const isWithoutDiff = staysWithoutDiff(context);
  if (replacedId === undefined ? isWithoutDiff : occupant.id === replacedId) {
    // No Check is told of these options, so that none could refuse this.
    const what =
      `the new endpoint cannot be created while the one that it replaces, ${occupant.id}, is on branch ${branchId}: a ` +
      "branch has at most one read-write endpoint";
    const advice = isWithoutDiff
      ? "Set `deleteBeforeReplace: true` in the options of the resource, without `retainOnDelete`, then run `pulumi up` again."
      : "Take `deleteBeforeReplace: false` out of the options of the resource, or `retainOnDelete: true`, then run " +
        "`pulumi up` again.";
    return new PgComputeError("conflict", what, { cause: error, advice });
  }
  const owner = run.otherOwnerOf(occupant.id, urn);
  const other = owner === undefined ? madeForOther(occupant, urn) : { urn: owner };
  return refused({ kind: "in_the_way", occupant, other, isNew: replacedId === undefined });
}

/** Warns of a replacement that Diff has not announced, with its effects and requirements. */
export function warnOfReplacement(context: LifecycleContext): void {
  const { run, urn, reporter } = context;
  const { phase, compared } = run.record(urn);
  if (phase !== "replacing" || compared?.inPlace === false) return;
  const why = compared
    ? "replaced, not changed in place: an option of the program asks for it (replaceOnChanges)"
    : "replaced: an option of the program asks for it (such as replacementTrigger or replaceWith)";
  const what = `${why}; open connections are dropped, and the host name changes`;
  const needs =
    "Its branch has at most one read-write endpoint, so this takes the option `deleteBeforeReplace: true` as well";
  reporter.warn(staysWithoutDiff(context) ? `${what}. ${needs}` : what);
}

/** True for a read-write endpoint that is replaced on its branch without a Diff. The new one can only come after the old one is deleted. */
function staysWithoutDiff({ run, urn }: LifecycleContext): boolean {
  const { phase, compared, from, to } = run.record(urn);
  if (phase === "new" || compared) return false;
  return isSameBranch(from, to) && isSole(from) && isSole(to);
}
