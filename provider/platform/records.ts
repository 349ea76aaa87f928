/** What the platform answers, in the provider's own names: nothing outside of `wire/` sees a wire name. */

/** A project (specification, section 4, published). Only what the provider reads of it. */
export interface ProjectRecord {
  id: string;
  name?: string;
  regionId?: string;
  /** What its quota no longer allows, such as `compute time`: then the platform starts no compute of it. */
  spent?: string[];
}

/** A branch. Only what the provider reads of it. */
export interface BranchRecord {
  id: string;
  projectId: string;
  name?: string;
  /** True for the branch a project is born with. */
  primary?: boolean;
  /** The branch that it was made from; absent on a root branch. */
  parentId?: string;
  /** The branch whose place it took when a snapshot was restored. */
  restoredAs?: string;
  createdAt?: string;
}

/**
 * A compute endpoint (specification, section 2.3). What a platform may not tell is optional, and absent where it did not.
 * Enum-like fields stay strings: platforms add values. Further fields of the answer that are text, a number or a switch are
 * here as well, under their names in camelCase.
 */
export interface EndpointRecord {
  id: string;
  projectId: string;
  branchId: string;
  /** `read_write`, `read_only`, or a value this version does not know; empty where a list does not tell. */
  type: string;
  /** Absent only in lists, as are sizes and times: an endpoint that is asked for by id has them. */
  host?: string;
  proxyHost?: string;
  regionId?: string;
  /** Free-text name; the provider writes its own into the endpoints it creates (see `endpoint/ownership-name.ts`). */
  name?: string;
  currentState?: string;
  pendingState?: string;
  autoscalingLimitMinCu?: number;
  autoscalingLimitMaxCu?: number;
  /** Postgres max_connections, which the platform does not tell: what its profile says of such a size. */
  maxConnections?: number;
  /** Seconds; 0 is the platform's default, -1 never. */
  suspendTimeoutSeconds?: number;
  pgSettings?: Record<string, string>;
  /** Names, of `settings.preload_libraries`. */
  preloadLibraries?: string[];
  /** What else `settings` holds, as it came, `preload_libraries` whole. An update that sends settings sends it back. */
  otherSettings?: Record<string, unknown>;
  poolerEnabled?: boolean;
  poolerMode?: string;
  disabled?: boolean;
  passwordlessAccess?: boolean;
  lastActive?: string;
  createdAt?: string;
  updatedAt?: string;
  readonly [field: string]: unknown;
}

/** The fields of a request in camelCase; `pgSettings`, `preloadLibraries` and `otherSettings` together are the platform's `settings`. */
export type EndpointBody = Readonly<Record<string, unknown>>;

/** An operation (specification, section 2.1). */
export interface OperationRecord {
  id: string;
  projectId: string;
  branchId?: string;
  endpointId?: string;
  action: string;
  /** `scheduling`, `running`, `finished`, `failed`, or one of the further statuses (specification, section 2.1, published). */
  status: string;
  failuresCount: number;
  createdAt: string;
  updatedAt: string;
  /** Why it failed, where the platform says. */
  error?: string;
  retryAt?: string;
  totalDurationMs?: number;
}

/** One page of a list. `cursor` is absent on the last page. */
export interface Page<T> {
  items: T[];
  cursor?: string;
  /** Items of this page that were another project's. */
  leftOut?: number;
}

/** The answer of a call that changes an endpoint: the endpoint as it then is, and what the platform does about it. */
export interface EndpointChange {
  endpoint: EndpointRecord;
  operations: OperationRecord[];
}
