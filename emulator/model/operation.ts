/** An operation: as it runs on the emulator's clock, and as answers carry it. */
import { toTimestamp } from "../lib/timestamp";

/** The eight actions of an operation (specification, section 2.1). Records may carry others: the platform grows. */
export const operationActions = [
  "apply_config",
  "apply_storage_config",
  "check_availability",
  "create_branch",
  "create_timeline",
  "delete_tenant",
  "start_compute",
  "suspend_compute",
] as const;

/** One move of an operation, `afterMs` milliseconds after the one before. */
export interface OperationStep {
  afterMs: number;
  status: string;
  /** Added to `failures_count`. */
  failures?: number;
  error?: string;
  /** How long after this step the platform means to try again, in milliseconds. */
  retryMs?: number;
}

/** An operation as answers carry it (specification, section 2.1, and its optional fields, published). */
export interface OperationRecord {
  id: string;
  project_id: string;
  branch_id: string;
  endpoint_id?: string;
  action: string;
  status: string;
  failures_count: number;
  error?: string;
  retry_at?: string;
  /** 0 while the operation is open. */
  total_duration_ms: number;
  created_at: string;
  updated_at: string;
}

/** An operation on the emulator's clock. Times are milliseconds since the epoch unless named otherwise. */
export interface Operation {
  readonly id: string;
  readonly projectId: string;
  readonly branchId: string;
  readonly endpointId: string | undefined;
  /** Its name in answers. */
  readonly action: string;
  /** Its real action; it differs from `action` only if a fault replaced that with an unknown one. */
  readonly work: string;
  /** Unique in its project, and the cursor of the list (specification, section 2.2). */
  readonly createdMicros: number;
  status: string;
  failuresCount: number;
  error: string | undefined;
  retryAt: number | undefined;
  /** When it left `scheduling`. */
  startedAt: number | undefined;
  updatedAt: number;
  endedAt: number | undefined;
  /** Moves still to come. */
  steps: OperationStep[];
  /** Kind of the fault that was injected into it, if any. */
  readonly fault?: string;
  /** Unknown to get and list, as if the platform had lost it. */
  vanished: boolean;
}

const FAILURES = new Set(["failed", "error", "cancelled"]);

/** Whether an operation still runs. A status that nobody knows counts as open, as clients have to take it. */
export function isOpen(operation: Operation): boolean {
  return !isSuccess(operation.status) && !FAILURES.has(operation.status);
}

/** Whether a status tells of success. */
export function isSuccess(status: string): boolean {
  return status === "finished" || status === "skipped";
}

/** Writes an operation as an answer carries it. */
export function toOperationRecord(operation: Operation): OperationRecord {
  const createdAt = Math.floor(operation.createdMicros / 1000);
  return {
    id: operation.id,
    project_id: operation.projectId,
    branch_id: operation.branchId,
    ...(operation.endpointId !== undefined && { endpoint_id: operation.endpointId }),
    action: operation.action,
    status: operation.status,
    failures_count: operation.failuresCount,
    ...(operation.error !== undefined && { error: operation.error }),
    ...(operation.retryAt !== undefined && { retry_at: toTimestamp(operation.retryAt) }),
    total_duration_ms: Math.max(0, Math.round((operation.endedAt ?? createdAt) - createdAt)),
    created_at: toTimestamp(createdAt),
    updated_at: toTimestamp(Math.max(operation.updatedAt, createdAt)),
  };
}

/**
 * The same as it looked at an earlier instant, for a list that lags behind. Failures and errors of later steps are
 * left out with their status.
 */
export function toEarlierRecord(operation: Operation, at: number): OperationRecord {
  if (operation.updatedAt <= at) return toOperationRecord(operation);
  const started = operation.startedAt !== undefined && operation.startedAt <= at;
  const { error: _error, retry_at: _retryAt, ...record } = toOperationRecord(operation);
  return {
    ...record,
    status: started ? "running" : "scheduling",
    failures_count: 0,
    total_duration_ms: 0,
    updated_at: started ? toTimestamp(operation.startedAt ?? at) : record.created_at,
  };
}
