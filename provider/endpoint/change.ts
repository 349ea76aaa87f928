/**
 * The one verb, of which create, update, suspend, start and delete are forms (specification, sections 4.3, 4.5, 4.6 and 4.7). A change
 * is sent through the project's queue. After a lost answer the platform is read before the change is repeated. Then its operations are
 * waited for.
 */
import {
  HttpError,
  isAnswerLost,
  isKind,
  mayBeCreated,
  OutcomeUnknownError,
  PartialError,
  PgComputeError,
} from "../platform/errors";
import type { RequestOptions } from "../platform/http/request";
import { lost as policy } from "../platform/policy";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { EndpointChange } from "../platform/records";
import { type Outcome, until } from "../platform/until";
import { type Context, requestOptions, waitBounds, waitTimeoutMs } from "./context";
import { type EndpointIdentity, formatId } from "./identity";
import { atMoment, type BeforeAttempt } from "./moment";
import type { EndpointProperty } from "./properties";
import { findMade, lookInTime, type Target } from "./recovery";
import { waitFor } from "./wait-for";

/** The status of a change that the account's plan does not allow (recorded 2024 to 2026). */
const REFUSED_BY_PLAN = 412;

/** The platform's answer to a change: the endpoint after the change (absent after a delete) and the started operations. */
export type ChangeAnswer = Pick<EndpointChange, "operations"> & Partial<EndpointChange>;

/** A change to make. */
export interface ChangeRequest<A extends ChangeAnswer> {
  projectId: string;
  /** Absent for a create. A repeated create would make a second endpoint, so the first is searched for after a 503 too. */
  endpointId?: string | undefined;
  /** The branches that it touches: operations there may have to end first. */
  branchIds: readonly string[];
  /** Runs right before each attempt. Its error ends the change and never counts as a lost answer. */
  beforeAttempt?: BeforeAttempt | undefined;
  /** One attempt. */
  send(options: RequestOptions): Promise<A>;
  /**
   * After a lost answer, finds out whether the attempt was made; undefined if not. `sinceMs` is the platform's time
   * before the first lost attempt, if known. `isMade` is true if a repeat found nothing left to do.
   */
  recover(error: PgComputeError, sinceMs: number | undefined, isMade: boolean): Promise<A | undefined>;
}

/** A change that was made, and how its operations ended. */
export type Changed<A extends ChangeAnswer> = A &
  WaitResult & {
    /** True if an answer was lost, so that the change may have been made more than once. */
    wasLost: boolean;
  };

/** A change of an endpoint that is there, and the endpoint as it then is. */
export type ChangedEndpoint = Changed<EndpointChange>;

/** Makes a change and waits until its operations have ended, however. Throws `OutcomeUnknownError` where it may have been made. */
export async function change<A extends ChangeAnswer>(context: Context, request: ChangeRequest<A>): Promise<Changed<A>> {
  const { projectId, endpointId } = request;
  const { cache, changes } = context.account.project(projectId);
  const lost = new LostAnswers(request);

  const finish = async (answer: A): Promise<Changed<A>> => {
    if (answer.endpoint) cache.put(answer.endpoint);
    else if (endpointId !== undefined) cache.remove(endpointId);
    const waited = await waitFor(context, projectId, answer.operations);
    return { ...answer, ...waited, wasLost: lost.count > 0 };
  };
  const attempt = async () => finish(await sendUntilAnswered(context, request, lost));

  try {
    return await changes.run(request, attempt, waitBounds(context)).catch(async (error: unknown) => {
      const made = lost.isUnread && error instanceof PgComputeError ? await lost.recover(error) : undefined;
      if (!made) throw error;
      return finish(made);
    });
  } catch (error) {
    // It may be the branch to move to that does not exist, and not the endpoint.
    const mayBeGone = endpointId !== undefined && isKind(error, "not_found") && error.remedy === undefined;
    if (mayBeGone && !(await lookInTime(context, (late) => cache.readById(endpointId, requestOptions(late))))) {
      throw goneError({ projectId, endpointId }, error);
    }
    if (lost.count === 0 || error instanceof PartialError || !(error instanceof PgComputeError)) throw error;
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
  const attempt = (beforeAttempt?: BeforeAttempt) =>
    change(context, {
      projectId,
      endpointId,
      branchIds,
      beforeAttempt,
      send,
      recover: (_, sinceMs, wasMade) =>
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

/** Sends a change until it has an answer. Before each repeat the platform is read: the lost attempt may have made the change. */
async function sendUntilAnswered<A extends ChangeAnswer>(
  context: Context,
  request: ChangeRequest<A>,
  lost: LostAnswers<A>,
): Promise<A> {
  const { clock, api } = context.account;
  const deadlineMs = Math.min(clock.now() + waitTimeoutMs(context), context.deadlineMs ?? Number.POSITIVE_INFINITY);

  const attempt = async (): Promise<A> => {
    const made = lost.last && (await lost.recover(lost.last));
    if (made) return made;
    if (lost.last && context.signal.aborted) throw lost.last;

    const onAttempt = () => lost.attempted(api.platformTime());
    const bounds = { ...requestOptions(context), onAttempt };
    const options = request.beforeAttempt ? await request.beforeAttempt(bounds) : bounds;
    const answer = await request.send(options).catch((error: unknown) => {
      lost.failed(error);
      throw error;
    });

    // A repeat that begins no operation changed nothing: those of the lost attempt are to be waited for.
    const isInVain = request.endpointId !== undefined && answer.operations.length === 0;
    return (lost.last && isInVain && (await lost.recover(lost.last, true))) || answer;
  };
  const again = ({ error }: Outcome<A>) => {
    if (error === undefined || error !== lost.last || lost.count >= policy.mostAnswers) return undefined;
    const asked = error instanceof HttpError ? error.retryAfterMs : undefined;
    return { ms: asked ?? policy.firstPauseMs * 2 ** (lost.count - 1), reason: lost.last.summary };
  };
  return until({ clock, deadlineMs, signal: context.signal, onWait: context.reporter.status }, attempt, again);
}

/** The lost answers of one change. They outlive a 423: the operation that locks the branch may be the lost attempt's. */
class LostAnswers<A extends ChangeAnswer> {
  count = 0;
  /** The error of the last lost answer. */
  last: PgComputeError | undefined;
  /** True if an attempt was made since the platform was last read. */
  isUnread = false;
  /** The platform's time before the first lost attempt. Older operations are not this change's. */
  #sinceMs: number | undefined;

  constructor(private readonly request: ChangeRequest<A>) {}

  /** Notes the platform's time right before an attempt. */
  attempted(platformMs: number | undefined): void {
    if (this.count === 0) this.#sinceMs = platformMs;
  }

  /** Counts a failed attempt if the platform may have made the change. */
  failed(error: unknown): void {
    const isCreate = this.request.endpointId === undefined;
    const isUnsure = error instanceof PgComputeError && (isCreate ? mayBeCreated(error) : isAnswerLost(error));
    if (isUnsure) {
      this.count += 1;
      this.last = error;
    }
    // After a create that was lost, a 409 may be about the endpoint that it made.
    this.isUnread = this.count > 0;
  }

  /** Reads the platform for the change. `isMade` is true if a repeat found nothing left to do. */
  recover(error: PgComputeError, isMade = false): Promise<A | undefined> {
    this.isUnread = false;
    return this.request.recover(error, this.#sinceMs, isMade);
  }
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
