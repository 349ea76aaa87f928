import { isKind, type OperationError } from "../platform/errors";
import { isOpen, outcomeOf } from "../platform/project/outcome";
import type { EndpointRecord } from "../platform/records";
import { withOccupant } from "../pulumi/occupied";
import type { Context } from "./context";
import { type Differences, differences, setBefore, setIn } from "./differences";
import { parseId } from "./identity";
import { lookAgain, type SeenAgain } from "./kept-operations";
import { toState } from "./mapping";
import { type EndpointInputs, type EndpointProperty, endpointProperties } from "./model";
import { goneError, type PatchTarget, patch, restart, start, suspend } from "./patch";
import { assertEnded, partial, rememberUnfinished, type StoredEndpoint, stateOf, waitFor } from "./settle";
import { bookkeepingOf, type EndpointState, type KeptOperation, keep, withBookkeeping } from "./state";

/** What a host hands to update: the state of the last run and checked, known inputs. */
export interface UpdateRequest {
  id: string;
  state: EndpointState;
  inputs: EndpointInputs;
  /** The inputs of the last run, where the host has them. */
  oldInputs?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Changes an endpoint in place (specification, section 4.5): first resumes what an earlier run left open, then sends
 * only what differs, then restarts where a new trigger asks for it, waiting for every returned operation. From the first
 * change on, every failure is a `PartialError` with the state as it then is.
 */
export function update(context: Context, request: UpdateRequest): Promise<StoredEndpoint> {
  // Where the engine repeats an update within the run (its hook onError), it shows the state of before the first try.
  const failed = context.ledger.unfinished(context.urn);
  const state = failed?.id === request.id ? failed.state : request.state;
  return rememberUnfinished(context, () => updateFrom(context, { ...request, state }));
}

async function updateFrom(context: Context, request: UpdateRequest): Promise<StoredEndpoint> {
  const { id, inputs } = request;
  const { projectId, endpointId } = parseId(id);
  const { adopted } = bookkeepingOf(request.state);
  const wasSet = setBefore(request.state, request.oldInputs);
  const resumed = await resume(context, request);
  // Until all is done, what the program no longer sets still counts as set: it may have to be put back again.
  const set = endpointProperties.filter((property) => wasSet.has(property) || inputs[property] !== undefined);
  // What ended badly is forgotten only when the change has been made again.
  let book = { set, operations: resumed.bad, ...(adopted ? { adopted } : {}) };
  const again = resumed.bad.length > 0;
  // A trigger counts only once the restart is done: until then the state keeps the old one.
  const before: Partial<EndpointInputs> = { ...inputs };
  delete before.restartTrigger;
  const oldTrigger = triggerOf(request.state);
  let state = withBookkeeping({ ...withProgramOnly(resumed.state, inputs), ...oldTrigger }, book);
  const found = differences(resumed.state, inputs, wasSet);
  // What the platform refused was not done, and the state of the last run still holds.
  let touched = again;
  const target: PatchTarget = {
    projectId,
    endpointId,
    branchId: String(resumed.state.branchId ?? inputs.branchId),
    onLost: () => {
      touched = true;
    },
  };
  const advance = (record: EndpointRecord) => {
    state = { ...stateOf(record, before, book), ...oldTrigger };
  };
  try {
    const changed = changesToSend(found, inputs, again);
    let operations = 0;
    if (changed.length > 0) {
      const result = await patch(context, target, inputs, changed);
      touched = true;
      operations = result.operations.length;
      // From here on these stand for what was to be made good.
      if (operations > 0) book = { ...book, operations: [] };
      advance(result.endpoint);
      assertEnded(id, state, result);
    }
    const asked = found.restartTrigger !== undefined;
    const unmade = again && operations === 0;
    const disabled = inputs.disabled ?? resumed.state.disabled === true;
    // A disabled endpoint does not run: there is nothing to restart, but there may be something to suspend.
    if (disabled ? unmade : asked || unmade) {
      const result = await (disabled ? suspend : asked ? restart : start)(context, target);
      touched = true;
      advance(result.endpoint);
      assertEnded(id, state, result);
    }
  } catch (error) {
    const explained = await withOccupant(context, inputs, error);
    throw touched ? partial(id, state, explained) : explained;
  }
  const done = withBookkeeping({ ...state, ...triggerOf(inputs) }, { ...book, set: setIn(inputs), operations: [] });
  return { id, state: done };
}

function triggerOf({ restartTrigger }: { restartTrigger?: unknown }): { restartTrigger?: unknown } {
  return restartTrigger === undefined ? {} : { restartTrigger };
}

/** After an operation that failed, everything that the program sets is sent again. */
function changesToSend(found: Differences, inputs: EndpointInputs, again: boolean): EndpointProperty[] {
  const notSent: EndpointProperty[] = ["projectId", "type", "adoptExisting", "restartTrigger"];
  const names = new Set([...(Object.keys(found) as EndpointProperty[]), ...(again ? setIn(inputs) : [])]);
  return [...names].filter((name) => !notSent.includes(name) && !(again && name === "branchId" && !found.branchId));
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
  const { clock } = context.account;
  const bad = seen.flatMap((one) => endedBadly(one, clock.now()));
  let open = seen.flatMap(({ now }) => (now !== "vanished" && isOpen(now, clock.now()) ? now : []));
  while (open.length > 0) {
    const result = await waitFor(context, projectId, open);
    if (!result.error) break;
    const ended = isKind(result.error, "operation_failed", "operation_vanished") ? result.error : undefined;
    if (!ended) {
      const book = { ...bookkeepingOf(state), operations: [...bad, ...keep(result.kept)] };
      throw partial(id, withBookkeeping(state, book), result.error);
    }
    // What ends badly now belongs to the last run, which has failed already: this one makes the change again.
    const endedId = (ended as OperationError).operationId;
    const isBad = ({ id: operationId }: KeptOperation) =>
      operationId === endedId || result.kept.some((one) => one.id === operationId && !isOpen(one, clock.now()));
    bad.push(...keep(open).filter(isBad));
    open = result.kept.filter((one) => isOpen(one, clock.now()));
  }
  const record = await context.account.project(projectId).cache.confirm(endpointId, { signal: context.signal });
  if (!record) throw goneError({ projectId, endpointId });
  return { state: { ...state, ...toState(record) }, bad };
}

/** A kept operation whose change was not made, or of which nobody can tell. */
function endedBadly({ kept, now }: SeenAgain, nowMs: number): KeptOperation[] {
  if (now === "vanished") return [kept];
  return outcomeOf(now, nowMs) === "failed" ? [{ ...kept, status: now.status }] : [];
}

function withProgramOnly(state: EndpointState, { adoptExisting }: EndpointInputs): EndpointState {
  const { adoptExisting: _, ...rest } = state;
  return adoptExisting === undefined ? rest : { ...rest, adoptExisting };
}
