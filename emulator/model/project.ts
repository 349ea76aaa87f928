/** A project: its branches, endpoints and operations, and the limits of its plan. */
import type { Plan } from "../settings/platforms";
import type { Annotation, BranchRecord } from "./branch";
import type { Endpoint, EndpointRecord } from "./endpoint";
import type { Operation } from "./operation";
import { OperationLog } from "./operation-log";

/** The account that owns every project. */
export const OWNER_ID = "emulated-owner";

/** The role and database of clients; every branch has them from its creation. */
export interface Login {
  role: string;
  database: string;
}

/** Role and database of a project created without names for them. */
export const DEFAULT_LOGIN: Login = { role: "postgres", database: "postgres" };

/** A project as in answers. */
export interface ProjectRecord {
  id: string;
  name: string;
  region_id: string;
  platform_id: string;
  proxy_host: string;
  pg_version: number;
  provisioner: string;
  store_passwords: boolean;
  history_retention_seconds: number;
  creation_source: string;
  /** Defaults for new endpoints without settings. */
  default_endpoint_settings?: DefaultEndpointSettings;
  /** Stored only: the emulator has no quotas and no firewall. */
  settings?: Record<string, unknown>;
  org_id?: string;
  owner_id: string;
  branch_logical_size_limit: number;
  branch_logical_size_limit_bytes: number;
  cpu_used_sec: number;
  active_time_seconds: number;
  compute_time_seconds: number;
  written_data_bytes: number;
  data_transfer_bytes: number;
  data_storage_bytes_hour: number;
  consumption_period_start: string;
  consumption_period_end: string;
  created_at: string;
  updated_at: string;
}

/** A project's default settings for new endpoints. */
export interface DefaultEndpointSettings {
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  suspend_timeout_seconds?: number;
  pg_settings?: Record<string, string>;
  pgbouncer_settings?: Record<string, string>;
}

/** Usage fields that the list of projects lacks. */
const USAGE = new Set([
  "active_time_seconds",
  "compute_time_seconds",
  "written_data_bytes",
  "data_transfer_bytes",
  "data_storage_bytes_hour",
  "consumption_period_start",
  "consumption_period_end",
]);

interface Undo {
  at: number;
  id: string;
  before: EndpointRecord | undefined;
}

// Enough for lists that lag by minutes, and bounded for days of running.
const UNDO_LIMIT = 50_000;

/** A project's record as in the list, with only one usage field. */
export function toListRecord(record: ProjectRecord): Partial<ProjectRecord> {
  const listed = Object.fromEntries(Object.entries(record).filter(([field]) => !USAGE.has(field)));
  return { ...listed, active_time: record.active_time_seconds } as Partial<ProjectRecord>;
}

/** True for a valid name of a role or database: not reserved, printable, up to 63 bytes. */
export function isLoginName(name: string): boolean {
  const isReserved = /^(?:pg_|pgcompute_)|^(?:public|none|template[01])$/.test(name);
  // A line break would end a statement in the server's single-user mode.
  return !isReserved && /^\P{C}+$/u.test(name) && Buffer.byteLength(name) <= 63;
}

/** A project with its branches, endpoints and operations, indexed for cheap calls. */
export class Project {
  record: ProjectRecord;
  readonly plan: Plan;
  readonly login: Login;
  readonly branches = new TrackedMap<string, BranchRecord>();
  /** By branch; absent for branches without annotations. */
  readonly annotations = new TrackedMap<string, Annotation>();
  readonly endpoints = new TrackedMap<string, Endpoint>();
  readonly operations = new OperationLog();
  /** Open operations by their endpoint, or else by their branch. */
  readonly open = new Map<string, Set<Operation>>();
  /** True once its delete has begun; then it accepts no change. */
  deleting = false;
  #byBranch = new Map<string, Set<string>>();
  #undo: Undo[] = [];

  constructor(record: ProjectRecord, plan: Plan, login: Login) {
    this.record = record;
    this.plan = plan;
    this.login = login;
  }

  /** The branches without snapshots. */
  *shownBranches(): Iterable<BranchRecord> {
    for (const branch of this.branches.values()) if (!branch.snapshot) yield branch;
  }

  /** The project's first branch. */
  primaryBranch(): BranchRecord | undefined {
    for (const branch of this.branches.values()) if (branch.primary) return branch;
    return undefined;
  }

  /** The endpoints on a branch, in order of arrival. */
  endpointsOn(branchId: string): Endpoint[] {
    const found: Endpoint[] = [];
    for (const id of this.#byBranch.get(branchId) ?? []) {
      const endpoint = this.endpoints.get(id);
      if (endpoint) found.push(endpoint);
    }
    return found;
  }

  addEndpoint(endpoint: Endpoint, now: number): void {
    const { id, branch_id } = endpoint.record;
    this.endpoints.set(id, endpoint);
    this.#attach(branch_id, id);
    this.#remember({ at: now, id, before: undefined });
  }

  /** Replaces fields of an endpoint's record; `undefined` removes a field. */
  changeEndpoint(endpoint: Endpoint, changes: Partial<EndpointRecord>, now: number): void {
    const before = endpoint.record;
    const merged = { ...before, ...changes };
    if (merged.pending_state === undefined) delete merged.pending_state;

    endpoint.record = merged;
    if (this.endpoints.has(before.id)) this.endpoints.set(before.id, endpoint);
    if (merged.branch_id !== before.branch_id) {
      this.#byBranch.get(before.branch_id)?.delete(before.id);
      this.#attach(merged.branch_id, merged.id);
    }
    this.#remember({ at: now, id: before.id, before });
  }

  removeEndpoint(endpoint: Endpoint, now: number): void {
    const { id, branch_id } = endpoint.record;
    this.endpoints.delete(id);
    this.#byBranch.get(branch_id)?.delete(id);
    this.#remember({ at: now, id, before: endpoint.record });
  }

  /** The endpoints' records at an earlier time, by undoing later changes (50,000 at most). */
  endpointsAt(at: number): EndpointRecord[] {
    const records = new Map<string, EndpointRecord>();
    for (const [id, endpoint] of this.endpoints) records.set(id, endpoint.record);

    for (let index = this.#undo.length - 1; index >= 0; index--) {
      const undo = this.#undo[index];
      if (!undo || undo.at <= at) break;
      if (undo.before) records.set(undo.id, undo.before);
      else records.delete(undo.id);
    }
    return [...records.values()];
  }

  /** True while any operation is open. */
  isBusy(): boolean {
    return this.open.size > 0;
  }

  #attach(branchId: string, endpointId: string): void {
    const ids = this.#byBranch.get(branchId);
    if (ids) ids.add(endpointId);
    else this.#byBranch.set(branchId, new Set([endpointId]));
  }

  #remember(undo: Undo): void {
    this.#undo.push(undo);
    if (this.#undo.length > UNDO_LIMIT * 1.25) this.#undo.splice(0, this.#undo.length - UNDO_LIMIT);
  }
}

/** A map that records which keys were set or removed since the last `takeChanges`. */
class TrackedMap<K, V> extends Map<K, V> {
  readonly #changed = new Set<K>();

  override set(key: K, value: V): this {
    this.#changed.add(key);
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    this.#changed.add(key);
    return super.delete(key);
  }

  override clear(): void {
    for (const key of this.keys()) this.#changed.add(key);
    super.clear();
  }

  /** Changes since the last call, by key; `null` for a removed value. */
  takeChanges(): [K, V | null][] {
    if (this.#changed.size === 0) return [];
    const changes = [...this.#changed].map((key): [K, V | null] => [key, this.get(key) ?? null]);
    this.#changed.clear();
    return changes;
  }
}
