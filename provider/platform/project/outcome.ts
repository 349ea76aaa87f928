import type { OperationRecord } from "../records";

/** What a status says about an operation: it ended well, it is still under way, or it ended badly. */
export type Outcome = "succeeded" | "open" | "failed";

const succeeded = new Set(["finished", "skipped"]);
const failed = new Set(["failed", "error", "cancelled"]);

/**
 * The outcome of an operation as last seen (specification, section 3.1; public facts, operations). Success is only what
 * is listed as success; a status that this version does not know is waited on. A failure for which the platform has
 * announced a retry (`retry_at`) is still under way.
 */
export function outcomeOf(operation: Pick<OperationRecord, "status" | "retryAt">): Outcome {
  if (succeeded.has(operation.status)) return "succeeded";
  if (!failed.has(operation.status)) return "open";
  return operation.status === "failed" && operation.retryAt !== undefined ? "open" : "failed";
}

/** True while the platform still works on the operation. */
export function isOpen(operation: Pick<OperationRecord, "status" | "retryAt">): boolean {
  return outcomeOf(operation) === "open";
}
