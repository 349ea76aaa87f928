/**
 * An endpoint's state: visible properties and bookkeeping. Its kept operations had not succeeded, and affect the next
 * update.
 */

import { defined } from "../lib/unknown";
import { listed } from "../lib/wording";
import { PgComputeError } from "../platform/errors";
import { hasSucceeded } from "../platform/project/outcome";
import { findOperations } from "../platform/project/recent-operations";
import type { OperationRecord } from "../platform/records";
import { type Context, requestOptions } from "./context";
import type { CheckedInputs } from "./parse-inputs";
import type { EndpointProperty } from "./properties";

/** An endpoint's state in a host: inputs, outputs and bookkeeping, in camelCase. */
export type EndpointState = Record<string, unknown>;

/** An operation in the state that a later run must read again. */
export type KeptOperation = Pick<OperationRecord, "id" | "action" | "status" | "createdAt">;

/** The hidden part of the state. */
export interface Bookkeeping {
  /** The inputs that the program set, for hosts without old inputs. */
  set?: EndpointProperty[] | undefined;
  /** True if `adoptExisting` took the endpoint, which destroy then releases. */
  adopted?: true | undefined;
  /** True from an import to the first update: no property counts as set, and no trigger. */
  imported?: true | undefined;
  /** Postgres settings as the platform spells them, if different from the sent spelling. */
  spelled?: Record<string, string> | undefined;
  /** Operations that had not succeeded when the state was written. */
  operations?: KeptOperation[] | undefined;
}

/** The bookkeeping's key in the state. The engine does not display names with two underscores. */
export const BOOKKEEPING = "__pgcompute";

/** The version of the bookkeeping. Other versions are refused. */
const VERSION = 2;

/** A kept operation and its current state. */
export interface SeenAgain {
  kept: KeptOperation;
  now: OperationRecord | "vanished";
}

/** The step by which an update completes an earlier run: it starts, restarts or suspends the endpoint. */
export type Repair = "started" | "restarted" | "suspended";

/** These leave no compute running: after their failure a start is enough. */
const startIsEnough: ReadonlySet<string> = new Set(["start_compute", "check_availability"]);

/** A state's bookkeeping; empty without any. Throws `refused` for another version. */
export function bookkeepingOf(state: EndpointState | undefined): Bookkeeping {
  const value = state?.[BOOKKEEPING];
  if (typeof value !== "object" || value === null) return {};
  const { v, ...book } = value as Bookkeeping & { v?: unknown };
  if (v === VERSION) return book;

  const which = typeof state?.endpointId === "string" ? `of endpoint ${state.endpointId}` : "";
  throw otherFormError(which, v, VERSION);
}

/** The error for a state of another version than `known`; `which` names its owner. */
export function otherFormError(which: string, form: unknown, known: number): PgComputeError {
  const state = ["the state", which].filter(Boolean).join(" ");
  return new PgComputeError(
    "refused",
    `${state} is of form ${String(form)}, and this version of the provider reads form ${known} alone. Where a newer version wrote it, use that one or a ` +
      "newer one. Where it is from before the first release, take what it has out of the state, which deletes nothing, and import that again",
  );
}

/** The state with other bookkeeping, without empty parts. */
export function withBookkeeping(state: EndpointState, { operations = [], ...book }: Bookkeeping): EndpointState {
  const open = operations.length > 0 ? { operations } : {};
  return { ...defined(state), [BOOKKEEPING]: defined({ v: VERSION, ...book, ...open }) };
}

/** The operations that have not succeeded, in their stored form. */
export function keep(operations: readonly KeptOperation[]): KeptOperation[] {
  return operations
    .filter((operation) => !hasSucceeded(operation))
    .map(({ id, action, status, createdAt }) => ({ id, action, status, createdAt }));
}

/** A kept operation with its newest known status; the old one if the platform no longer has it. */
export function latestOf({ kept, now }: SeenAgain): KeptOperation {
  return now === "vanished" ? kept : now;
}

/** True if a failed operation may have left the compute on its old configuration, until a restart. */
export function mayRunAsBefore({ action }: Pick<KeptOperation, "action">): boolean {
  return !startIsEnough.has(action);
}

/** Reads kept operations of an earlier run (specification, sections 4.1 and 4.2), without waiting for them. */
export async function lookAgain(
  context: Context,
  projectId: string,
  kept: readonly KeptOperation[],
): Promise<SeenAgain[]> {
  const found = await findOperations(context.account.api, projectId, kept, requestOptions(context));
  return kept.map((one) => ({ kept: one, now: found.get(one.id) ?? "vanished" }));
}

/** The step with which the next update repairs failed kept operations; undefined without any. */
export function repairOf(state: EndpointState, inputs: CheckedInputs): Repair | undefined {
  const { operations = [] } = bookkeepingOf(state);
  if (operations.length === 0) return undefined;
  if ((inputs.disabled ?? state.disabled) === true) return "suspended";
  return operations.some(mayRunAsBefore) ? "restarted" : "started";
}

/** Messages on how the next update treats kept operations. Without ids, so that equal members share one text. */
export function keptMessages(state: EndpointState, inputs: CheckedInputs): string[] {
  const { operations = [] } = bookkeepingOf(state);
  const after = repairOf(state, inputs);
  if (after === undefined) return [];

  const left = listed(operations.map(({ action, status }) => `${action} "${status}"`));
  const isOne = operations.length === 1;
  const again = isOne
    ? "this operation is checked again, and waited for if it still runs; if it failed"
    : "these operations are checked again, and waited for if they still run; if one failed";

  const then = operations.some(mayRunAsBefore)
    ? `${after}, which drops connections, unless that does it`
    : `${after} if that starts no operation`;
  return [`the last run left ${left}: ${again}, what the program sets is sent again, and the endpoint is ${then}`];
}
