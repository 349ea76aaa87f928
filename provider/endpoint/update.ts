/** Updates an endpoint in place: resumes an earlier run's operations, then sends only the differences. */
import { isKind, OutcomeUnknownError, type PgComputeError } from "../platform/errors";
import type { WaitResult } from "../platform/project/operation-waiter";
import { outcomeOf } from "../platform/project/outcome";
import type { EndpointBody, EndpointRecord, OperationRecord } from "../platform/records";
import {
  type ChangedEndpoint,
  changeEndpoint,
  goneError,
  restart,
  start,
  suspend,
  waitFor,
  withLimitAdvice,
} from "./change";
import { type Context, requestOptions } from "./context";
import type { DiffRequest } from "./diff";
import { type Differences, differencesSince, setBefore, setIn } from "./differences";
import { parseId } from "./identity";
import { withIgnored } from "./ignored";
import { sentIn, toBody, toState } from "./mapping";
import { mayCut, withMoment } from "./moment";
import { type EndpointInputs, type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { begunSince, type Target } from "./recovery";
import {
  type Bookkeeping,
  bookkeepingOf,
  type EndpointState,
  type KeptOperation,
  keep,
  latestOf,
  lookAgain,
  mayRunAsBefore,
  repairOf,
  type SeenAgain,
  withBookkeeping,
} from "./state";
import { assertEnded, type DoneStep, isApplied, partial, settle, stateOf, withSentSpelling } from "./stored";

/** The calls that repair a failed operation. */
const repairs = { started: start, restarted: restart, suspended: suspend } as const;

/** The last run's state, and checked, known inputs. */
export type UpdateRequest = Pick<DiffRequest, "id" | "state" | "oldInputs" | "ignored"> & {
  inputs: EndpointInputs;
};

/** The facts of an update. */
interface Step {
  request: UpdateRequest;
  target: Target;
  found: Differences;
  /** Failed operations of an earlier run, whose change is made again. */
  bad: readonly KeptOperation[];
  /** The endpoint at the start of the update. */
  seen: EndpointState;
}

/** The progress of an update. Until its end, dropped properties count as set, since they may have to be reset again. */
interface Progress {
  state: EndpointState;
  book: Bookkeeping;
  /** True after the first change, and from the start if an earlier run's operations failed. */
  isTouched: boolean;
  isRestarted: boolean;
  /** Operations of this update, without those of an earlier run, whose duration is not this update's. */
  seen: OperationRecord[];
}

/** Properties to update on an endpoint, whose record may be partial. */
interface Patch {
  record: Pick<EndpointRecord, "projectId" | "id" | "branchId" | "disabled">;
  inputs: EndpointInputs;
  changed: readonly EndpointProperty[];
}

/**
 * Updates an endpoint in place (specification, section 4.5), after an earlier run's operations. After the first change,
 * failures are `PartialError`s.
 */
export async function update(caller: Context, given: UpdateRequest): Promise<DoneStep> {
  const { id } = given;
  const context = withMoment(caller, withIgnored(given.inputs, given.state, given));
  const { state: seen, bad } = await resume(context, given);
  const inputs = withIgnored(given.inputs, seen, given);
  const request = { ...given, inputs };
  const found = differencesSince({ ...request, state: seen, profile: context.account.settings.profile });
  const wasSet = setBefore(request.state, request.oldInputs);
  const set = endpointProperties.filter((property) => wasSet.has(property) || inputs[property] !== undefined);

  // Failed operations are dropped only after their change was made again.
  const book: Bookkeeping = { ...bookkeepingOf(request.state), set, operations: bad };
  const { adoptExisting, restartWhen, restartTrigger } = inputs;

  const progress: Progress = {
    state: withBookkeeping({ ...seen, adoptExisting, restartWhen }, book),
    book,
    // A refused request changed nothing, so the last run's state still holds.
    isTouched: bad.length > 0,
    isRestarted: false,
    seen: [],
  };
  const step: Step = { request, target: targetOf(id, seen, inputs), found, bad, seen };

  try {
    await sendDifferences(context, step, progress);
    await restartIfAsked(context, step, progress);
  } catch (error) {
    throw progress.isTouched || error instanceof OutcomeUnknownError ? partial(id, progress.state, error) : error;
  }

  const triggered = { ...progress.state, ...(restartTrigger !== undefined && { restartTrigger }) };
  return {
    id,
    state: withBookkeeping(triggered, { ...progress.book, imported: undefined, set: setIn(inputs), operations: [] }),
    seen: progress.seen,
  };
}

/** Sends the differing properties; after a failed operation, all that the program sets. */
async function sendDifferences(context: Context, step: Step, progress: Progress): Promise<void> {
  const { request, target, found, bad, seen } = step;
  const { inputs, ignored } = request;
  const isSentAgain = (name: EndpointProperty) => name !== "branchId" && !ignored?.has(name);
  const again = bad.length > 0 ? sentIn(inputs, context.account.settings.profile).filter(isSentAgain) : [];
  const changed = [...new Set([...(Object.keys(found) as EndpointProperty[]), ...again])].filter(
    (name) => propertyOf(name).sent === undefined,
  );
  if (changed.length === 0) return;

  const record = { projectId: target.projectId, id: target.endpointId, branchId: target.branchId };
  let result = await patch(context, { record: { ...record, disabled: seen.disabled === true }, inputs, changed });
  progress.isTouched = true;
  progress.seen.push(...result.seen);

  const begins = (name: string) => result.operations.some(({ action }) => action === name);
  // A new size already restarts, and one restart satisfies a trigger.
  progress.isRestarted = begins("suspend_compute") && begins("start_compute");

  if (bad.some(mayRunAsBefore) ? begins("suspend_compute") : result.operations.length > 0) {
    // This change's operations replace the failed ones.
    progress.book = { ...progress.book, operations: [] };
  } else if (bad.length === 0) {
    // No differences: a killed run may have sent them before, and its operations may have failed since.
    const earlier = await waitForEarlier(context, target, isDisabled(step));
    progress.book = { ...progress.book, operations: earlier.operations };
    if (earlier.error) result = { ...result, error: earlier.error };
  }

  ({ state: progress.state } = await settle(context, result, {
    inputs: beforeTrigger(request),
    sent: changed,
    book: progress.book,
  }));
  progress.book = bookkeepingOf(progress.state);
}

/** Restarts the endpoint for a new trigger, unless the change did, or repairs what a failed operation left undone. */
async function restartIfAsked(context: Context, step: Step, progress: Progress): Promise<void> {
  const { request, target, found } = step;
  // A disabled endpoint has nothing to restart, but may still have to be suspended.
  const isAsked = found.restartTrigger !== undefined && !progress.isRestarted && !isDisabled(step);
  const repair = repairOf(progress.state, request.inputs);
  if (!isAsked && !repair) return;

  const result = await repairs[isAsked || !repair ? "restarted" : repair](context, target);
  progress.isTouched = true;
  progress.seen.push(...result.seen);
  progress.state = stateOf(result.endpoint, beforeTrigger(request), progress.book);
  assertEnded(request.id, progress.state, result);
}

/** The inputs with the old trigger, for the state of an unfinished update. */
function beforeTrigger({ inputs, state }: UpdateRequest): EndpointInputs {
  const { restartTrigger: _, ...others } = inputs;
  return { ...others, restartTrigger: state.restartTrigger as string | undefined };
}

function isDisabled({ request: { inputs }, seen }: Step): boolean {
  return inputs.disabled ?? seen.disabled === true;
}

function targetOf(id: string, seen: EndpointState, inputs: EndpointInputs): Target {
  return { ...parseId(id), branchId: String(seen.branchId ?? inputs.branchId) };
}

/** Sends the named properties at their moment and waits for the operations (specification, section 4.5). */
export async function patch(context: Context, { record, inputs, changed }: Patch): Promise<ChangedEndpoint> {
  const { projectId, id: endpointId, branchId, disabled } = record;
  const target: Target = { projectId, endpointId, branchId };
  const body = await withOtherSettings(context, target, toBody(inputs, changed));

  return withLimitAdvice(context, { inputs, sent: changed }, () =>
    changeEndpoint(context, target, {
      branchIds: [branchId, inputs.branchId],
      // A disabled endpoint has no connections to cut.
      mayCut: disabled !== true && mayCut(changed, inputs),
      send: (options) => context.account.api.updateEndpoint(projectId, endpointId, body, options),
      isMade: ({ endpoint }) => isApplied(endpoint, inputs, changed),
    }),
  );
}

/** Adds the unmanaged settings to the body, as it is undocumented whether the platform merges `settings`. */
async function withOtherSettings(
  context: Context,
  { projectId, endpointId }: Target,
  body: EndpointBody,
): Promise<EndpointBody> {
  if (body.pgSettings === undefined && body.preloadLibraries === undefined) return body;
  const { cache } = context.account.project(projectId);
  const seen = cache.lastSeen(endpointId);
  // A list without settings does not show the others.
  if (body.preloadLibraries === undefined && seen?.pgSettings !== undefined && !seen.otherSettings) return body;
  const record = await cache.readById(endpointId, requestOptions(context));
  const { pgSettings, otherSettings } = record ?? {};
  return { ...(pgSettings && { pgSettings }), ...body, ...(otherSettings && { otherSettings }) };
}

/** Reads an earlier run's operations and waits for the open ones. Returns the state, and the failed operations. */
async function resume(
  context: Context,
  { id, state }: UpdateRequest,
): Promise<{ state: EndpointState; bad: KeptOperation[] }> {
  const book = bookkeepingOf(state);
  if (!book.operations) return { state, bad: [] };
  const { projectId, endpointId } = parseId(id);
  const { api } = context.account;

  const seen = await lookAgain(context, projectId, book.operations);
  const outcome = ({ now }: SeenAgain) => (now === "vanished" ? "failed" : outcomeOf(now, api.platformNow()));
  const failed = seen.filter((one) => outcome(one) === "failed").map(latestOf);
  const open = seen.flatMap((one) => (one.now !== "vanished" && outcome(one) === "open" ? one.now : []));

  // One by one: a failure does not decide the others.
  const ends = await Promise.all(open.map((operation) => waitFor(context, projectId, [operation])));
  // Failed operations of the last run: this one makes the change again.
  const endedBadly = ({ error }: WaitResult) => isKind(error, "operation_failed", "operation_vanished");
  const bad = keep([...failed, ...ends.filter(endedBadly).flatMap((one) => one.seen)]);

  const unended = ends.filter((one) => one.error && !endedBadly(one));
  if (unended[0]?.error) {
    const operations = [...bad, ...keep(unended.flatMap((one) => one.seen))];
    throw partial(id, withBookkeeping(state, { ...book, operations }), unended[0].error);
  }
  const record = await context.account.project(projectId).cache.readById(endpointId, requestOptions(context));
  if (!record) throw goneError({ projectId, endpointId });
  return { state: { ...state, ...toState(withSentSpelling(record, state, book.spelled)) }, bad };
}

/**
 * Waits for the newest change of an endpoint, by anyone. Returns operations that may have left the old configuration,
 * or an error.
 */
async function waitForEarlier(
  context: Context,
  target: Target,
  disabled: boolean,
): Promise<{ operations: KeptOperation[]; error?: PgComputeError | undefined }> {
  // A failed suspend of the platform itself matters only if the program disables the endpoint.
  const begun = await begunSince(context, target, undefined, { isChange: !disabled });
  const { seen, error } = await waitFor(context, target.projectId, begun.filter(mayRunAsBefore));
  return { operations: keep(seen), error: isKind(error, "operation_failed", "operation_vanished") ? undefined : error };
}
