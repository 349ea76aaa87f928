/** An endpoint's state: what people see, and the bookkeeping, with operations that had not ended well and what they mean for the next update. */

import { defined } from "../lib/unknown";
import { listed } from "../lib/wording";
import { PgComputeError } from "../platform/errors";
import { hasSucceeded } from "../platform/project/outcome";
import { findOperations } from "../platform/project/recent-operations";
import type { OperationRecord } from "../platform/records";
import { type Context, requestOptions } from "./context";
import type { CheckedInputs } from "./parse-inputs";
import type { EndpointProperty } from "./properties";

/** The state of an endpoint, as a host stores it: inputs, outputs and the bookkeeping, in camelCase. */
export type EndpointState = Record<string, unknown>;

/** An operation that a later run must look at again, as it is kept in the state. */
export type KeptOperation = Pick<OperationRecord, "id" | "action" | "status" | "createdAt">;

/** The part of the state beside the visible properties. */
export interface Bookkeeping {
  /** The inputs that the program set, for hosts that do not hand the old inputs over. */
  set?: EndpointProperty[] | undefined;
  /** True when `adoptExisting` took the endpoint over: it is released on destroy. */
  adopted?: true | undefined;
  /** True from an import until the first update: nothing was set, and no trigger was there before. */
  imported?: true | undefined;
  /** Postgres settings in the platform's spelling, if it differs from the sent one. */
  spelled?: Record<string, string> | undefined;
  /** Operations that had not ended well when the state was written. */
  operations?: KeptOperation[] | undefined;
}

/** The key of the bookkeeping in the state. It begins with two underscores, which the engine does not display. */
export const BOOKKEEPING = "__pgcompute";

/** The form that this version writes and reads; another number is a form that it would misread. */
const VERSION = 2;

/** A kept operation, and what the platform says of it now. */
export interface SeenAgain {
  kept: KeptOperation;
  now: OperationRecord | "vanished";
}

/** The step that an update adds to complete an earlier run: it starts, restarts or suspends the endpoint. */
export type Repair = "started" | "restarted" | "suspended";

/** These leave no compute running: after a failure, starting it is enough. */
const startIsEnough: ReadonlySet<string> = new Set(["start_compute", "check_availability"]);

/** The bookkeeping of a state; empty where there is none. Throws `refused` for that of another form, which must not be half read. */
export function bookkeepingOf(state: EndpointState | undefined): Bookkeeping {
  const value = state?.[BOOKKEEPING];
  if (typeof value !== "object" || value === null) return {};
  const { v, ...book } = value as Bookkeeping & { v?: unknown };
  if (v === VERSION) return book;

  const which = typeof state?.endpointId === "string" ? `of endpoint ${state.endpointId}` : "";
  throw otherFormError(which, v, VERSION);
}

/** The error for a state of another form than the `known` one; `which` says whose state it is. */
export function otherFormError(which: string, form: unknown, known: number): PgComputeError {
  const state = ["the state", which].filter(Boolean).join(" ");
  return new PgComputeError(
    "refused",
    `${state} is of form ${String(form)}, and this version of the provider reads form ${known} alone. Where a newer version wrote it, use that one or a ` +
      "newer one. Where it is from before the first release, take what it has out of the state, which deletes nothing, and import that again",
  );
}

/** The state with other bookkeeping; empty parts and values that are absent are left out. */
export function withBookkeeping(state: EndpointState, { operations = [], ...book }: Bookkeeping): EndpointState {
  const open = operations.length > 0 ? { operations } : {};
  return { ...defined(state), [BOOKKEEPING]: defined({ v: VERSION, ...book, ...open }) };
}

/** Of the operations given, those that did not end well, in the form that is kept. */
export function keep(operations: readonly KeptOperation[]): KeptOperation[] {
  return operations
    .filter((operation) => !hasSucceeded(operation))
    .map(({ id, action, status, createdAt }) => ({ id, action, status, createdAt }));
}

/** A kept operation with its newest known status, or with its old one if the platform no longer has it. */
export function latestOf({ kept, now }: SeenAgain): KeptOperation {
  return now === "vanished" ? kept : now;
}

/** True if a failed operation may have left the compute on the old configuration, so that only a restart applies the new one. */
export function mayRunAsBefore({ action }: Pick<KeptOperation, "action">): boolean {
  return !startIsEnough.has(action);
}

/** Looks at operations that an earlier run kept (specification, sections 4.1 and 4.2), without waiting for them. */
export async function lookAgain(
  context: Context,
  projectId: string,
  kept: readonly KeptOperation[],
): Promise<SeenAgain[]> {
  const found = await findOperations(context.account.api, projectId, kept, requestOptions(context));
  return kept.map((one) => ({ kept: one, now: found.get(one.id) ?? "vanished" }));
}

/** The step with which the next update makes up for kept operations that failed; undefined without any. */
export function repairOf(state: EndpointState, inputs: CheckedInputs): Repair | undefined {
  const { operations = [] } = bookkeepingOf(state);
  if (operations.length === 0) return undefined;
  if ((inputs.disabled ?? state.disabled) === true) return "suspended";
  return operations.some(mayRunAsBefore) ? "restarted" : "started";
}

/** Says how the next update treats kept operations. Without ids, so members that stopped alike share one text. */
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
