import { hasSucceeded } from "../platform/project/outcome";
import type { EndpointProperty } from "./model";

/** An operation that a later run must look at again, as it is kept in the state. */
export interface KeptOperation {
  id: string;
  action: string;
  status: string;
  createdAt: string;
}

/**
 * What the provider keeps in the state beside the visible properties. Its key begins with two underscores, which the
 * engine does not display.
 */
export interface Bookkeeping {
  /** The inputs that the program set, for hosts that do not hand the old inputs over. */
  set?: EndpointProperty[];
  /** True when `adoptExisting` took the endpoint over: it is released on destroy. */
  adopted?: true;
  /** Operations that had not ended well when the state was written. */
  operations?: KeptOperation[];
}

/** The key of the bookkeeping in the state. */
export const BOOKKEEPING = "__pgcompute";

/** The state of an endpoint, as a host stores it: inputs, outputs and the bookkeeping, in camelCase. */
export type EndpointState = Record<string, unknown>;

/** The bookkeeping of a state; empty for one that has none, whatever else is stored there. */
export function bookkeepingOf(state: EndpointState | undefined): Bookkeeping {
  const value = state?.[BOOKKEEPING];
  return typeof value === "object" && value !== null ? (value as Bookkeeping) : {};
}

/** The state with other bookkeeping; empty parts are left out. */
export function withBookkeeping(state: EndpointState, book: Bookkeeping): EndpointState {
  const kept: Bookkeeping = {};
  if (book.set) kept.set = book.set;
  if (book.adopted) kept.adopted = true;
  if (book.operations && book.operations.length > 0) kept.operations = book.operations;
  return { ...state, [BOOKKEEPING]: kept };
}

/** Of the operations given, those that did not end well, in the form that is kept. */
export function keep(
  operations: readonly { id: string; action: string; status: string; createdAt: string; retryAt?: string }[],
): KeptOperation[] {
  return operations
    .filter((operation) => !hasSucceeded(operation))
    .map(({ id, action, status, createdAt }) => ({ id, action, status, createdAt }));
}
