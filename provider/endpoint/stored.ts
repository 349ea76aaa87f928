/** An endpoint as a host stores it, after a change that ended well or got only half-way. */
import { asOwnError, PartialError } from "../platform/errors";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { EndpointRecord } from "../platform/records";
import { setIn } from "./differences";
import { toState } from "./mapping";
import type { EndpointInputs } from "./properties";
import { asSent } from "./shown";
import { type Bookkeeping, bookkeepingOf, type EndpointState, keep, withBookkeeping } from "./state";

/** An endpoint as a host stores it. */
export interface StoredEndpoint {
  id: string;
  state: EndpointState;
}

/** The state to store: what the platform says, what only the program knows, and the bookkeeping. */
export function stateOf(
  record: EndpointRecord,
  inputs: Partial<EndpointInputs>,
  book: Bookkeeping = {},
): EndpointState {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu, ...fallback } = inputs;
  const known = Object.fromEntries(Object.entries(fallback).filter(([, value]) => value !== undefined));
  const shown = toState(asSent(record, inputs, book.spelled));
  return withBookkeeping({ ...known, ...shown }, { set: setIn(inputs), ...book });
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
