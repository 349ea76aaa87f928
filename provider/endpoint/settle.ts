import { PartialError } from "../api/errors";
import type { EndpointChange, EndpointRecord, OperationRecord } from "../api/records";
import type { WaitResult } from "../operations/watcher";
import { type Context, waitTimeoutMs } from "./context";
import { setIn } from "./differences";
import { formatId } from "./identity";
import { toState } from "./mapping";
import type { EndpointInputs } from "./model";
import { type Bookkeeping, bookkeepingOf, type EndpointState, keep, withBookkeeping } from "./state";

/** An endpoint as a host stores it. */
export interface StoredEndpoint {
  id: string;
  state: EndpointState;
}

/** Waits for operations that the platform returned, saying which and for how long on the resource's own row. */
export function waitFor(
  context: Context,
  projectId: string,
  operations: readonly OperationRecord[],
): Promise<WaitResult> {
  return context.account.project(projectId).watcher.wait(operations, {
    timeoutMs: waitTimeoutMs(context),
    signal: context.signal,
    onProgress: ({ operation, elapsedMs }) =>
      context.reporter.status(
        `waiting for ${operation.action} (${operation.id}): ${operation.status}, ${Math.round(elapsedMs / 1_000)} s`,
      ),
  });
}

/** Writes a change into the directory and waits for its operations. */
export async function settle(context: Context, change: EndpointChange): Promise<EndpointChange & WaitResult> {
  const { projectId } = change.endpoint;
  context.account.project(projectId).directory.put(change.endpoint);
  return { ...change, ...(await waitFor(context, projectId, change.operations)) };
}

/** The state to store: what the platform says, what only the program knows, and the bookkeeping. */
export function stateOf(
  record: EndpointRecord,
  inputs: Partial<EndpointInputs>,
  book: Bookkeeping = {},
): EndpointState {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu, ...fallback } = inputs;
  const known = Object.fromEntries(Object.entries(fallback).filter(([, value]) => value !== undefined));
  return withBookkeeping({ ...known, ...toState(record) }, { set: setIn(inputs), ...book });
}

/** The stored endpoint, or a partial error that carries it when the wait did not end well. */
export function finish(record: EndpointRecord, state: EndpointState, result: WaitResult): StoredEndpoint {
  const id = formatId({ projectId: record.projectId, endpointId: record.id });
  const stored = withBookkeeping(state, { ...bookkeepingOf(state), operations: keep(result.kept) });
  if (result.error) throw new PartialError(id, stored, result.error);
  return { id, state: stored };
}
