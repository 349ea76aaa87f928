/** The engine's calls for an endpoint: each verb, its record in the memory of the run, and advice on failures. */

import { skippedStartsMessage } from "../../endpoint/change";
import { requestOptions } from "../../endpoint/context";
import { remove as removeEndpoint } from "../../endpoint/delete";
import { diff as compare, type DiffRequest, type DiffResult, neverIdle, replacesGone } from "../../endpoint/diff";
import { isForgotten, refuseForgotten, refuseForgottenReplacement } from "../../endpoint/forget";
import { type Place, parseId, placeOf } from "../../endpoint/identity";
import { withIgnored } from "../../endpoint/ignored";
import { isGone, requireProject } from "../../endpoint/project";
import type { EndpointInputs } from "../../endpoint/properties";
import { isImport, type ReadRequest, type ReadResult, read as readEndpoint } from "../../endpoint/read";
import { bookkeepingOf, type EndpointState } from "../../endpoint/state";
import type { StoredEndpoint } from "../../endpoint/stored";
import { type UpdateRequest, update as updateEndpoint } from "../../endpoint/update";
import { isChecked } from "../../places/owners";
import { orphansOn } from "../../places/take-over";
import { PartialError, PgComputeError } from "../../platform/errors";
import { formatAway } from "../../platform/project/outcome";
import type { EndpointRecord } from "../../platform/records";
import { groundOf, type LifecycleContext, logPlatform } from "../call";
import { mayImport } from "../imports";
import { messageFor } from "../messages/errors";
import { formatResource } from "../messages/phrases";
import { neverIdleMessage } from "../messages/refusals";
import {
  advised,
  adviseError,
  goneMessage,
  needsPerson,
  orphanMessage,
  PENDING_DELETE,
  pendingDeleteAdvice,
} from "../messages/remedies";
import { refuseUndone } from "./check-live";
import { createAnew, takeOver } from "./create";
import { ignoredSizeMessage } from "./held-size";
import { checkChangedPlace, checkRoomForReplacement } from "./place";
import { type Departure, noteExpiry, refuseDepartures } from "./protection";
import { changeInTurn } from "./turn";

export { check } from "./check";

const PUT_BACK = "if the program still says what the last up applied, the next one puts this back";

/** Compares the state with the inputs and plans the change. Throws `refused` for an impossible change. */
export async function diff(context: LifecycleContext, given: DiffRequest): Promise<DiffResult> {
  const { run, urn, account } = context;
  const { id, state } = given;
  const request = { ...given, inputs: withIgnored(given.inputs, state, given) };
  const { profile, moves } = account.settings;
  const { projectId, endpointId } = parseId(id);
  const { cache } = account.project(projectId);
  const record = run.record(urn);

  // In a refresh, or when a dependency is replaced, Diff comes before Check. Such a Diff plans nothing.
  const isPlanned = record.phase === "kept";
  const mayBeGone = isPlanned && !isForgotten(context, { projectId, endpointId });
  if (mayBeGone && (await isGone(context, { projectId, endpointId }))) return planAnew(context, id);

  run.recognize(urn, request);
  const isRefresh = record.phase === "refreshed";
  if (record.phase === undefined) record.compared = { inPlace: false };
  if (isRefresh) record.phase = undefined;
  const shown = cache.lastSeen(endpointId);
  const result = compare({ ...request, profile, moves, standsOn: shown?.branchId });

  if (isPlanned) {
    record.compared = { inPlace: result.changes && !result.replaces };
    await checkOldEndpoint(context, request, result);
    await checkChangedPlace(context, request, result);
    await refuseUndoneBy(context, request, result, shown);
    await refuseDepartures(context, departuresBy(request, result, shown));
    if (result.properties.branchId) await noteExpiry(context, [request.inputs]);
    const held = ignoredSizeMessage(request.inputs, request);
    if (held !== undefined) context.reporter.warn(held);
  }
  if (result.changes) logPlatform(context);

  // The Check of a replacement reports orphans.
  if (!result.replaces) await warnOfOrphans(context, placeOf(state));

  // The list fetched for orphans may be newer.
  const never = isPlanned ? neverIdle(result, cache.lastSeen(endpointId) ?? state, profile) : undefined;
  if (never) throw new PgComputeError("refused", neverIdleMessage(id, never));
  if (isPlanned) noteStep(context, request, result);
  return isRefresh ? ofRefresh(result) : result;
}

/** Plans a new endpoint instead of one that is gone. The resource counts as new from then on: it may adopt, too. */
function planAnew(context: LifecycleContext, id: string): DiffResult {
  const { run, urn, reporter } = context;
  run.record(urn).phase = "new";
  logPlatform(context);
  reporter.warn(goneMessage(id));
  return replacesGone;
}

/** Records the step that a Diff without a refusal plans. The second Check of a replacement declares its new place. */
function noteStep({ run, urn, account }: LifecycleContext, { inputs }: DiffRequest, result: DiffResult): void {
  const isMove = result.properties.branchId !== undefined && account.settings.profile.movesToEmpty;
  if (!result.replaces) run.arrivals.declare(urn, placeOf(inputs), isMove);
  if (result.changes) run.arrivals.plan(urn);
}

/**
 * The result for a refresh, which has no impact of its own. The engine compares with the inputs of the last up, even
 * where the refresh runs a newer program.
 */
function ofRefresh({ impact: _, repair: __, ...result }: DiffResult): DiffResult {
  const [first, ...others] = result.messages;
  if (first === undefined) return result;
  return { ...result, messages: [`${PUT_BACK}: ${first}`, ...others] };
}

/**
 * Throws if the old endpoint cannot change: this run forgets it, or its unreadable project would fail its delete for
 * ever.
 */
async function checkOldEndpoint(context: LifecycleContext, request: DiffRequest, result: DiffResult): Promise<void> {
  const old = parseId(request.id);
  if (!result.changes) return;
  if (!result.replaces) return refuseForgotten(context, old);

  const { projectId } = request.inputs;
  const deletesFirst = result.deletesFirst;
  refuseForgottenReplacement(context, { ...old, deletesFirst }, projectId);
  if (projectId === old.projectId) return;
  // Then the old endpoint is not deleted.
  if (bookkeepingOf(request.state).adopted || isForgotten(context, old)) return;

  await advised(context, () => requireProject(context, old));
}

/** Refuses to move an endpoint back from a restored branch unless `undoRestore` names that branch. */
async function refuseUndoneBy(
  context: LifecycleContext,
  { state, inputs }: DiffRequest,
  result: DiffResult,
  record: EndpointRecord | undefined,
): Promise<void> {
  if (inputs.projectId !== state.projectId) return;
  const isBack = result.replaces || result.properties.branchId !== undefined;
  await refuseUndone(context, [{ record, wanted: inputs.branchId, isPutBack: isBack }]);
}

/** The endpoint as one that leaves its branch, by a move or by a replacement that deletes it. */
function departuresBy({ id, state }: DiffRequest, result: DiffResult, record: EndpointRecord | undefined): Departure[] {
  const isMove = !result.replaces && result.properties.branchId !== undefined;
  const isDeleted = result.replaces && !bookkeepingOf(state).adopted;
  if (!isMove && !isDeleted) return [];
  const { branchId, type } = record ?? state;
  return [{ ...parseId(id), branchId: String(branchId), type, how: isMove ? "moved" : "replaced" }];
}

/** Creates the endpoint, or adopts the one that `adoptExisting` or `adoptInterrupted` allows. */
export function create(caller: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint> {
  return step(caller, { inputs }, async (context) => {
    const record = context.run.record(context.urn);
    const failed = record.unfinished;
    // On an onError retry a half-finished create goes on with its endpoint.
    if (failed && (await isThere(context, failed.id, inputs))) {
      return updateEndpoint(context, { id: failed.id, state: failed.state, inputs });
    }
    record.unfinished = undefined;
    return (await takeOver(context, inputs)) ?? createAnew(context, inputs);
  });
}

/** Reads an endpoint for a refresh, an import or a program's `get`; `undefined` if it is gone. No import without inputs. */
export async function read(
  context: LifecycleContext,
  request: ReadRequest,
): Promise<(Pick<ReadResult, "state"> & Partial<ReadResult>) | undefined> {
  return advised(context, async () => {
    const { run, urn } = context;
    const result = await readEndpoint(context, request);
    if (!result) return undefined;

    if (isImport(request)) {
      const found = { what: `endpoint ${request.id}`, owner: urn, state: result.state };
      return mayImport(context, [found]) ? result : { state: result.state };
    }
    run.record(urn).phase ??= "refreshed";
    return result;
  });
}

/** Changes the endpoint in place. */
export function update(caller: LifecycleContext, given: UpdateRequest): Promise<StoredEndpoint> {
  const request = { ...given, inputs: withIgnored(given.inputs, given.state, given) };
  return step(caller, request, (context) => {
    // On an onError retry the engine passes the state from before the first attempt.
    const failed = context.run.record(context.urn).unfinished;
    return updateEndpoint(context, failed?.id === request.id ? { ...request, state: failed.state } : request);
  });
}

/** Deletes the endpoint. One that `adoptExisting` took is released; one that another resource of the run has stays. */
export function remove(context: LifecycleContext, request: StoredEndpoint): Promise<void> {
  const { id, state } = request;
  const { run, urn, reporter } = context;
  const identity = parseId(id);

  run.arrivals.begin(urn);
  return advised(context, async () => {
    await checkRoomForReplacement(context, identity.endpointId);
    // For a renamed and replaced resource the engine sends the delete under the old URN.
    const owner = run.keeperOf(identity.endpointId);
    if (bookkeepingOf(state).adopted) {
      run.record(urn).releasedId = identity.endpointId;
      reporter.info(`releases endpoint ${id}: it was taken over, so it is not deleted`);
    } else if (owner === urn) {
      const kept = `endpoint ${id} was taken over by the resource that replaces this one, so it is not deleted`;
      const anew =
        "to get a new endpoint, leave the resource out of the program for one run: this one is deleted, with its host name";
      // Without stored names, a forced replacement with adoptExisting adopts its own endpoint, and destroy would not
      // delete it. So refuse, unless the state never set adoptExisting: then the endpoint may be a renamed resource's.
      const isOwn = state.adoptExisting === true && run.record(urn).stays === "adopted";
      if (isOwn) throw new PgComputeError("refused", `${kept}; ${anew}`);
      reporter.warn(`${kept}; ${anew}`);
    } else if (owner !== undefined) {
      reporter.warn(`endpoint ${id} is not deleted, because ${formatResource(owner)} has it, too`);
    } else {
      const { branchId, type } =
        context.account.project(identity.projectId).cache.lastSeen(identity.endpointId) ?? state;
      try {
        await refuseDepartures(context, [{ ...identity, branchId: String(branchId), type, how: "deleted" }]);
        await advised(context, () => removeEndpoint(context, { ...identity, branchId, type }));
      } catch (error) {
        throw withPendingAdvice(error, id);
      }
    }
  });
}

/** The error of a delete. If a repeat may not help, adds the ways to leave the endpoint in place. */
function withPendingAdvice(error: unknown, id: string): unknown {
  if (!needsPerson(error)) return error;
  // For a deleted project the advice covers everything in it.
  if (error.remedy?.kind !== "unknown_project") {
    return new PgComputeError(error.kind, messageFor(error), { advice: pendingDeleteAdvice(id), cause: error });
  }
  return new PgComputeError(error.kind, error.summary, { advice: `${PENDING_DELETE} ${error.advice}`, cause: error });
}

/** Runs a create or an update, records the result in the run, and adds advice to a failure. */
async function step(
  caller: LifecycleContext,
  change: { inputs: EndpointInputs; state?: EndpointState },
  work: (context: LifecycleContext) => Promise<StoredEndpoint>,
): Promise<StoredEndpoint> {
  const { run, urn, reporter } = caller;
  run.arrivals.begin(urn);
  const context: LifecycleContext = {
    ...caller,
    onAway: (ms) => reporter.info(`restarted: away for ${formatAway(ms)}`),
    onStartSkipped: () => reporter.info(skippedStartsMessage(caller)),
  };

  const has = (stored: StoredEndpoint) => {
    run.recognize(urn, stored);
    const record = run.record(urn);
    // Without a Check the run records no owner.
    if (isChecked(record)) record.phase = "kept";
  };

  try {
    const stored = await run.remember(urn, () => changeInTurn(context, change, () => work(context)));
    has(stored);
    return stored;
  } catch (error) {
    if (error instanceof PartialError) has(error);
    if (error instanceof PgComputeError) adviseError(error, context);
    throw error;
  }
}

/** True if a create that failed in this run made this endpoint. */
async function isThere(context: LifecycleContext, id: string, inputs: EndpointInputs): Promise<boolean> {
  const { projectId, endpointId } = parseId(id);
  if (projectId !== inputs.projectId) return false;
  const record = await context.account.project(projectId).cache.readById(endpointId, requestOptions(context));
  return record?.branchId === inputs.branchId && record.type === inputs.type;
}

/** Warns of orphans on the endpoint's branch. If the platform does not answer, other calls report that. */
async function warnOfOrphans(context: LifecycleContext, place: Place | undefined): Promise<void> {
  if (!place) return;
  const { projectId } = place;
  try {
    const { cache } = context.account.project(projectId);
    const snapshot = await cache.snapshot({ signal: context.signal });
    const ground = groundOf(context, new Map([[projectId, snapshot]]));
    for (const one of orphansOn(ground, context.urn, place)) context.reporter.warn(orphanMessage(one));
  } catch (error) {
    if (!(error instanceof PgComputeError)) throw error;
  }
}
