/** An endpoint of the platform: its record, and what its compute does. */
import type { Settings } from "../settings/settings";

/** Read-write, of which a branch has at most one, or a read replica (specification, section 1). */
export type EndpointType = "read_write" | "read_only";

/** The states of an endpoint (specification, section 3.2). */
export type EndpointState = "init" | "active" | "idle" | "stopped";

/** Settings of the Postgres that an endpoint runs (specification, section 2.3). */
export interface EndpointSettings {
  pg_settings: Record<string, string>;
  pgbouncer_settings?: Record<string, string>;
  preload_libraries?: { use_defaults?: boolean; enabled_libraries?: string[] };
}

/** A compute endpoint as answers carry it (specification, section 2.3, and its further fields, published). */
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
  /** Seconds; 0 stands for the default of 300, -1 for never. */
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

/** An endpoint with what only the emulator knows of it. The record is never changed, only replaced. */
export interface Endpoint {
  record: Readonly<EndpointRecord>;
  /** Open client connections. */
  connections: number;
  /** Connections that wait for the compute to become active. */
  waiting: number;
  /** Connections that restarts, moves and suspends have cut so far. */
  dropped: number;
  /** Last access, in milliseconds since the epoch; the autosuspend delay counts from it. */
  lastActiveAt: number;
  /** When the next look at its idleness is due; `undefined` when none is. */
  suspendCheckAt: number | undefined;
  /** Whether what is under way stops the compute and starts it again; read only while there is a pending state. */
  restarting?: boolean;
  /** Properties that the running compute still has from before a change without a restart. Absent if it matches the record. */
  outdated?: Pick<EndpointRecord, "branch_id" | "autoscaling_limit_min_cu" | "autoscaling_limit_max_cu"> | undefined;
}

/** The autosuspend delay that applies where none was set, in seconds (specification, section 3.4). */
export const DEFAULT_SUSPEND_SECONDS = 300;

/** Of Postgres's own modules those that are loaded at its start. */
export const PRELOAD_LIBRARIES = ["auto_explain", "pg_prewarm", "pg_stat_statements"] as const;

/** The longest autosuspend delay, in seconds: seven days (specification, section 3.4). */
export const MAX_SUSPEND_SECONDS = 604_800;

/** The autosuspend delay in milliseconds; infinite when the endpoint never suspends (specification, section 3.4). */
export function suspendDelayMs(
  record: EndpointRecord,
  { alwaysActiveAboveCu = Number.POSITIVE_INFINITY }: Pick<Settings, "alwaysActiveAboveCu">,
): number {
  const seconds = record.suspend_timeout_seconds;
  if (seconds < 0 || record.autoscaling_limit_max_cu > alwaysActiveAboveCu) return Number.POSITIVE_INFINITY;
  return (seconds || DEFAULT_SUSPEND_SECONDS) * 1000;
}

/** Whether the endpoint's compute runs or is about to for the first time. */
export function isRunning(record: EndpointRecord): boolean {
  return record.current_state === "active" || (record.current_state === "init" && record.pending_state === "active");
}

/**
 * Host name of an endpoint or, without an id, of its region's proxy (specification, section 2.3): the region part is
 * `region.provider`.
 */
export function hostName(regionId: string, serviceDomain: string, endpointId?: string): string {
  const dash = regionId.indexOf("-");
  const regionPart = dash > 0 ? `${regionId.slice(dash + 1)}.${regionId.slice(0, dash)}` : regionId;
  return [...(endpointId ? [endpointId] : []), regionPart, serviceDomain].join(".");
}
