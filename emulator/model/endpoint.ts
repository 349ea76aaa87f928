/** An endpoint: its record, and the state of its compute. */
import type { Settings } from "../settings/settings";

/** Read-write (at most one per branch), or a read replica (specification, section 1). */
export type EndpointType = "read_write" | "read_only";

/** The states of an endpoint (specification, section 3.2). */
export type EndpointState = "init" | "active" | "idle" | "stopped";

/** Postgres settings of an endpoint (specification, section 2.3). */
export interface EndpointSettings {
  pg_settings: Record<string, string>;
  pgbouncer_settings?: Record<string, string>;
  preload_libraries?: { use_defaults?: boolean; enabled_libraries?: string[] };
}

/** An endpoint as in answers (specification, section 2.3, and its further fields, published). */
export interface EndpointRecord {
  id: string;
  name?: string;
  project_id: string;
  branch_id: string;
  host: string;
  proxy_host: string;
  region_id: string;
  type: EndpointType;
  current_state: EndpointState;
  pending_state?: EndpointState;
  autoscaling_limit_min_cu: number;
  autoscaling_limit_max_cu: number;
  /** Seconds; 0 for the default of 300, -1 for never. */
  suspend_timeout_seconds: number;
  settings: EndpointSettings;
  pooler_enabled: boolean;
  pooler_mode: string;
  disabled: boolean;
  passwordless_access: boolean;
  provisioner: string;
  creation_source: string;
  last_active?: string;
  started_at?: string;
  suspended_at?: string;
  created_at: string;
  updated_at: string;
}

/** An endpoint with the emulator's own data. Its record is replaced, never changed. */
export interface Endpoint {
  record: Readonly<EndpointRecord>;
  /** Open client connections. */
  connections: number;
  /** Connections that wait for the compute. */
  waiting: number;
  /** Connections cut so far by restarts, moves and suspends. */
  dropped: number;
  /** Last use, in milliseconds since the epoch; start of the autosuspend delay. */
  lastActiveAt: number;
  /** Time of the next idle check; `undefined` for none. */
  suspendCheckAt: number | undefined;
  /** True if the open operations restart the compute; read only in a pending state. */
  restarting?: boolean;
  /**
   * Properties that the running compute has from before a change without a restart. Absent if it matches the record.
   */
  outdated?: Pick<EndpointRecord, "branch_id" | "autoscaling_limit_min_cu" | "autoscaling_limit_max_cu"> | undefined;
}

/** Default autosuspend delay, in seconds (specification, section 3.4). */
export const DEFAULT_SUSPEND_SECONDS = 300;

/** Postgres's own modules that are preloaded. */
export const PRELOAD_LIBRARIES = ["auto_explain", "pg_prewarm", "pg_stat_statements"] as const;

/** Maximum autosuspend delay, in seconds: seven days (specification, section 3.4). */
export const MAX_SUSPEND_SECONDS = 604_800;

/** The autosuspend delay in milliseconds; infinite for never (specification, section 3.4). */
export function suspendDelayMs(
  record: EndpointRecord,
  { alwaysActiveAboveCu = Number.POSITIVE_INFINITY }: Pick<Settings, "alwaysActiveAboveCu">,
): number {
  const seconds = record.suspend_timeout_seconds;
  if (seconds < 0 || record.autoscaling_limit_max_cu > alwaysActiveAboveCu) return Number.POSITIVE_INFINITY;
  return (seconds || DEFAULT_SUSPEND_SECONDS) * 1000;
}

/** True if the compute runs, or is about to for the first time. */
export function isRunning(record: EndpointRecord): boolean {
  return record.current_state === "active" || (record.current_state === "init" && record.pending_state === "active");
}

/**
 * Host name of an endpoint or, without an id, of its region's proxy (specification, section 2.3). The region part is
 * `region.provider`.
 */
export function hostName(regionId: string, serviceDomain: string, endpointId?: string): string {
  const dash = regionId.indexOf("-");
  const regionPart = dash > 0 ? `${regionId.slice(dash + 1)}.${regionId.slice(0, dash)}` : regionId;
  return [...(endpointId ? [endpointId] : []), regionPart, serviceDomain].join(".");
}
