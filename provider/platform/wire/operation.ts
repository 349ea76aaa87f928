import { z } from "zod";
import type { OperationRecord } from "../records";
import { id, operationId, optional, optionalText, present, text } from "./fields";

const MAX_ERROR = 2_048;

/** An operation (specification, section 2.1; public facts, operations). */
export const operationSchema = z
  .object({
    id: operationId,
    project_id: id,
    branch_id: optional(id),
    endpoint_id: optional(id),
    action: text(),
    status: text(),
    failures_count: optional(z.number()),
    created_at: text(),
    updated_at: text(),
    error: optionalText(MAX_ERROR),
    retry_at: optionalText(),
    total_duration_ms: optional(z.number()),
  })
  .transform(
    (wire): OperationRecord =>
      present({
        id: wire.id,
        projectId: wire.project_id,
        branchId: wire.branch_id,
        endpointId: wire.endpoint_id,
        action: wire.action,
        status: wire.status,
        failuresCount: wire.failures_count ?? 0,
        createdAt: wire.created_at,
        updatedAt: wire.updated_at,
        error: wire.error,
        retryAt: wire.retry_at,
        totalDurationMs: wire.total_duration_ms,
      }),
  );
