import { asOwnError, PartialError } from "../platform/errors";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { EndpointChange, EndpointRecord, OperationRecord } from "../platform/records";
import { type Context, waitTimeoutMs } from "./context";
import { setIn } from "./differences";
import { toState } from "./mapping";
import type { EndpointInputs } from "./properties";
import { type Bookkeeping, bookkeepingOf, type EndpointState, keep, withBookkeeping } from "./state";

/** An endpoint as a host stores it. */
export interface StoredEndpoint {
  id: string;
  state: EndpointState;
}

/** Waits for operations that the platform returned, saying which and for how long on the resource's own row. */
export async function waitFor(
  context: Context,
  projectId: string,
  operations: readonly OperationRecord[],
): Promise<WaitResult> {
  let waitedFor: OperationRecord | undefined;
  const result = await context.account.project(projectId).waiter.wait(operations, {
    timeoutMs: waitTimeoutMs(context),
    signal: context.signal,
    onProgress: ({ operation, elapsedMs }) => {
      waitedFor = operation;
      context.reporter.status(
        `waiting for ${operation.action} (${operation.id}): ${operation.status}, ${Math.round(elapsedMs / 1_000)} s`,
      );
    },
  });
  // The last line stays on the row of a change that is done, and must not say that somebody waits.
  if (waitedFor && !result.error) context.reporter.status(`${waitedFor.action} (${waitedFor.id}) is done`);
  return result;
}

/** Writes a change into the cache and waits for its operations. */
export async function settle(context: Context, change: EndpointChange): Promise<EndpointChange & WaitResult> {
  const { projectId } = change.endpoint;
  context.account.project(projectId).cache.put(change.endpoint);
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

/** Throws a partial error where the wait did not end well; what the state keeps already stays kept. */
export function assertEnded(id: string, state: EndpointState, { kept, error }: WaitResult): void {
  if (!error) return;
  const book = bookkeepingOf(state);
  const operations = [...(book.operations ?? []), ...keep(kept)];
  throw new PartialError(id, withBookkeeping(state, { ...book, operations }), error);
}

/** The error of a change that has got as far as an endpoint: whatever went wrong, it carries the id and the state. */
export function partial(id: string, state: EndpointState, error: unknown): PartialError {
  return error instanceof PartialError ? error : new PartialError(id, state, asOwnError(error));
}

/** Runs a create or an update; where it fails half-way, the run remembers how far it got, in case it is repeated. */
export async function rememberUnfinished(
  { ledger, urn }: Context,
  work: () => Promise<StoredEndpoint>,
): Promise<StoredEndpoint> {
  try {
    const stored = await work();
    ledger.recordUnfinished(urn, undefined);
    return stored;
  } catch (error) {
    if (error instanceof PartialError) ledger.recordUnfinished(urn, error);
    throw error;
  }
}
