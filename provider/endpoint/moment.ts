/**
 * The moment at which a change that may cut connections is sent: where the program asks for that, once the platform shows the endpoint
 * idle; and where others hold such changes back, once it has its place among them.
 */
import { plain } from "../lib/wording";
import type { RequestOptions } from "../platform/api";
import { CancelledError, isKind, isTransient, OutcomeUnknownError, PgComputeError } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { type Context, requestOptions } from "./context";
import { formatId } from "./identity";
import { type EndpointInputs, type EndpointProperty, type PropertyEffect, propertyOf } from "./properties";
import type { Target } from "./recovery";
import type { EndpointState } from "./state";

/** What a change that may cut connections waits for. */
export interface Moment {
  isIdle: boolean;
  /** The moment of the clock, in milliseconds, at which it has waited long enough. */
  untilMs: number;
}

/** The look right before one attempt: gives the options to send it with. Throws `in_use`, and what the platform answers. */
export type Look = (options: RequestOptions) => Promise<RequestOptions>;

/** All who wait in a project look at the same list this often, in milliseconds; a look that is older counts for nothing. */
export const LOOK_MS = 10_000;

/** How long a change waits for an idle moment where the user has not said, in milliseconds. */
const WAIT_MS = 600_000;

const cutting: readonly PropertyEffect[] = ["restart", "move", "suspend", "not stated"];

/** The context of changes at their moment: the user's bound is that of the wait for an idle one, and operations have the configured one. */
export function withMoment(context: Context, { restartWhen }: Pick<EndpointInputs, "restartWhen">): Context {
  const { timeoutMs = WAIT_MS, deadlineMs = context.account.clock.now() + timeoutMs } = context;
  const isIdle = restartWhen === "idle";
  const moment = { isIdle, untilMs: deadlineMs };
  return { ...context, moment, ...(isIdle && { timeoutMs: undefined, deadlineMs: undefined }) };
}

/** True where a change of these properties restarts, moves or suspends a running endpoint, or where nobody says that it does not. */
export function mayCut(names: readonly EndpointProperty[], inputs: Partial<Pick<EndpointInputs, "disabled">>): boolean {
  return names.some((name) => cutting.includes(propertyOf(name).effect) && (name !== "disabled" || inputs.disabled));
}

/** True for a change that may wait for an idle moment, of an endpoint that stays on its branch. */
export function waitsInPlace({ restartWhen, branchId }: EndpointInputs, state: EndpointState): boolean {
  return restartWhen === "idle" && branchId === state.branchId;
}

/**
 * Makes a change at its moment. Where the endpoint is no longer idle by the look before an attempt, or that look has failed for now, nothing
 * is sent, and the wait goes on. Throws `in_use` when the time is over: then nothing was sent, unless an answer was lost on the way.
 */
export async function atMoment<T>(context: Context, target: Target, attempt: (look?: Look) => Promise<T>): Promise<T> {
  const { moment } = context;
  if (!moment?.isIdle) {
    await context.hold?.enter();
    return attempt();
  }
  const { untilMs } = moment;
  const { clock } = context.account;
  let lost = false;
  for (;;) {
    let failed: unknown;
    const look: Look = (options) =>
      lookFirst(context, target, options).catch((error: unknown) => {
        failed = error;
        throw error;
      });
    const inUse = await untilIdle(context, target, untilMs);
    if (inUse) throw lost ? new OutcomeUnknownError(inUse) : inUse;
    await context.hold?.enter();
    try {
      return await attempt(look);
    } catch (error) {
      const isInUse = isKind(error, "in_use");
      if (!isInUse && (error !== failed || !isTransient(error) || clock.now() >= untilMs)) throw error;
      lost ||= error instanceof OutcomeUnknownError;
      if (!isInUse) await untilNextRound(context, untilMs);
    }
  }
}

/** Waits for an idle moment, outside of any queue. Gives the error where the time is over first. */
async function untilIdle(context: Context, target: Target, untilMs: number): Promise<PgComputeError | undefined> {
  const { clock } = context.account;
  const beganMs = clock.now();
  for (;;) {
    context.hold?.waits();
    // All who wait wake at the same moments, so that one list serves them.
    const roundMs = Math.floor(clock.now() / LOOK_MS) * LOOK_MS;
    const { seen, failed } = await look(context, target, roundMs);
    const isOver = clock.now() >= untilMs;
    if (failed && (isOver || !isTransient(failed))) throw failed;
    if (!failed && (!seen || isResting(seen))) return undefined;
    if (seen && isOver) return inUseError(target, seen, clock.now() - beganMs);
    if (seen)
      context.reporter.status(`waits until idle: ${activityOf({ ...seen, startedAt: undefined }, clock.now())}`);
    await untilNextRound(context, untilMs);
  }
}

/** Sleeps until all who wait look again. */
async function untilNextRound({ account: { clock }, signal }: Context, untilMs: number): Promise<void> {
  const nowMs = clock.now();
  await clock.sleep(Math.max(0, Math.min(LOOK_MS - (nowMs % LOOK_MS), untilMs - nowMs)), signal).catch(() => {});
  if (signal.aborted) throw new CancelledError();
}

/** The endpoint by the list that all share, or by its id where lists do not tell its state; nothing where it has gone, which the change finds out. */
async function look(
  { account, signal }: Context,
  { projectId, endpointId }: Target,
  sinceMs: number,
): Promise<{ seen?: EndpointRecord | undefined; failed?: unknown }> {
  const { cache } = account.project(projectId);
  try {
    const listed = (await cache.snapshot({ sinceMs, signal })).find(endpointId);
    const isTold = listed === undefined || listed.currentState !== undefined;
    return { seen: isTold ? listed : await cache.confirm(endpointId, { signal }) };
  } catch (failed) {
    return { failed };
  }
}

/** Looks by id, right before an attempt; one that is sent only long after that, since it had to wait, is not sent at all. */
async function lookFirst(context: Context, target: Target, options: RequestOptions): Promise<RequestOptions> {
  const { clock } = context.account;
  const seen = await context.account
    .project(target.projectId)
    .cache.confirm(target.endpointId, requestOptions(context));
  // The change itself finds out that it has gone.
  if (!seen) return options;
  if (!isResting(seen)) throw inUseError(target, seen, 0);
  const seenMs = clock.now();
  const onAttempt = () => {
    if (clock.now() - seenMs > LOOK_MS) throw inUseError(target, seen, 0);
    options.onAttempt?.();
  };
  return { ...options, onAttempt };
}

/** True where the platform shows that nobody uses it, and that nobody is about to. */
function isResting({ currentState, pendingState = currentState }: EndpointRecord): boolean {
  return [currentState, pendingState].every((state) => state === "idle" || state === "stopped");
}

function inUseError(target: Target, seen: EndpointRecord, waitedMs: number): PgComputeError {
  const waited = `for the ${Math.round(waitedMs / 1_000)} s that this change has waited for an idle moment`;
  return new PgComputeError(
    "in_use",
    `endpoint ${formatId(target)} was in use ${waited} (${activityOf(seen)}); nothing was sent`,
  );
}

/** Since when it runs and when it was last used, as far as the platform tells, by the clock of UTC. */
function activityOf({ currentState, startedAt, lastActive }: EndpointRecord, nowMs?: number): string {
  const today = nowMs === undefined ? undefined : new Date(nowMs).toISOString().slice(0, 10);
  const time = (value: unknown) => {
    const [date, clock] = String(value).split("T");
    return `${date === today ? "" : `${date} `}${clock?.slice(0, 5)} UTC`;
  };
  const told = [
    ...(startedAt === undefined ? [] : [`running since ${time(startedAt)}`]),
    ...(lastActive === undefined ? [] : [`last active ${time(lastActive)}`]),
  ];
  return told.length > 0
    ? told.join(", ")
    : `the platform shows it ${plain(String(currentState ?? "without a state"))}`;
}
