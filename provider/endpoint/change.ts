/**
 * The one verb: a change is sent through the project's queue; where its answer is lost, the platform is looked at before
 * anything is repeated; then the operations that it began are waited for. Create, update, suspend, start and delete are
 * all of this form (specification, sections 4.3, 4.5, 4.6 and 4.7).
 */

import {
  HttpError,
  isAnswerLost,
  isKind,
  mayBeCreated,
  OperationError,
  OutcomeUnknownError,
  PartialError,
  PgComputeError,
  type Remedy,
} from "../platform/errors";
import type { RequestOptions } from "../platform/http/request";
import { lost as policy } from "../platform/policy";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { EndpointChange, OperationRecord } from "../platform/records";
import { type Outcome, until } from "../platform/until";
import { type Context, requestOptions, waitBounds, waitTimeoutMs } from "./context";
import { type EndpointIdentity, formatId } from "./identity";
import { atMoment, type Look } from "./moment";
import type { EndpointProperty } from "./properties";
import { findMade, lookInTime, type Target } from "./recovery";

/** The status of a change that the account's plan does not allow (recorded 2024 to 2026). */
const REFUSED_BY_PLAN = 412;

/** The platform's answer to a change: the endpoint after the change (absent after a delete) and the started operations. */
export type ChangeAnswer = Pick<EndpointChange, "operations"> & Partial<EndpointChange>;

/** A change to make. */
export interface ChangeRequest<A extends ChangeAnswer> {
  projectId: string;
  /** Absent for a create. A repeated create would make a second endpoint, so it also looks for the first one after a 503. */
  endpointId?: string | undefined;
  /** The branches that it touches: operations there may have to end first. */
  branchIds: readonly string[];
  /** Runs right before each attempt. An error of this check ends the change and never counts as a lost answer. */
  look?: Look | undefined;
  /** One attempt. */
  send(options: RequestOptions): Promise<A>;
  /**
   * After a lost answer, finds out whether the attempt was made; undefined if not. `sinceMs` is the platform's time
   * before the first lost attempt, if known. `isMade` is true if a repeat found nothing left to do.
   */
  find(error: PgComputeError, sinceMs: number | undefined, isMade: boolean): Promise<A | undefined>;
}

/** A change that was made, and how its operations ended. */
export type Changed<A extends ChangeAnswer> = A &
  WaitResult & {
    /** True if an answer was lost, so that the change may have been made more than once. */
    wasLost: boolean;
  };

/** A change of an endpoint that is there, and the endpoint as it then is. */
export type ChangedEndpoint = Changed<EndpointChange>;

/** Attempts whose answer was lost, what was wrong with the last of them, and the platform's time right before the first of them. */
interface Lost {
  answers: number;
  error?: PgComputeError;
  sinceMs?: number | undefined;
  /** True if an attempt was made since the last lookup. */
  isUnseen: boolean;
}

/** A look whether an attempt was made whose answer was lost. */
type Find<A> = (error: PgComputeError, isMade?: boolean) => Promise<A | undefined>;

/** Makes a change and waits until its operations have ended, however. Throws `OutcomeUnknownError` where it may have been made. */
export async function change<A extends ChangeAnswer>(context: Context, request: ChangeRequest<A>): Promise<Changed<A>> {
  const { projectId, endpointId } = request;
  const { cache, changes } = context.account.project(projectId);
  const lost: Lost = { answers: 0, isUnseen: false };
  const find: Find<A> = (error, isMade = false) => {
    lost.isUnseen = false;
    return request.find(error, lost.sinceMs, isMade);
  };
  const finish = async (answer: A): Promise<Changed<A>> => {
    if (answer.endpoint) cache.put(answer.endpoint);
    else if (endpointId !== undefined) cache.remove(endpointId);
    const waited = await waitFor(context, projectId, answer.operations);
    return { ...answer, ...waited, wasLost: lost.answers > 0 };
  };
  const attempt = async () => finish(await send(context, request, lost, find));
  try {
    return await changes.run(request, attempt, waitBounds(context)).catch(async (error: unknown) => {
      const made = lost.isUnseen && error instanceof PgComputeError ? await find(error) : undefined;
      if (!made) throw error;
      return finish(made);
    });
  } catch (error) {
    // It may be the branch to move to that does not exist, and not the endpoint.
    const mayBeGone = endpointId !== undefined && isKind(error, "not_found") && error.remedy === undefined;
    if (mayBeGone && !(await lookInTime(context, (late) => cache.confirm(endpointId, requestOptions(late))))) {
      throw goneError({ projectId, endpointId }, error);
    }
    if (lost.answers === 0 || error instanceof PartialError || !(error instanceof PgComputeError)) throw error;
    throw new OutcomeUnknownError(error);
  }
}

/** Changes an endpoint that is there, on its branch or those named. `isMade` tells, where an answer was lost, whether it was made all the same. */
export function changeEndpoint(
  context: Context,
  { projectId, endpointId, branchId }: Target,
  request: {
    send: ChangeRequest<EndpointChange>["send"];
    isMade: (seen: EndpointChange) => boolean;
    branchIds?: readonly string[];
    /** True for a change that may cut connections: it is made at its moment. */
    mayCut?: boolean;
  },
): Promise<ChangedEndpoint> {
  const { send, isMade, branchIds = [branchId], mayCut } = request;
  const attempt = (look?: Look) =>
    change(context, {
      projectId,
      endpointId,
      branchIds,
      look,
      send,
      find: (_, sinceMs, wasMade) =>
        findMade(context, { projectId, endpointId, sinceMs }, (seen) => wasMade || isMade(seen)),
    });
  return mayCut ? atMoment(context, { projectId, endpointId, branchId }, attempt) : attempt();
}

/** The error for an endpoint that is in the state and not on the platform. */
export function goneError(identity: EndpointIdentity, cause?: PgComputeError): PgComputeError {
  return new PgComputeError(
    "not_found",
    `endpoint ${formatId(identity)} no longer exists: somebody has deleted it on the platform`,
    { cause, remedy: { kind: "gone" } },
  );
}

/** Waits for operations that the platform returned, saying which and for how long on the resource's own row. */
export async function waitFor(
  context: Context,
  projectId: string,
  operations: readonly OperationRecord[],
): Promise<WaitResult> {
  let waitedFor: OperationRecord | undefined;
  const said = new Map<string, string>();
  const result = await context.account.project(projectId).waiter.wait(operations, {
    ...waitBounds(context),
    onProgress: ({ operation, elapsedMs }) => {
      waitedFor = operation;
      // A row of the engine's display is cut at the terminal's width.
      const status = operation.status === "running" ? "" : ` ${operation.status}`;
      const line = `${operation.action}${status}, ${Math.round(elapsedMs / 1_000)} s`;
      // There are several looks a second, and each line is a call of the engine.
      if (said.get(operation.id) === line) return;
      said.set(operation.id, line);
      context.reporter.status(line);
    },
  });
  // The last line stays on the row of a change that is done, and must not say that somebody waits.
  if (waitedFor && !result.error) context.reporter.status(`${waitedFor.action} done`);
  const starts = result.seen.filter(({ action }) => action === "start_compute");
  if (starts.some(({ status }) => status === "skipped")) context.onStartSkipped?.();
  return { ...result, ...limited(context, result, starts) };
}

/** That an endpoint starts at its first connection, or so many members do, and why that may be. */
export function skippedStartsMessage({ account }: Pick<Context, "account">, members?: number): string {
  const { platform, activeComputes } = account.settings.profile;
  const isOne = members === undefined || members === 1;
  const who = members === undefined ? "" : `${members} ${isOne ? "member" : "members"} `;
  const limit =
    activeComputes === undefined ? "" : `; ${platform} has at most ${activeComputes} of a project active at a time`;
  const their = isOne ? "its" : "their";
  return `${who}${isOne ? "starts" : "start"} at ${their} first connection: the platform has skipped ${their} start${limit}`;
}

/** The error of a start with the platform's limit on active computes, which may be why: what it answers then is not published. */
function limited(
  { account }: Context,
  { error }: WaitResult,
  starts: readonly OperationRecord[],
): Pick<WaitResult, "error"> {
  const { platform, activeComputes: limit } = account.settings.profile;
  if (limit === undefined || !(error instanceof OperationError) || error.kind !== "operation_failed") return {};
  const start = starts.find(({ id }) => id === error.operationId);
  if (!start) return {};
  const remedy: Remedy = { kind: "active_limit", platform, limit };
  return { error: new OperationError(error.kind, error.summary, start, { remedy }) };
}

/** Sends until there is an answer, and looks before each repeat. `lost` outlives a 423: what stood in the way may be the lost attempt's. */
async function send<A extends ChangeAnswer>(
  context: Context,
  request: ChangeRequest<A>,
  lost: Lost,
  find: Find<A>,
): Promise<A> {
  const { clock, api } = context.account;
  const isCreate = request.endpointId === undefined;
  const deadlineMs = Math.min(clock.now() + waitTimeoutMs(context), context.deadlineMs ?? Number.POSITIVE_INFINITY);
  // Operations from before the first attempt that was lost are not this change's.
  const onAttempt = () => {
    if (lost.answers === 0) lost.sinceMs = api.platformTime();
  };
  const attempt = async (): Promise<A> => {
    const made = lost.error && (await find(lost.error));
    if (made) return made;
    if (lost.error && context.signal.aborted) throw lost.error;
    const bounds = { ...requestOptions(context), onAttempt };
    const options = request.look ? await request.look(bounds) : bounds;
    const answer = await request.send(options).catch(noteLost);
    // A repeat that begins no operation changed nothing: those of the lost attempt are to be waited for.
    const wasInVain = lost.error && !isCreate && answer.operations.length === 0;
    return (wasInVain && (await find(lost.error as PgComputeError, true))) || answer;
  };
  const noteLost = (error: unknown): never => {
    const isUnsure = error instanceof PgComputeError && (isCreate ? mayBeCreated(error) : isAnswerLost(error));
    if (isUnsure) {
      lost.answers += 1;
      lost.error = error;
    }
    // After a create that was lost, a 409 may be about the endpoint that it made.
    lost.isUnseen = lost.answers > 0;
    throw error;
  };
  const again = ({ error }: Outcome<A>) => {
    if (error === undefined || error !== lost.error || lost.answers >= policy.mostAnswers) return undefined;
    const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
    return { ms: asked ?? policy.firstPauseMs * 2 ** (lost.answers - 1), reason: lost.error.summary };
  };
  return until({ clock, deadlineMs, signal: context.signal, onWait: context.reporter.status }, attempt, again);
}

/** Suspends an endpoint at its moment, then starts it, waiting for both (specification, section 3.3: ways to restart). */
export async function restart(context: Context, target: Target): Promise<ChangedEndpoint> {
  const suspended = await suspend(context, target);
  if (suspended.error) return suspended;
  const started = await start(context, target);
  return { ...started, seen: [...suspended.seen, ...started.seen] };
}

/** Suspends an endpoint at its moment and waits. */
export function suspend(context: Context, target: Target): Promise<ChangedEndpoint> {
  return changeEndpoint(context, target, {
    mayCut: true,
    send: (options) => context.account.api.suspendEndpoint(target.projectId, target.endpointId, options),
    isMade: ({ endpoint, operations }) => {
      const state = endpoint.pendingState ?? endpoint.currentState;
      return operations.some(({ action }) => action === "suspend_compute") || state === "idle" || state === "stopped";
    },
  });
}

/** Starts an endpoint and waits. */
export function start(context: Context, target: Target): Promise<ChangedEndpoint> {
  return changeEndpoint(context, target, {
    send: (options) => context.account.api.startEndpoint(target.projectId, target.endpointId, options),
    isMade: ({ endpoint, operations }) =>
      operations.some(({ action }) => action === "start_compute") || endpoint.currentState === "active",
  });
}

/** Makes a change that carries these properties. A plan that fixes the delay refuses each that carries one, without saying so (published). */
export async function explained<T>(sent: readonly EndpointProperty[], make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    const isRefused = error instanceof HttpError && error.status === REFUSED_BY_PLAN;
    if (!isRefused || !sent.includes("suspendTimeoutSeconds")) throw error;
    const { kind, summary, plan } = error;
    throw new PgComputeError(kind, summary, { cause: error, remedy: { kind: "fixed_delay", plan } });
  }
}
