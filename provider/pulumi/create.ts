/** A create, and what may be in its way: an endpoint to take over, a leftover, that of another resource, or its own. */

import { requestOptions } from "../endpoint/context";
import { adopt, create } from "../endpoint/create";
import { idOf, isReadWrite, isSameBranch } from "../endpoint/identity";
import { newOwnershipName } from "../endpoint/ownership-name";
import type { EndpointInputs } from "../endpoint/properties";
import type { StoredEndpoint } from "../endpoint/stored";
import { madeFor } from "../lib/owner";
import { isAdoptable, madeForOther, takeUpOn, withOwners } from "../plan/adopt";
import { isKind, type MaybeCreated, OutcomeUnknownError, PartialError, PgComputeError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { type LifecycleContext, worldOf } from "./call";
import { duplicateMessage, maybeCreatedMessage } from "./messages/errors";
import { leftMessage, occupiedMessage } from "./messages/occupied";
import { refusalMessage } from "./messages/refusals";

/** Takes over the endpoint that `adoptExisting` or `adoptInterrupted` asks for, changed to what the program says; undefined where there is none. */
export async function takeOver(context: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint | undefined> {
  const { run, urn, account, reporter } = context;
  const { adoptInterrupted: isSaid } = account.settings;
  const { cache, creates } = account.project(inputs.projectId);
  // The new endpoint of a replacement takes nothing over.
  const hadOne = run.known(urn).hadOne === true;
  const adopts = inputs.adoptExisting && !hadOne;
  if (!adopts && !isSaid && !creates.hasLost) return undefined;
  const onBranch = await cache.onBranch(inputs.branchId, { signal: context.signal });
  const { type } = inputs;
  const isOfThisRun = (record: EndpointRecord) => creates.hasMade(record);
  const world = worldOf(context);
  const { takes, left } = takeUpOn(world, { urn, hadOne }, { onBranch, type, isOfThisRun });
  // Check planned to take it up, but the run has met another owner since.
  if (!takes && isSaid && left.length > 0) {
    const message = leftMessage({ kind: "left", left: withOwners(world, left), isNew: true }, context);
    throw new PgComputeError("refused", message);
  }
  // An endpoint of another resource is not adopted, even if that one is about to leave the branch.
  const occupant = adopts ? onBranch.find((one) => isReadWrite(one) && isAdoptable(world, one)) : undefined;
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
  return adopt(context, { record, inputs, adopted: !takes, takenOverAt: account.clock.now() });
}

/** Creates an endpoint under a name of its own; where an answer was lost and nothing is found, the error says what may be there. */
export async function createAnew(context: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint> {
  const { urn, run, reporter } = context;
  const { projectId, branchId } = inputs;
  const name = newOwnershipName(madeFor(urn));
  try {
    const { duplicates, ...stored } = await create(context, { inputs, name, isTaken: (id) => run.hasOwner(id) });
    for (const duplicate of duplicates) reporter.warn(duplicateMessage(duplicate, { name }));
    return stored;
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    const { keepsNames } = context.account.project(projectId).creates;
    const nothingSeen: MaybeCreated = { kind: "maybe_created", projectId, branchId, name, keepsNames, candidates: [] };
    const remedy = error.remedy?.kind === "maybe_created" ? error.remedy : nothingSeen;
    const summary = `${error.summary}. ${maybeCreatedMessage(remedy)}`;
    throw new PgComputeError(error.kind, summary, { cause: error, remedy });
  }
}

/** The error of a create or update; of a conflict, it says who is there now. `replacedId` is the endpoint that the resource had before. */
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
  // A replica has no occupant in its way: the platform's own words say what is wrong.
  if (type === "read_only") return undefined;
  const { cache } = context.account.project(projectId);
  const onBranch = await cache.onBranch(branchId, { sinceMs: context.account.clock.now() }).catch(() => []);
  const occupant = onBranch.find(isReadWrite);
  if (!occupant) return undefined;
  // Its old endpoint was taken over, so it stays, whether it goes first or last.
  if (context.run.record(context.urn).releasedId === occupant.id) {
    const message = refusalMessage({ kind: "released", occupant }, context);
    return new PgComputeError("conflict", message, { cause: error });
  }
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
  const other = madeForOther(occupant, context.urn);
  const isNew = replacedId === undefined;
  const message = occupiedMessage({ ...context, occupant, other, isNew, isCreating: true });
  return new PgComputeError("conflict", message, { cause: error });
}

/** Warns of a replacement that had no Diff: what it does, and what it needs. */
export function warnOfReplacement(context: LifecycleContext): void {
  const { run, urn, reporter } = context;
  if (run.record(urn).phase.kind !== "replaced" || run.record(urn).compared) return;
  const what =
    "replaced: an option of the program asks for it (such as replacementTrigger or replaceWith); open connections are dropped, and " +
    "the host name changes";
  const needs =
    "Its branch has at most one read-write endpoint, so this takes the option `deleteBeforeReplace: true` as well";
  reporter.warn(staysWithoutDiff(context) ? `${what}. ${needs}` : what);
}

/** True for a read-write endpoint that is replaced so where it stands: a new one can come only after the old one has gone. */
function staysWithoutDiff({ run, urn }: LifecycleContext): boolean {
  const { from, to } = run.claims.of(urn) ?? {};
  const { hadOne, isCompared } = run.known(urn);
  if (!hadOne || isCompared) return false;
  return isSameBranch(from, to) && isReadWrite(from) && isReadWrite(to);
}
