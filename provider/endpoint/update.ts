/** Changes an endpoint in place: what an earlier run left open is resumed, then only what differs is sent. */
import { isKind, type OperationError, OutcomeUnknownError, type PgComputeError } from "../platform/errors";
import { isOpen, outcomeOf, platformNow, restartsIn } from "../platform/project/outcome";
import type { EndpointBody, EndpointRecord, OperationRecord } from "../platform/records";
import { type ChangedEndpoint, changeEndpoint, goneError, restart, start, suspend, waitFor } from "./change";
import { type Context, requestOptions } from "./context";
import type { DiffRequest } from "./diff";
import { type Differences, differencesSince, isIgnored, setBefore, setIn } from "./differences";
import { parseId } from "./identity";
import { toBody, toState } from "./mapping";
import { mayCut, withMoment } from "./moment";
import { type EndpointInputs, type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { begunSince, type Target } from "./recovery";
import {
  type Bookkeeping,
  bookkeepingOf,
  type EndpointState,
  type KeptOperation,
  keep,
  lookAgain,
  mayRunAsBefore,
  type SeenAgain,
  withBookkeeping,
} from "./state";
import { asSent, assertEnded, isApplied, partial, type StoredEndpoint, settle, stateOf } from "./stored";

/** The state of the last run, and checked, known inputs. */
export type UpdateRequest = Pick<DiffRequest, "id" | "state" | "oldInputs" | "ignoreChanges"> & {
  inputs: EndpointInputs;
};

/** An update of the named properties of an endpoint, as far as that is known. */
interface Patch {
  record: Pick<EndpointRecord, "projectId" | "id" | "branchId" | "disabled">;
  inputs: EndpointInputs;
  changed: readonly EndpointProperty[];
}

/**
 * Changes an endpoint in place (specification, section 4.5): first resumes what an earlier run left open, then sends
 * only what differs, then restarts where a new trigger asks for it or what failed earlier was to do it, waiting for every
 * returned operation. From the first change on, every failure is a `PartialError` with the state as it then is.
 */
export async function update(caller: Context, request: UpdateRequest): Promise<StoredEndpoint> {
  const { id, inputs, ignoreChanges = [] } = request;
  const ended: OperationRecord[] = [];
  const context = withMoment({ ...caller, onEnded: (operations) => ended.push(...operations) }, inputs);
  const { projectId, endpointId } = parseId(id);
  const wasSet = setBefore(request.state, request.oldInputs);
  // What an earlier run began is not timed: part of it may have ended before this run looked.
  const resumed = await resume({ ...context, onEnded: undefined }, request);
  // Until all is done, what the program no longer sets still counts as set: it may have to be put back again.
  const set = endpointProperties.filter((property) => wasSet.has(property) || inputs[property] !== undefined);
  // What ended badly is forgotten only when the change has been made again.
  let book: Bookkeeping = { ...bookkeepingOf(request.state), set, operations: resumed.bad };
  const again = resumed.bad.length > 0;
  let isOutdated = resumed.bad.some(mayRunAsBefore);
  // A trigger counts only once the restart is done: until then the state keeps the old one.
  const before: Partial<EndpointInputs> = { ...inputs };
  delete before.restartTrigger;
  const oldTrigger = triggerOf(request.state);
  let state = withBookkeeping({ ...withProgramOnly(resumed.state, inputs), ...oldTrigger }, book);
  const found = differencesSince({ ...request, state: resumed.state });
  // What the platform refused was not done, and the state of the last run still holds.
  let touched = again;
  const branchId = String(resumed.state.branchId ?? inputs.branchId);
  const target: Target = { projectId, endpointId, branchId };
  const disabled = inputs.disabled ?? resumed.state.disabled === true;
  const store = (record: EndpointRecord) => ({ ...stateOf(record, before, book), ...oldTrigger });
  try {
    const changed = changesToSend(found, inputs, again).filter((name) => !isIgnored(name, ignoreChanges));
    let madeGood = false;
    let restarted = false;
    if (changed.length > 0) {
      const record = { projectId, id: endpointId, branchId, disabled: resumed.state.disabled === true };
      let result = await patch(context, { record, inputs, changed });
      const begins = (name: string) => result.operations.some(({ action }) => action === name);
      // A new size restarts by itself, and one restart is all that a trigger asks for.
      restarted = begins("suspend_compute") && begins("start_compute");
      madeGood = isOutdated ? begins("suspend_compute") : result.operations.length > 0;
      // Nothing was left to do: a killed run may have sent it before, and its operations may have failed since.
      if (!again && result.operations.length === 0) {
        const earlier = await waitForEarlier(context, target, disabled);
        isOutdated = earlier.operations.length > 0;
        book = { ...book, operations: earlier.operations };
        if (earlier.error) result = { ...result, error: earlier.error };
      }
      // The operations of this change have taken the place of those that failed.
      if (madeGood) book = { ...book, operations: [] };
      touched = true;
      const settled = await settle(context, result, {
        inputs,
        sent: changed,
        store: (seen, shown) => {
          if (shown && changed.includes("pgSettings")) book = { ...book, spelled: shown.spelled };
          return store(seen);
        },
      });
      state = settled.state;
    }
    const asked = found.restartTrigger !== undefined && !restarted;
    const unmade = (again || isOutdated) && !madeGood;
    // A disabled endpoint does not run: there is nothing to restart, but there may be something to suspend.
    if (disabled ? unmade : asked || unmade) {
      const result = await (disabled ? suspend : asked || isOutdated ? restart : start)(context, target);
      touched = true;
      state = store(result.endpoint);
      assertEnded(id, state, result);
    }
  } catch (error) {
    throw touched || error instanceof OutcomeUnknownError ? partial(id, state, error) : error;
  }
  for (const ms of restartsIn(ended)) context.onAway?.(ms);
  const { imported: _, ...rest } = book;
  const done = withBookkeeping({ ...state, ...triggerOf(inputs) }, { ...rest, set: setIn(inputs), operations: [] });
  return { id, state: done };
}

/** Sends the named properties at their moment and waits for the returned operations (specification, section 4.5). */
export async function patch(context: Context, { record, inputs, changed }: Patch): Promise<ChangedEndpoint> {
  const { projectId, id: endpointId, branchId, disabled } = record;
  const target: Target = { projectId, endpointId, branchId };
  const body = await withOtherSettings(context, target, toBody(inputs, changed));
  return changeEndpoint(context, target, {
    branchIds: [branchId, inputs.branchId],
    // A connection cannot wake a disabled endpoint, so that there is none to cut.
    mayCut: disabled !== true && mayCut(changed, inputs),
    send: (options) => context.account.api.updateEndpoint(projectId, endpointId, body, options),
    isMade: ({ endpoint }) => isApplied(endpoint, inputs, changed),
  });
}

/** Whether the platform merges `settings` is not documented, so that what the provider does not manage is sent along. */
async function withOtherSettings(
  context: Context,
  { projectId, endpointId }: Target,
  body: EndpointBody,
): Promise<EndpointBody> {
  if (body.pgSettings === undefined && body.preloadLibraries === undefined) return body;
  const { cache } = context.account.project(projectId);
  const seen = cache.lastSeen(endpointId);
  // A list that leaves the settings out says nothing of the others.
  if (body.preloadLibraries === undefined && seen?.pgSettings !== undefined && !seen.otherSettings) return body;
  const record = await cache.confirm(endpointId, requestOptions(context));
  const { pgSettings, otherSettings } = record ?? {};
  return { ...(pgSettings && { pgSettings }), ...body, ...(otherSettings && { otherSettings }) };
}

function triggerOf({ restartTrigger }: { restartTrigger?: unknown }): { restartTrigger?: unknown } {
  return restartTrigger === undefined ? {} : { restartTrigger };
}

/** After an operation that failed, everything that the program sets is sent again. */
function changesToSend(found: Differences, inputs: EndpointInputs, again: boolean): EndpointProperty[] {
  const names = new Set([...(Object.keys(found) as EndpointProperty[]), ...(again ? setIn(inputs) : [])]);
  const isHeld = (name: EndpointProperty) => again && name === "branchId" && !found.branchId;
  return [...names].filter((name) => propertyOf(name).sent === undefined && !isHeld(name));
}

/**
 * Looks at the operations that an earlier run left behind and waits for those still open. Gives the endpoint as it then
 * is, and the operations that ended badly, whose change has to be made again.
 */
async function resume(
  context: Context,
  { id, state }: UpdateRequest,
): Promise<{ state: EndpointState; bad: KeptOperation[] }> {
  const kept = bookkeepingOf(state).operations ?? [];
  if (kept.length === 0) return { state, bad: [] };
  const { projectId, endpointId } = parseId(id);
  const seen = await lookAgain(context, projectId, kept);
  const { api, clock } = context.account;
  const mayEnd = (one: OperationRecord) => isOpen(one, platformNow(api, clock));
  const bad = seen.flatMap((one) => endedBadly(one, platformNow(api, clock)));
  let open = seen.flatMap(({ now }) => (now !== "vanished" && mayEnd(now) ? now : []));
  while (open.length > 0) {
    const result = await waitFor(context, projectId, open);
    if (!result.error) break;
    const ended = isKind(result.error, "operation_failed", "operation_vanished") ? result.error : undefined;
    if (!ended) {
      const book = { ...bookkeepingOf(state), operations: [...bad, ...keep(result.kept)] };
      throw partial(id, withBookkeeping(state, book), result.error);
    }
    // What ends badly now is the last run's: this one makes the change again.
    const endedId = (ended as OperationError).operationId;
    // One that has vanished was last seen open: by its status it would be waited for again and again.
    const isBad = (one: OperationRecord) => one.id === endedId || !mayEnd(one);
    bad.push(...keep(result.kept.filter(isBad)));
    open = result.kept.filter((one) => !isBad(one));
  }
  const record = await context.account.project(projectId).cache.confirm(endpointId, requestOptions(context));
  if (!record) throw goneError({ projectId, endpointId });
  const shown = asSent(record, state, bookkeepingOf(state).spelled);
  return { state: { ...state, ...toState(shown) }, bad };
}

/**
 * What failed of the newest change of an endpoint, whoever made it, and may have left its compute as it was before. With an error where
 * nobody knows yet: those operations are still open.
 */
async function waitForEarlier(
  context: Context,
  target: Target,
  disabled: boolean,
): Promise<{ operations: KeptOperation[]; error?: PgComputeError | undefined }> {
  // A failed suspend of the platform's own counts only where the program wants the endpoint disabled.
  const begun = await begunSince(context, target, undefined, { isChange: !disabled });
  const { kept, error } = await waitFor(context, target.projectId, begun.filter(mayRunAsBefore));
  return { operations: keep(kept), error: isKind(error, "operation_failed", "operation_vanished") ? undefined : error };
}

/** A kept operation whose change was not made, or of which nobody can tell. */
function endedBadly({ kept, now }: SeenAgain, nowMs: number): KeptOperation[] {
  if (now === "vanished") return [kept];
  return outcomeOf(now, nowMs) === "failed" ? [{ ...kept, status: now.status }] : [];
}

function withProgramOnly(state: EndpointState, inputs: EndpointInputs): EndpointState {
  const { adoptExisting: _, restartWhen: __, ...rest } = state;
  const { adoptExisting, restartWhen } = inputs;
  return { ...rest, ...(adoptExisting !== undefined && { adoptExisting }), ...(restartWhen && { restartWhen }) };
}
