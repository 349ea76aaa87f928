import type { EndpointBody } from "../platform/api";
import { isAnswerLost, isKind, PgComputeError } from "../platform/errors";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { EndpointChange, EndpointRecord } from "../platform/records";
import { type Context, waitTimeoutMs } from "./context";
import { differences } from "./differences";
import { recoverChange } from "./find-created";
import { type EndpointIdentity, formatId } from "./identity";
import { toState, toUpdateRequest } from "./mapping";
import type { EndpointInputs, EndpointProperty } from "./model";
import { settle } from "./settle";

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;

/** Which endpoint a change is for, and where it stands now. */
export interface PatchTarget {
  projectId: string;
  endpointId: string;
  branchId: string;
  /** Called when an answer was lost: from then on the change may have been made. */
  onLost?: () => void;
}

/**
 * Updates the named properties (specification, section 4.5) and waits for the returned operations. When the answer was
 * lost, the endpoint is looked at: the update is repeated only where it was not made.
 */
export async function patch(
  context: Context,
  target: PatchTarget,
  inputs: EndpointInputs,
  changed: readonly EndpointProperty[],
): Promise<EndpointChange & WaitResult> {
  const { projectId, endpointId } = target;
  const { api } = context.account;
  const body = await withOtherSettings(context, target, toUpdateRequest(inputs, changed));
  return change(context, target, [target.branchId, inputs.branchId], {
    send: (options) => api.updateEndpoint(projectId, endpointId, body, options),
    isMade: ({ endpoint }) => isApplied(endpoint, inputs, changed),
  });
}

/** The error for an endpoint that is in the state and not on the platform. */
export function goneError(identity: EndpointIdentity, cause?: PgComputeError): PgComputeError {
  return new PgComputeError(
    "not_found",
    `endpoint ${formatId(identity)} no longer exists: somebody deleted it outside of Pulumi; run \`pulumi refresh\`, ` +
      "then `pulumi up` creates it again",
    { cause },
  );
}

/** Suspends an endpoint, then starts it, waiting for both (specification, section 3.3: ways to restart). */
export async function restart(context: Context, target: PatchTarget): Promise<EndpointChange & WaitResult> {
  const suspended = await suspend(context, target);
  return suspended.error ? suspended : start(context, target);
}

/** Suspends an endpoint and waits. */
export function suspend(context: Context, target: PatchTarget): Promise<EndpointChange & WaitResult> {
  const { projectId, endpointId, branchId } = target;
  return change(context, target, [branchId], {
    send: (options) => context.account.api.suspendEndpoint(projectId, endpointId, options),
    isMade: ({ endpoint, operations }) =>
      operations.some(({ action }) => action === "suspend_compute") || isSuspended(endpoint),
  });
}

/** Starts an endpoint and waits. */
export function start(context: Context, target: PatchTarget): Promise<EndpointChange & WaitResult> {
  const { projectId, endpointId, branchId } = target;
  return change(context, target, [branchId], {
    send: (options) => context.account.api.startEndpoint(projectId, endpointId, options),
    isMade: ({ endpoint, operations }) =>
      operations.some(({ action }) => action === "start_compute") || endpoint.currentState === "active",
  });
}

/** A call that changes an endpoint, and how to see that it was made when its answer was lost. */
interface Sending {
  send(options: { signal: AbortSignal }): Promise<EndpointChange>;
  isMade(seen: EndpointChange): boolean;
}

async function change(
  context: Context,
  target: PatchTarget,
  branchIds: readonly string[],
  sending: Sending,
): Promise<EndpointChange & WaitResult> {
  const { projectId, endpointId } = target;
  const shared = context.account.project(projectId);
  try {
    return await shared.changes.run(
      { branchIds, endpointId },
      async () => settle(context, await sendLooking(context, target, sending)),
      { timeoutMs: waitTimeoutMs(context), signal: context.signal },
    );
  } catch (error) {
    // It may be the branch to move to that does not exist, and not the endpoint.
    if (!isKind(error, "not_found") || (await shared.cache.confirm(endpointId))) throw error;
    throw goneError(target, error);
  }
}

async function sendLooking(
  context: Context,
  { projectId, endpointId, onLost }: PatchTarget,
  { send, isMade }: Sending,
): Promise<EndpointChange> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send({ signal: context.signal });
    } catch (error) {
      if (!isAnswerLost(error)) throw error;
      onLost?.();
      const seen = await recoverChange(context, await context.account.api.getEndpoint(projectId, endpointId));
      if (isMade(seen)) return seen;
      if (attempt === MAX_ATTEMPTS) throw error;
      await context.account.clock.sleep(FIRST_PAUSE_MS * attempt, context.signal).catch(() => {});
    }
  }
}

/** Whether the platform merges `settings` is not documented, so that what the provider does not manage is sent along. */
async function withOtherSettings(
  context: Context,
  { projectId, endpointId }: PatchTarget,
  body: EndpointBody,
): Promise<EndpointBody> {
  if (body.pgSettings === undefined) return body;
  const { cache } = context.account.project(projectId);
  const seen = cache.lastSeen(endpointId);
  if (seen && !seen.otherSettings) return body;
  const record = await cache.confirm(endpointId, { signal: context.signal });
  return record?.otherSettings ? { ...body, otherSettings: record.otherSettings } : body;
}

function isSuspended({ currentState, pendingState }: EndpointRecord): boolean {
  return (pendingState ?? currentState) === "idle" || (pendingState ?? currentState) === "stopped";
}

/** True when the platform already has every changed property as the program says. */
function isApplied(record: EndpointRecord, inputs: EndpointInputs, changed: readonly EndpointProperty[]): boolean {
  // What the platform does not show counts as it was sent.
  const open = differences({ ...inputs, ...toState(record) }, inputs, new Set(changed));
  return changed.every((property) => !(property in open));
}
