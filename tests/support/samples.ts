/** Endpoints and operations as the platform sends them, and as the provider knows them. */
import type { EndpointRecord } from "../../provider/platform/records";

/** An endpoint as the platform sends it. */
export function wireEndpoint(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: "ep-calm-sea-1",
    project_id: "p-one",
    branch_id: "br-main-1",
    host: "ep-calm-sea-1.eu-central-1.aws.example.com",
    proxy_host: "eu-central-1.aws.example.com",
    region_id: "aws-eu-central-1",
    type: "read_write",
    current_state: "init",
    pending_state: "active",
    autoscaling_limit_min_cu: 0.25,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 0,
    settings: { pg_settings: { work_mem: "64MB" } },
    pooler_enabled: false,
    pooler_mode: "transaction",
    disabled: false,
    passwordless_access: true,
    created_at: "2025-01-01T00:00:00Z",
    updated_at: "2025-01-01T00:00:00Z",
    ...change,
  };
}

/** An operation as the platform sends it. */
export function wireOperation(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: "a07f8772-1877-4da9-a939-3a3ae62d1d8d",
    project_id: "p-one",
    branch_id: "br-main-1",
    endpoint_id: "ep-calm-sea-1",
    action: "start_compute",
    status: "running",
    failures_count: 0,
    created_at: "2025-01-01T00:00:00Z",
    updated_at: "2025-01-01T00:00:00Z",
    ...change,
  };
}

/** An endpoint as the provider knows it. */
export function endpointRecord(change: Partial<EndpointRecord> = {}): EndpointRecord {
  return {
    id: "ep-old-1",
    projectId: "shop-1",
    branchId: "br-main-1",
    type: "read_write",
    host: "ep-old-1.example",
    autoscalingLimitMinCu: 0.25,
    autoscalingLimitMaxCu: 1,
    currentState: "idle",
    pgSettings: {},
    poolerEnabled: false,
    disabled: false,
    passwordlessAccess: false,
    createdAt: "2024-05-01T10:00:00Z",
    updatedAt: "2024-05-01T10:00:00Z",
    ...change,
  };
}
