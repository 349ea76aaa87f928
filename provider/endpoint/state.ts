/** An endpoint's state: visible properties, and the bookkeeping that the lifecycle needs beside them. */
import { PgComputeError } from "../platform/errors";
import { hasSucceeded } from "../platform/project/outcome";
import type { OperationRecord } from "../platform/records";
import type { EndpointProperty } from "./properties";

/** The state of an endpoint, as a host stores it: inputs, outputs and the bookkeeping, in camelCase. */
export type EndpointState = Record<string, unknown>;

/** An operation that a later run must look at again, as it is kept in the state. */
export type KeptOperation = Pick<OperationRecord, "id" | "action" | "status" | "createdAt">;

/** What is kept in the state beside the visible properties. */
export interface Bookkeeping {
  /** The inputs that the program set, for hosts that do not hand the old inputs over. */
  set?: EndpointProperty[];
  /** True when `adoptExisting` took the endpoint over: it is released on destroy. */
  adopted?: true;
  /** When it was taken over, in milliseconds since the epoch: it tells this state from an older one of the same endpoint. */
  takenOverAt?: number;
  /** True from an import until the first update: nothing was set, and no trigger was there before. */
  imported?: true;
  /** The Postgres settings as the platform shows them, where it spells in another way what was sent. */
  spelled?: Record<string, string> | undefined;
  /** Operations that had not ended well when the state was written. */
  operations?: KeptOperation[];
}

/** The key of the bookkeeping in the state. It begins with two underscores, which the engine does not display. */
export const BOOKKEEPING = "__pgcompute";

/**
 * The form of the bookkeeping that this version writes. It grows when an older version would misread the state; a state
 * without a number is of the first form.
 */
const VERSION = 2;

/**
 * The bookkeeping of a state; empty for one that has none, whatever else is stored there. Throws `refused` for a state that a
 * newer version wrote, which must not be half read.
 */
export function bookkeepingOf(state: EndpointState | undefined): Bookkeeping {
  const value = state?.[BOOKKEEPING];
  if (typeof value !== "object" || value === null) return {};
  const { v = 1, ...book } = value as Bookkeeping & { v?: unknown };
  if (typeof v !== "number" || v > VERSION) {
    const which = typeof state?.endpointId === "string" ? `of endpoint ${state.endpointId} ` : "";
    throw new PgComputeError(
      "refused",
      `the state ${which}was written by a newer version of this provider (form ${String(v)}; this version reads up to ` +
        `${VERSION}). Use that version or a newer one`,
    );
  }
  return book;
}

/** The state with other bookkeeping; empty parts are left out. */
export function withBookkeeping(state: EndpointState, book: Bookkeeping): EndpointState {
  const kept: Bookkeeping & { v: number } = { v: VERSION };
  if (book.set) kept.set = book.set;
  if (book.adopted) kept.adopted = true;
  if (book.takenOverAt !== undefined) kept.takenOverAt = book.takenOverAt;
  if (book.imported) kept.imported = true;
  if (book.spelled) kept.spelled = book.spelled;
  if (book.operations && book.operations.length > 0) kept.operations = book.operations;
  return { ...state, [BOOKKEEPING]: kept };
}

/** Of the operations given, those that did not end well, in the form that is kept. */
export function keep(operations: readonly KeptOperation[]): KeptOperation[] {
  return operations
    .filter((operation) => !hasSucceeded(operation))
    .map(({ id, action, status, createdAt }) => ({ id, action, status, createdAt }));
}
