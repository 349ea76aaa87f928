/** The engine's calls for an endpoint: each verb, its record in the memory of the run, and advice on failures. */

import { skippedStartsMessage } from "../../endpoint/change";
import { requestOptions } from "../../endpoint/context";
import { remove as removeEndpoint } from "../../endpoint/delete";
import { type DiffRequest, type DiffResult, replacesGone } from "../../endpoint/diff";
import { isForgotten } from "../../endpoint/forget";
import { idOf, type Place, parseId, placeOf } from "../../endpoint/identity";
import { withIgnored } from "../../endpoint/ignored";
import { isGone } from "../../endpoint/project";
import type { EndpointInputs } from "../../endpoint/properties";
import { isImport, type ReadRequest, type ReadResult, read as readEndpoint } from "../../endpoint/read";
import { bookkeepingOf } from "../../endpoint/state";
import type { StoredEndpoint } from "../../endpoint/stored";
import type { UpdateRequest } from "../../endpoint/update";
import type { MemberPlan } from "../../fleet/plan";
import { bring } from "../../fleet/step";
import { isChecked } from "../../places/owners";
import { orphansOn } from "../../places/take-over";
import { PartialError, PgComputeError } from "../../platform/errors";
import { formatAway } from "../../platform/project/outcome";
import { groundOf, type LifecycleContext, logPlatform, singleContext } from "../call";
import { objectionNow, planToApply } from "../fleet/plan";
import { mayImport } from "../imports";
import { messageFor } from "../messages/errors";
import { formatResource } from "../messages/phrases";
import {
  advised,
  adviseError,
  goneMessage,
  needsPerson,
  orphanMessage,
  PENDING_DELETE,
  pendingDeleteAdvice,
} from "../messages/remedies";
import { createAnew } from "./create";
import { checkRoomForReplacement } from "./place";
import { compareChange, onlyIn, planChange } from "./plan";
import { refuseDepartures } from "./protection";
import { replacedOne, storedOnly, type WantedOne, wantedOnly } from "./set";
import { changeInTurn } from "./turn";

export { check } from "./check";

const PUT_BACK = "if the program still says what the last up applied, the next one puts this back";

/** Compares the state with the inputs and plans the change. Throws `refused` for an impossible change. */
export async function diff(context: LifecycleContext, request: DiffRequest): Promise<DiffResult> {
  const { run, urn } = context;
  const { id } = request;
  const { projectId, endpointId } = parseId(id);
  const record = run.record(urn);

  // In a refresh, or when a dependency is replaced, Diff comes before Check. Such a Diff plans nothing.
  const isPlanned = record.phase === "kept";
  const mayBeGone = isPlanned && !isForgotten(context, { projectId, endpointId });
  if (mayBeGone && (await isGone(context, { projectId, endpointId }))) return planAnew(context, id);

  run.recognize(urn, request);
  if (!isPlanned) return compareBefore(context, request);

  record.compared = { inPlace: false };
  const result = await planChange(context, request);
  record.compared = { inPlace: result.changes && !result.replaces };
  if (result.changes) logPlatform(context);
  // The Check of a replacement reports orphans.
  if (!result.replaces) await warnOfOrphans(context, placeOf(request.state));
  return result;
}

/** The Diff of a refresh, or one before any Check: it refuses nothing. */
function compareBefore(context: LifecycleContext, request: DiffRequest): DiffResult {
  const record = context.run.record(context.urn);
  const isRefresh = record.phase === "refreshed";
  if (isRefresh) record.phase = undefined;
  else record.compared = { inPlace: false };

  const result = compareChange(context, request);
  if (result.changes) logPlatform(context);
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

/**
 * The result for a refresh, which has no impact of its own. The engine compares with the inputs of the last up, even
 * where the refresh runs a newer program.
 */
function ofRefresh({ impact: _, repair: __, ...result }: DiffResult): DiffResult {
  const [first, ...others] = result.messages;
  if (first === undefined) return result;
  return { ...result, messages: [`${PUT_BACK}: ${first}`, ...others] };
}

/** Creates the endpoint, or adopts the one that `adoptExisting` or `adoptInterrupted` allows. */
export function create(call: LifecycleContext, inputs: EndpointInputs): Promise<StoredEndpoint> {
  return recorded(call, async () => {
    // On an onError retry a half-finished create goes on with its endpoint.
    const record = call.run.record(call.urn);
    const { unfinished } = record;
    const goesOn = unfinished && (await isThere(call, unfinished.id, inputs));
    if (!goesOn) record.unfinished = undefined;
    return carryOut(call, { inputs }, goesOn ? unfinished : undefined);
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
export function update(call: LifecycleContext, { id, state, ...given }: UpdateRequest): Promise<StoredEndpoint> {
  // On an onError retry the engine passes the state from before the first attempt.
  const { unfinished } = call.run.record(call.urn);
  const stored = unfinished?.id === id ? unfinished : { id, state };
  const inputs = withIgnored(given.inputs, state, given);
  return recorded(call, () => carryOut(call, { ...given, inputs }, stored));
}

/** Plans once more, in its turn, and creates, takes over or changes the endpoint. */
async function carryOut(
  caller: LifecycleContext,
  wanted: WantedOne & { inputs: EndpointInputs },
  stored?: StoredEndpoint,
): Promise<StoredEndpoint> {
  const { reporter } = caller;
  const context = singleContext({
    ...caller,
    onAway: (ms) => reporter.info(`restarted: away for ${formatAway(ms)}`),
    onStartSkipped: () => reporter.info(skippedStartsMessage(caller)),
  });
  const { inputs, oldInputs } = wanted;
  const set = wantedOnly(wanted, stored ? undefined : replacedOne(caller));
  const there = storedOnly(stored);
  const objection = () => objectionNow(context, set, there);

  return changeInTurn(context, { inputs, state: stored?.state, objection }, async () => {
    const one = onlyIn(await planToApply(context, set, there));
    tellTakeover(context, one);
    const create = () => createAnew(context, inputs);
    return bring(context, one, { inputs, oldInputs, create }, stored === undefined);
  });
}

function tellTakeover({ run, urn, reporter }: LifecycleContext, { change, found }: MemberPlan): void {
  if (change !== "adopt" || !found) return;
  run.identify(urn, found.record.id);
  const id = idOf(found.record);
  reporter.info(
    found.as === "interrupted"
      ? `takes over endpoint ${id}, which an interrupted run created for this resource`
      : `adopts endpoint ${id}; destroy will release it, not delete it`,
  );
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
async function recorded(call: LifecycleContext, work: () => Promise<StoredEndpoint>): Promise<StoredEndpoint> {
  const { run, urn } = call;
  run.arrivals.begin(urn);
  const has = (stored: StoredEndpoint) => {
    run.recognize(urn, stored);
    const record = run.record(urn);
    // Without a Check the run records no owner.
    if (isChecked(record)) record.phase = "kept";
  };

  try {
    const stored = await run.remember(urn, work);
    has(stored);
    return stored;
  } catch (error) {
    if (error instanceof PartialError) has(error);
    if (error instanceof PgComputeError) adviseError(error, call);
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
