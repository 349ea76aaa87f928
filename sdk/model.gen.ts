// Generated from the models in provider/ by `make generate`. Do not edit.
import type { Input, Output } from "@pulumi/pulumi";

/** Values that may be outputs of other resources, those of a map too. */
export type Inputs<T> = { [Name in keyof T]: Input<Parts<T[Name]>> };
type Parts<T> = T extends Record<string, string> ? { [Name in keyof T]: Input<T[Name]> } : T;

/** What a program may say of an endpoint. */
export interface EndpointInputs {
  /** The project that owns the endpoint. A change replaces the endpoint. */
  projectId: string;
  /** The branch the endpoint serves: its id, which starts with `br-`. A change moves a read-write endpoint in place (to a branch without endpoints, as the platform has it), or replaces it where the setting `moves` is `replace`; a read replica is replaced. */
  branchId: string;
  /** `read_write`, at most one on a branch, or `read_only`, a read replica (paid plan). A change replaces the endpoint. Default "read_write". */
  type?: "read_write" | "read_only" | undefined;
  /** A name of 1 to 64 characters, as the platform shows it. A change renames in place and disturbs nothing; it stays when it is no longer set. Unset, a create gives a name by which an endpoint of an interrupted run, or whose answer was lost, is found again: a name of your own gives that up, and it is found as on a platform without names. */
  name?: string | undefined;
  /** A fixed compute size, in CU. Not together with the autoscaling limits. A change restarts the endpoint. */
  sizeCu?: number | undefined;
  /** The smallest compute size that autoscaling goes down to, in CU; sets max_connections. A change restarts the endpoint. */
  autoscalingLimitMinCu?: number | undefined;
  /** The largest compute size that autoscaling goes up to, in CU. A change restarts the endpoint. */
  autoscalingLimitMaxCu?: number | undefined;
  /** Seconds without activity after which the endpoint suspends: 1 to 604800; 0 is the platform's default (300), -1 never. Put back to 0 when it is no longer set. */
  suspendTimeoutSeconds?: number | undefined;
  /**
   * Whether connection pooling is on. Put back to false when it is no longer set.
   * @deprecated The platform has deprecated it: for pooled connections take `pooledHost`.
   */
  poolerEnabled?: boolean | undefined;
  /**
   * How the pooler shares connections. Put back to `transaction` when it is no longer set.
   * @deprecated The platform has deprecated it: for pooled connections take `pooledHost`.
   */
  poolerMode?: "transaction" | "session" | "statement" | undefined;
  /** Postgres settings by name, as text. Put back to none when it is no longer set. */
  pgSettings?: Record<string, string> | undefined;
  /** Libraries that Postgres loads when it starts, by name, in any order. A change takes effect at the endpoint's next restart (see `restartTrigger`). Names are checked against the project's list where the platform has one. Put back to none when it is no longer set. */
  preloadLibraries?: string[] | undefined;
  /** Suspends the endpoint and keeps connections from waking it. Put back to false when it is no longer set. */
  disabled?: boolean | undefined;
  /** Whether connections without a password are allowed. The platform accepts it and ignores it for now. Stays as it is when it is no longer set. */
  passwordlessAccess?: boolean | undefined;
  /** Take over the branch's read-write endpoint, such as the one every primary branch is born with, instead of creating one. What was taken over is released, not deleted, on destroy. */
  adoptExisting?: boolean | undefined;
  /** `"now"`, the default, or `"idle"`: a change in place that restarts, moves or suspends the endpoint, or may, waits until the platform shows it idle. It waits as long as `customTimeouts.update` says, 10 minutes by default; then the error is `in_use`, and nothing was sent. Creates, deletes and replacements do not wait. */
  restartWhen?: "now" | "idle" | undefined;
  /** Any text; a new value suspends and starts the endpoint, and waits for both. */
  restartTrigger?: string | undefined;
}

/** What every endpoint has besides. */
export interface EndpointOutputs {
  /** `read_write`, at most one on a branch, or `read_only`, a read replica (paid plan). A change replaces the endpoint. Default "read_write". */
  type: "read_write" | "read_only";
  /** The endpoint's id, which starts with `ep-`. */
  endpointId: string;
  /** Host name for direct connections. */
  host: string;
  /** Host name for pooled connections. */
  pooledHost: string;
  /** Host name of the region's proxy. */
  proxyHost: string;
  /** The region, as provider and region name. */
  regionId: string;
  /** When the endpoint was created, ISO 8601, UTC. */
  createdAt: string;
  /** Postgres max_connections, which the size sets as the platform says. Absent for a size of which nothing is known. */
  maxConnections?: number | undefined;
  /** The smallest compute size in force, in CU. */
  autoscalingLimitMinCu: number;
  /** The largest compute size in force, in CU. */
  autoscalingLimitMaxCu: number;
  /** Whether connection pooling is on. */
  poolerEnabled: boolean;
  /** How the pooler shares connections. */
  poolerMode: "transaction" | "session" | "statement";
  /** Postgres settings by name, as text. */
  pgSettings: Record<string, string>;
  /** Whether it is suspended and connections cannot wake it. */
  disabled: boolean;
  /** Whether connections without a password are allowed. */
  passwordlessAccess: boolean;
}

/** The inputs of an endpoint. */
export type EndpointArgs = Inputs<EndpointInputs>;

/** The properties of an endpoint, as outputs. */
export type EndpointProperties = { readonly [Name in keyof All]-?: Output<All[Name]> };
type All = Omit<EndpointInputs, keyof EndpointOutputs> & EndpointOutputs;

/** Inputs of an endpoint that hold for every member of a fleet that does not set them itself. */
export type FleetDefaults = Partial<Omit<EndpointArgs, "name">>;

/** A member of a fleet: the inputs of its endpoint, and its options. */
export interface FleetMember extends Partial<EndpointArgs> {
  /** Whether a plan that deletes or replaces the endpoint is refused, a delete of the whole fleet too. */
  protect?: Input<boolean> | undefined;
  /** Whether the endpoint stays on the platform when the member, or the fleet, is deleted. */
  retainOnDelete?: Input<boolean> | undefined;
  /** An endpoint to take over, `PROJECT/ENDPOINT`, instead of creating one. It becomes the fleet's own, and whatever differs from the program changes in place. Ignored once the fleet has it, except with `--replace`. */
  importId?: Input<string> | undefined;
}

/** A member of a fleet as it is. */
export type FleetEndpoint = Partial<EndpointInputs> & Pick<EndpointOutputs, "endpointId" | "host" | "pooledHost">;

/** The waves in which a fleet's members go. */
export interface FleetRollout {
  /** How many members may be away at a time: a number, or per cent of the fleet's members, rounded down, to no less than one. Default `25%`. */
  maxUnavailable?: Input<number | string> | undefined;
  /** Keys of members that come first and alone, with the members that must precede them. */
  canary?: Input<string[]> | undefined;
  /** After so many failures nothing more that may cut connections begins; the rest goes on. An endpoint that is in use does not count. Default 1. */
  maxFailures?: Input<number> | undefined;
}

/** The inputs of a fleet. */
export interface EndpointFleetArgs {
  /** The project of every member that names none of its own. */
  projectId?: Input<string> | undefined;
  /** Inputs that hold for every member that does not set them itself. A member with `sizeCu` leaves their limits out, and one with a limit their `sizeCu`. */
  defaults?: Input<FleetDefaults> | undefined;
  /** The endpoints by their keys: 1 to 63 characters of letters, digits, `.`, `_` and `-`. The key is the identity: another key is another endpoint. */
  endpoints: Input<Record<string, Input<FleetMember>>>;
  /** How many endpoints a plan may delete or replace; one that needs more is refused. Default: half of the members, or all of one or two. The deletion of the fleet itself does not count. */
  maxDeletions?: Input<number> | undefined;
  /** Has members whose changes cut connections, or may, go in waves. Default: all at once. */
  rollout?: Input<FleetRollout> | undefined;
}

/** A branch as the functions give it. */
export interface BranchInfo {
  /** The branch's id, which starts with `br-`. */
  id: string;
  /** The project. */
  projectId: string;
  /** The branch's name, where the platform tells it. */
  name?: string | undefined;
  /** Whether it is the branch that the project was born with. */
  primary: boolean;
  /** The branch that it was made from. */
  parentId?: string | undefined;
  /** When it was created, ISO 8601, UTC. */
  createdAt?: string | undefined;
  /** Whether it and its endpoints cannot be deleted, where the platform tells it. */
  protected?: boolean | undefined;
  /** When the platform deletes it with its endpoints, ISO 8601, UTC; absent where that is never. */
  expiresAt?: string | undefined;
}

/** An endpoint as the functions give it. */
export interface EndpointInfo extends Omit<EndpointOutputs, "type" | "poolerMode"> {
  /** The resource id, PROJECT/ENDPOINT, which is also what import takes. */
  id: string;
  /** The project. */
  projectId: string;
  /** The branch's id, which starts with `br-`. */
  branchId: string;
  /** `read_write`, `read_only`, or a value that this version does not know. */
  type: string;
  /** How the pooler shares connections. */
  poolerMode: string;
  /** Postgres settings by name. */
  pgSettings: Record<string, string>;
  /** Whether connections cannot wake it. */
  disabled: boolean;
  /** Memory at the minimum size, in GB. */
  memoryGbMin: number;
  /** Memory at the maximum size, in GB. */
  memoryGbMax: number;
  /** Virtual CPUs at the minimum size. */
  vcpuMin: number;
  /** Virtual CPUs at the maximum size. */
  vcpuMax: number;
  /** Seconds without activity before it suspends; 0 the platform's default, -1 never. */
  suspendTimeoutSeconds?: number | undefined;
  /** Libraries that Postgres loads when it starts, where the platform tells them. */
  preloadLibraries?: string[] | undefined;
  /** The endpoint's name on the platform. */
  name?: string | undefined;
  /** `init`, `active`, `idle`, `stopped`, or a newer value. */
  currentState?: string | undefined;
  /** The state it is on the way to. */
  pendingState?: string | undefined;
  /** When it was last used, ISO 8601, UTC; absent where that was never. */
  lastActive?: string | undefined;
  /** When its compute was last started, ISO 8601, UTC. */
  startedAt?: string | undefined;
  /** When its compute was last suspended, ISO 8601, UTC. */
  suspendedAt?: string | undefined;
  /** The release that its compute runs, where the platform tells it. */
  computeReleaseVersion?: string | undefined;
  /** What it was created by, such as `console`, where the platform tells it. */
  creationSource?: string | undefined;
  /** When it was last changed, ISO 8601, UTC. */
  updatedAt: string;
}

/** An operation as the functions give it. */
export interface OperationInfo {
  /** The operation's id. */
  id: string;
  /** The project. */
  projectId: string;
  /** The branch it runs on. */
  branchId?: string | undefined;
  /** The endpoint it concerns, where it concerns one. */
  endpointId?: string | undefined;
  /** What it does, such as `start_compute`. */
  action: string;
  /** `scheduling`, `running`, `finished`, `failed`, or a newer value. */
  status: string;
  /** How often it has failed. */
  failuresCount: number;
  /** When it was created, ISO 8601, UTC. */
  createdAt: string;
  /** When it was last changed, ISO 8601, UTC. */
  updatedAt: string;
  /** Why it failed, where the platform says. */
  error?: string | undefined;
  /** When the platform tried again last, where it says. */
  retryAt?: string | undefined;
  /** How long it took, in milliseconds, where the platform says. */
  totalDurationMs?: number | undefined;
}

/** Arguments of `getBranch`. Reads one branch: by its name, or the project's primary one. */
export interface GetBranchArgs {
  /** The project. */
  projectId: string;
  /** The branch's name, such as `main`. Default: the project's primary branch. */
  name?: string | undefined;
}

/** Arguments of `getBranches`. Lists the branches of a project. */
export interface GetBranchesArgs {
  /** The project. */
  projectId: string;
}

/** Arguments of `getEndpoint`. Reads one endpoint: by its id, or the read-write endpoint of a branch. */
export interface GetEndpointArgs {
  /** The project. */
  projectId: string;
  /** The endpoint's id. Give this or `branchId`. */
  endpointId?: string | undefined;
  /** The branch whose read-write endpoint is wanted. */
  branchId?: string | undefined;
}

/** Arguments of `getEndpoints`. Lists the endpoints of a project, or of one branch. */
export interface GetEndpointsArgs {
  /** The project. */
  projectId: string;
  /** The branch's id, which starts with `br-`. */
  branchId?: string | undefined;
  /** Only endpoints of this type. */
  type?: string | undefined;
}

/** Arguments of `getOperation`. Reads one operation. */
export interface GetOperationArgs {
  /** The project. */
  projectId: string;
  /** The operation's id. */
  operationId: string;
}

/** Arguments of `getOperations`. Lists the operations of a project, most recent first. */
export interface GetOperationsArgs {
  /** The project. */
  projectId: string;
  /** Only operations of this endpoint. */
  endpointId?: string | undefined;
  /** Only operations of this branch. */
  branchId?: string | undefined;
  /** Only operations with this status. */
  status?: string | undefined;
  /** How many at most. Default 100. */
  limit?: number | undefined;
}
