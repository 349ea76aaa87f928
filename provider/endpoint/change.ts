/**
 * The one verb behind create, update, suspend, start and delete (specification, sections 4.3, 4.5, 4.6 and 4.7): sends
 * a change through the project's queue, reads the platform before a repeat after a lost answer, then waits for the
 * operations.
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
import { limitsOf } from "../platform/profiles/profiles";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { EndpointChange, OperationRecord } from "../platform/records";
import { type Outcome, until } from "../platform/until";
import { type Context, requestOptions, waitBounds, waitTimeoutMs } from "./context";
import { type EndpointIdentity, formatId } from "./identity";
import { atMoment, type BeforeAttempt } from "./moment";
import type { EndpointProperty } from "./properties";
import { findMade, lookInTime, type Target } from "./recovery";
import { type SizeInputs, sizeNames } from "./rules/size";

/** The status of a change that the account's plan does not allow (recorded 2024 to 2026). */
const REFUSED_BY_PLAN = 412;

/** The platform's answer to a change: the changed endpoint (absent after a delete) and the started operations. */
export type ChangeAnswer = Pick<EndpointChange, "operations"> & Partial<EndpointChange>;

/** A change to make. */
export interface ChangeRequest<A extends ChangeAnswer> {
  projectId: string;
  /** Absent for a create. A repeated create would make a second endpoint, so the first is looked up after a 503 too. */
  endpointId?: string | undefined;
  /** The branches of the change, where open operations may have to end first. */
  branchIds: readonly string[];
  /** Called right before each attempt. Its error ends the change and never counts as a lost answer. */
  beforeAttempt?: BeforeAttempt | undefined;
  /** Makes one attempt. */
  send(options: RequestOptions): Promise<A>;
  /**
   * After a lost answer, finds out whether the attempt was made; undefined if not. `isMade`: a repeat found nothing
   * left to do.
   */
  recover(error: PgComputeError, sinceMs: number | undefined, isMade: boolean): Promise<A | undefined>;
}

/** A change that was made, and the end of its operations. */
export type Changed<A extends ChangeAnswer> = A & WaitResult;

/** A change of an existing endpoint, and the endpoint after it. */
export type ChangedEndpoint = Changed<EndpointChange>;

/**
 * Makes a change and waits for its operations, successful or not. Throws `OutcomeUnknownError` if the change may have
 * been made.
 */
export async function change<A extends ChangeAnswer>(context: Context, request: ChangeRequest<A>): Promise<Changed<A>> {
  const { projectId, endpointId } = request;
  const { cache, changes } = context.account.project(projectId);
  const lost = new LostAnswers(request);

  const finish = async (answer: A): Promise<Changed<A>> => {
    if (answer.endpoint) cache.put(answer.endpoint);
    else if (endpointId !== undefined) cache.remove(endpointId);
    const waited = await waitFor(context, projectId, answer.operations);
    return { ...answer, ...waited };
  };
  const attempt = async () => finish(await sendUntilAnswered(context, request, lost));

  try {
    return await changes.run(request, attempt, waitBounds(context)).catch(async (error: unknown) => {
      const made = lost.isUnread && error instanceof PgComputeError ? await lost.recover(error) : undefined;
      if (!made) throw error;
      return finish(made);
    });
  } catch (error) {
    // The missing object may be the target branch, not the endpoint.
    const mayBeGone = endpointId !== undefined && isKind(error, "not_found") && error.remedy === undefined;
    if (mayBeGone && !(await lookInTime(context, (late) => cache.readById(endpointId, requestOptions(late))))) {
      throw goneError({ projectId, endpointId }, error);
    }
    if (lost.count === 0 || error instanceof PartialError || !(error instanceof PgComputeError)) throw error;
    throw new OutcomeUnknownError(error);
  }
}

/**
 * Changes an existing endpoint. `isMade` decides after a lost answer whether the change was made. Default branch: its
 * own.
 */
export function changeEndpoint(
  context: Context,
  { projectId, endpointId, branchId }: Target,
  request: {
    send: ChangeRequest<EndpointChange>["send"];
    isMade: (seen: EndpointChange) => boolean;
    branchIds?: readonly string[];
    /** True for a change that may cut connections; it is made at its moment. */
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

/** The error for an endpoint of the state that the platform no longer has. */
export function goneError(identity: EndpointIdentity, cause?: PgComputeError): PgComputeError {
  return new PgComputeError(
    "not_found",
    `endpoint ${formatId(identity)} no longer exists: somebody has deleted it on the platform`,
    { cause, remedy: { kind: "gone" } },
  );
}

/**
 * Sends a change until it has an answer. Reads the platform before each repeat: the lost attempt may have made the
 * change.
 */
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

    // A repeat without operations changed nothing: wait for the lost attempt's.
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

/** The lost answers of one change. They survive a 423: the lost attempt's own operation may lock the branch. */
class LostAnswers<A extends ChangeAnswer> {
  count = 0;
  /** The error of the last lost answer. */
  last: PgComputeError | undefined;
  /** True if an attempt was made after the platform was last read. */
  isUnread = false;
  /** The platform's time before the first lost attempt. Older operations are not this change's. */
  #sinceMs: number | undefined;

  constructor(private readonly request: ChangeRequest<A>) {}

  /** Records the platform's time right before an attempt. */
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
    // After a lost create, a 409 may be about its own endpoint.
    this.isUnread = this.count > 0;
  }

  /** Reads the platform for the change. `isMade`: a repeat found nothing left to do. */
  recover(error: PgComputeError, isMade = false): Promise<A | undefined> {
    this.isUnread = false;
    return this.request.recover(error, this.#sinceMs, isMade);
  }
}

/** Waits until operations have ended. The resource's row shows the open operation and the elapsed time. */
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
      // The engine's display cuts a row at the terminal's width.
      const status = operation.status === "running" ? "" : ` ${operation.status}`;
      const line = `${operation.action}${status}, ${Math.round(elapsedMs / 1_000)} s`;
      // Each line is a call of the engine, and polls are several a second.
      if (said.get(operation.id) === line) return;
      said.set(operation.id, line);
      context.reporter.status(line);
    },
  });

  // The last line stays on the row of a finished change, and must not claim a wait.
  if (waitedFor && !result.error) context.reporter.status(`${waitedFor.action} done`);
  const starts = result.seen.filter(({ action }) => action === "start_compute");
  return { ...result, ...limited(context, result, starts) };
}

/** The message that an endpoint, or several members, will start at the first connection. */
export function skippedStartsMessage({ account }: Pick<Context, "account">, members?: number): string {
  const { platform, activeComputes } = account.settings.profile;
  const isOne = members === undefined || members === 1;
  const who = members === undefined ? "" : `${members} ${isOne ? "member" : "members"} `;
  const limit =
    activeComputes === undefined ? "" : `; ${platform} has at most ${activeComputes} of a project active at a time`;
  const their = isOne ? "its" : "their";
  return `${who}${isOne ? "starts" : "start"} at ${their} first connection: the platform has skipped ${their} start${limit}`;
}

/**
 * The error of a failed start, with the platform's limit on active computes as a possible reason: its answer then is
 * not published.
 */
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

/**
 * Suspends an endpoint at its moment, then starts it, also one that was suspended, and waits for both (specification,
 * section 3.3: ways to restart).
 */
export async function restart(context: Context, target: Target): Promise<ChangedEndpoint> {
  const suspended = await suspend(context, target);
  if (suspended.error) return suspended;
  const started = await start(context, target);
  return { ...started, seen: [...suspended.seen, ...started.seen] };
}

/** Suspends an endpoint at its moment and waits for the operations. */
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

/** Starts an endpoint and waits for the operations. */
export function start(context: Context, target: Target): Promise<ChangedEndpoint> {
  return changeEndpoint(context, target, {
    send: (options) => context.account.api.startEndpoint(target.projectId, target.endpointId, options),
    isMade: ({ endpoint, operations }) =>
      operations.some(({ action }) => action === "start_compute") || endpoint.currentState === "active",
  });
}

/**
 * Makes a change that sends these properties. Explains a refusal that the platform does not: of a delay on a plan that
 * fixes it (published), and of a size that only a configured limit allows.
 */
export async function withLimitAdvice<T>(
  { account: { settings } }: Context,
  { inputs, sent }: { inputs: SizeInputs; sent: readonly EndpointProperty[] },
  make: () => Promise<T>,
): Promise<T> {
  try {
    return await make();
  } catch (error) {
    const remedy = error instanceof HttpError ? remedyFor(error, inputs, sent, settings) : undefined;
    if (!(error instanceof HttpError) || remedy === undefined) throw error;
    throw new PgComputeError(error.kind, error.summary, { cause: error, remedy });
  }
}

function remedyFor(
  { status, kind, plan }: HttpError,
  inputs: SizeInputs,
  sent: readonly EndpointProperty[],
  settings: Context["account"]["settings"],
): Remedy | undefined {
  if (status === REFUSED_BY_PLAN && sent.includes("suspendTimeoutSeconds")) return { kind: "fixed_delay", plan };
  const { largestCu } = limitsOf(settings.profile, settings.plan);
  const isLarge = sizeNames.some((name) => sent.includes(name) && Number(inputs[name]) > largestCu);
  return kind === "invalid_request" && isLarge ? { kind: "size_limit", largestCu } : undefined;
}
