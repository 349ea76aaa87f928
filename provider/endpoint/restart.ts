/** Suspends, starts and restarts an endpoint (specification, sections 3.3 and 4.7). */
import { type ChangedEndpoint, changeEndpoint } from "./change";
import type { Context } from "./context";
import type { Target } from "./lost-answer";

/** Suspends an endpoint, then starts it, waiting for both (specification, section 3.3: ways to restart). */
export async function restart(context: Context, target: Target): Promise<ChangedEndpoint> {
  const suspended = await suspend(context, target);
  return suspended.error ? suspended : start(context, target);
}

/** Suspends an endpoint and waits. */
export function suspend(context: Context, target: Target): Promise<ChangedEndpoint> {
  return changeEndpoint(context, target, {
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
