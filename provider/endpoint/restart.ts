/** Suspends, starts and restarts an endpoint (specification, sections 3.3 and 4.7). */
import type { EndpointRecord } from "../platform/records";
import { type Changed, change } from "./change";
import type { Context } from "./context";
import { findMade, type Target } from "./lost-answer";

/** A change of an endpoint that is there, and the endpoint as it then is. */
export type ChangedEndpoint = Changed & { endpoint: EndpointRecord };

/** Suspends an endpoint, then starts it, waiting for both (specification, section 3.3: ways to restart). */
export async function restart(context: Context, target: Target): Promise<ChangedEndpoint> {
  const suspended = await suspend(context, target);
  return suspended.error ? suspended : start(context, target);
}

/** Suspends an endpoint and waits. */
export async function suspend(context: Context, target: Target): Promise<ChangedEndpoint> {
  const { projectId, endpointId, branchId } = target;
  const changed = await change(context, {
    projectId,
    endpointId,
    branchIds: [branchId],
    send: (options) => context.account.api.suspendEndpoint(projectId, endpointId, options),
    find: (_, sinceMs) =>
      findMade(context, { ...target, sinceMs }, ({ endpoint, operations }) => {
        const state = endpoint.pendingState ?? endpoint.currentState;
        return operations.some(({ action }) => action === "suspend_compute") || state === "idle" || state === "stopped";
      }),
  });
  return changed as ChangedEndpoint;
}

/** Starts an endpoint and waits. */
export async function start(context: Context, target: Target): Promise<ChangedEndpoint> {
  const { projectId, endpointId, branchId } = target;
  const changed = await change(context, {
    projectId,
    endpointId,
    branchIds: [branchId],
    send: (options) => context.account.api.startEndpoint(projectId, endpointId, options),
    find: (_, sinceMs) =>
      findMade(context, { ...target, sinceMs }, ({ endpoint, operations }) => {
        return operations.some(({ action }) => action === "start_compute") || endpoint.currentState === "active";
      }),
  });
  return changed as ChangedEndpoint;
}
