/** The rows and columns of the matrix: the faults, and how long each lasts. */
import type { CallEffect, OperationEffect } from "../../../emulator";

/** A fault of the matrix: a row of its tables. */
export interface Row {
  title: string;
  /** Done to calls. */
  call?: CallEffect;
  /** Done to operations. */
  operation?: OperationEffect;
  /** What no rule of the emulator says: connections are refused, or an endpoint goes away. */
  other?: "refused" | "gone";
  /** The operation never ends, so that no later run can end well either. */
  endless?: boolean;
}

/** Largest answer that the accounts of the matrix read, in bytes: the huge body is larger by the same measure. */
export const MAX_ANSWER_BYTES = 256 * 1_024;

/**
 * A status after which the work may be done, and one that denies it; tests/unit/platform/http/http-errors.test.ts has
 * the others.
 */
const statuses = [500, 503].flatMap((status): Row[] => [
  { title: `${status} before the work`, call: { kind: "status", status, when: "before" } },
  { title: `${status} after the work`, call: { kind: "status", status, when: "after" } },
]);

/** The faults, in the order of the tables. */
export const rows: readonly Row[] = [
  { title: "connection refused", other: "refused" },
  { title: "reset before the work", call: { kind: "reset", when: "before" } },
  { title: "reset after the work", call: { kind: "reset", when: "after" } },
  { title: "stalled head, work not done", call: { kind: "stall-headers", when: "before" } },
  { title: "stalled head, work done", call: { kind: "stall-headers", when: "after" } },
  { title: "stalled body", call: { kind: "stall-body" } },
  { title: "truncated body", call: { kind: "truncate-body" } },
  ...statuses,
  { title: "429", call: { kind: "status", status: 429 } },
  {
    title: "429 with seconds",
    call: { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 7 } },
  },
  { title: "423", call: { kind: "status", status: 423 } },
  { title: "401", call: { kind: "status", status: 401 } },
  { title: "403", call: { kind: "status", status: 403 } },
  { title: "HTML instead of JSON, work not done", call: { kind: "html", when: "before" } },
  { title: "HTML instead of JSON, work done", call: { kind: "html", when: "after" } },
  { title: "JSON of the wrong shape", call: { kind: "json", body: { endpoint: { id: 7 }, operations: "none" } } },
  { title: "unknown enum values", call: { kind: "unknown-enum" } },
  { title: "a body over the bound", call: { kind: "huge-body", bytes: 4 * MAX_ANSWER_BYTES } },
  { title: "redirect to another host", call: { kind: "redirect", location: "http://203.0.113.9/" } },
  { title: "a list three minutes old", call: { kind: "stale-list", ageMs: 180_000 } },
  { title: "the endpoint goes away", other: "gone" },
  { title: "operation fails", operation: { kind: "fail" } },
  { title: "operation fails, then finishes", operation: { kind: "fail-then-finish", failures: 2, retryMs: 3_000 } },
  { title: "operation hangs", operation: { kind: "hang" }, endless: true },
  { title: "operation vanishes", operation: { kind: "vanish" } },
  { title: "operation vanishes later", operation: { kind: "vanish", afterMs: 600 } },
  { title: "operation goes backwards", operation: { kind: "backwards" } },
  { title: "operation is skipped", operation: { kind: "skip" } },
  { title: "operation with an unknown status", operation: { kind: "unknown-status" } },
  { title: "operation with an unknown action", operation: { kind: "unknown-action" } },
];

/** How long a fault lasts: a column of the tables. */
export const columns = ["once", "every time", "every call"] as const;

/** The name of a column. */
export type Column = (typeof columns)[number];
