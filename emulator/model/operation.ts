/** An operation on the emulator's clock, and its form in answers. */
import { toTimestamp } from "../lib/timestamp";

/** The eight actions of an operation (specification, section 2.1). Records may have others, as the platform grows. */
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

/** One step of an operation, `afterMs` milliseconds after the previous one. */
export interface OperationStep {
  afterMs: number;
  status: string;
  /** Added to `failures_count`. */
  failures?: number;
  error?: string;
  /** Milliseconds from this step to the announced retry. */
  retryMs?: number;
}

/** An operation as in answers (specification, section 2.1, and its optional fields, published). */
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
  /** The action in answers. */
  readonly action: string;
  /** The real action; differs from `action` only after a fault with an unknown action. */
  readonly work: string;
  /** Unique in the project, and the list's cursor (specification, section 2.2). */
  readonly createdMicros: number;
  status: string;
  failuresCount: number;
  error: string | undefined;
  retryAt: number | undefined;
  /** When it left `scheduling`. */
  startedAt: number | undefined;
  updatedAt: number;
  endedAt: number | undefined;
  /** Steps still to come. */
  steps: OperationStep[];
  /** Kind of the injected fault, if any. */
  readonly fault?: string;
  /** True if get and list no longer find the operation, as if lost. */
  vanished: boolean;
}

const FAILURES = new Set(["failed", "error", "cancelled"]);

/** True if an operation still runs. An unknown status counts as open, as clients must treat it. */
export function isOpen(operation: Operation): boolean {
  return !isSuccess(operation.status) && !FAILURES.has(operation.status);
}

/** True for a status of success. */
export function isSuccess(status: string): boolean {
  return status === "finished" || status === "skipped";
}

/** An operation's record for answers. */
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

/** An operation's record at an earlier time, for lagging lists: without later statuses, failures and errors. */
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
