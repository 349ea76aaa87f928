/**
 * Decides when a change that may cut connections is sent: at an idle moment if the program asks for it, and with a slot
 * of the rollout.
 */
import { plain } from "../lib/wording";
import {
  asOwnError,
  CancelledError,
  isKind,
  isTransient,
  OutcomeUnknownError,
  PgComputeError,
} from "../platform/errors";
import type { RequestOptions } from "../platform/http/request";
import { idle } from "../platform/policy";
import type { EndpointRecord } from "../platform/records";
import { type Outcome, until } from "../platform/until";
import { type Context, requestOptions } from "./context";
import { formatId } from "./identity";
import { type EndpointInputs, type EndpointProperty, type PropertyEffect, propertyOf } from "./properties";
import type { Target } from "./recovery";
import type { EndpointState } from "./state";

/**
 * Called right before an attempt; returns the options to send it with. Throws `in_use`, or an error of the platform.
 */
export type BeforeAttempt = (options: RequestOptions) => Promise<RequestOptions>;

const cutting: readonly PropertyEffect[] = ["restart", "move", "suspend", "not stated"];

/**
 * The context for changes at their moment: the user's bound limits the wait for it, and operations have the configured
 * bound.
 */
export function withMoment(context: Context, { restartWhen }: Pick<EndpointInputs, "restartWhen">): Context {
  const { timeoutMs = idle.waitMs, deadlineMs = context.account.clock.now() + timeoutMs } = context;
  const isIdle = restartWhen === "idle";
  const moment = { isIdle, deadlineMs };
  return { ...context, moment, ...(isIdle && { timeoutMs: undefined, deadlineMs: undefined }) };
}

/** True if a change of these properties may restart, move or suspend a running endpoint. */
export function mayCut(names: readonly EndpointProperty[], inputs: Partial<Pick<EndpointInputs, "disabled">>): boolean {
  return names.some((name) => cutting.includes(propertyOf(name).effect) && (name !== "disabled" || inputs.disabled));
}

/** True for a change that may wait for an idle moment and stays on its branch. */
export function waitsInPlace({ restartWhen, branchId }: EndpointInputs, state: EndpointState): boolean {
  return restartWhen === "idle" && branchId === state.branchId;
}

/**
 * Makes a change at its moment: with `restartWhen: "idle"` the endpoint is read right before each attempt, and nothing
 * is sent until it is idle. At the deadline throws `in_use`, or `OutcomeUnknownError` if an answer was lost.
 */
export async function atMoment<T>(
  context: Context,
  target: Target,
  attempt: (before?: BeforeAttempt) => Promise<T>,
): Promise<T> {
  const { moment, hold, signal, reporter } = context;
  if (!moment?.isIdle) {
    await hold?.enter();
    return attempt();
  }

  const { clock } = context.account;
  const { deadlineMs } = moment;
  const beganMs = clock.now();

  const refuseInUse = (seen: EndpointRecord | undefined) => {
    // If the endpoint is gone, the change itself finds out.
    if (!seen || isResting(seen)) return;
    reporter.status(`waits until idle: ${activityOf({ ...seen, startedAt: undefined }, clock.now())}`);
    throw inUseError(target, seen, clock.now() - beganMs);
  };

  let failedRead: unknown;
  const noteFailed = (error: unknown): never => {
    failedRead = error;
    throw error;
  };

  /** Reads the endpoint by id. An attempt that then waits long for its turn is not sent. */
  const readFirst: BeforeAttempt = async (options) => {
    const { cache } = context.account.project(target.projectId);
    const seen = await cache.readById(target.endpointId, requestOptions(context)).catch(noteFailed);
    refuseInUse(seen);

    const seenMs = clock.now();
    const onAttempt = () => {
      if (seen && clock.now() - seenMs > idle.lookMs) throw inUseError(target, seen, clock.now() - beganMs);
      options.onAttempt?.();
    };
    return { ...options, onAttempt };
  };

  let wasLost = false;
  const tryOnce = async () => {
    if (signal.aborted) throw new CancelledError();
    hold?.waits();
    refuseInUse(await readByList(context, target).catch(noteFailed));
    await hold?.enter();
    return attempt(readFirst);
  };

  const again = ({ error }: Outcome<T>) => {
    wasLost ||= error instanceof OutcomeUnknownError;
    const goesOn = isKind(error, "in_use") || (error === failedRead && isTransient(error));
    const nowMs = clock.now();
    if (!goesOn || nowMs >= deadlineMs) return undefined;

    // No slot is needed until the next round.
    hold?.waits();
    return { ms: Math.min(idle.lookMs - (nowMs % idle.lookMs), deadlineMs - nowMs), reason: "until it is idle" };
  };

  // The row already shows the reason, with more detail.
  return until({ clock, signal, deadlineMs }, tryOnce, again).catch((error: unknown) => {
    throw wasLost ? new OutcomeUnknownError(asOwnError(error)) : error;
  });
}

/** Reads the endpoint from the list that all waiting changes share; by id if lists leave out the state. */
async function readByList(context: Context, { projectId, endpointId }: Target): Promise<EndpointRecord | undefined> {
  const { account, signal, reporter } = context;
  const { cache } = account.project(projectId);
  const sinceMs = Math.floor(account.clock.now() / idle.lookMs) * idle.lookMs;
  const listed = (await cache.snapshot({ sinceMs, signal, onWait: reporter.status })).find(endpointId);
  return listed && listed.currentState === undefined ? cache.readById(endpointId, requestOptions(context)) : listed;
}

/** True if the endpoint is idle, without a pending start. */
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

/** The start of its activity and its last use, in UTC, as far as the platform returns them. */
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
