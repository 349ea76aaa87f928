/**
 * Models of the platform's records, in camelCase. They parse answers, and the types and function results derive from
 * them. An optional field is absent if the platform leaves it out. Wire names stay inside `wire/`.
 */
import { z } from "zod";
import { ID_PATTERN, OPERATION_ID_PATTERN } from "../lib/ids";

/** The id of a project, branch or endpoint (specification, section 2, published). */
const id = z.string().regex(ID_PATTERN);
const projectId = id.describe("The project.");
const text = z.string().exactOptional();
const amount = z.number().exactOptional();

/** A project (specification, section 4, published): the fields that the provider reads. */
export const projectModel = z.object({
  id,
  name: text,
  regionId: text,
  /** Used-up quotas, such as `compute time`. The platform starts no compute of such a project. */
  spent: z.array(z.string()).exactOptional(),
});

/** A project. */
export type ProjectRecord = z.output<typeof projectModel>;

/** A branch (specification, section 4, published): the fields that the provider reads. */
export const branchModel = z.object({
  id: id.describe("The branch's id, which starts with `br-`."),
  projectId,
  name: z.string().describe("The branch's name, where the platform tells it.").exactOptional(),
  primary: z.boolean().describe("Whether it is the branch that the project was born with.").exactOptional(),
  parentId: id.describe("The branch that it was made from.").exactOptional(),
  createdAt: z.string().describe("When it was created, ISO 8601, UTC.").exactOptional(),
  protected: z
    .boolean()
    .describe("Whether it and its endpoints cannot be deleted, where the platform tells it.")
    .exactOptional(),
  expiresAt: z
    .string()
    .describe("When the platform deletes it with its endpoints, ISO 8601, UTC; absent where that is never.")
    .exactOptional(),
  /** The branch that replaced this one when a snapshot was restored. */
  restoredAs: id.exactOptional(),
  /** Actions that the platform refuses on it, each with the reason. */
  restrictedActions: z.array(z.object({ name: z.string(), reason: z.string() })).exactOptional(),
});

/** A branch. */
export type BranchRecord = z.output<typeof branchModel>;

/**
 * A compute endpoint (specification, section 2.3, published). Enums are strings, as platforms add values; further plain
 * fields are kept.
 */
export const endpointRecordModel = z.looseObject({
  id,
  projectId,
  branchId: id.describe("The branch's id, which starts with `br-`."),
  /** Empty if a list leaves it out. */
  type: z.string().describe("`read_write`, `read_only`, or a value that this version does not know."),
  host: text,
  proxyHost: text,
  regionId: text,
  autoscalingLimitMinCu: amount,
  autoscalingLimitMaxCu: amount,
  /** Postgres max_connections, from the platform's profile: answers lack it. */
  maxConnections: amount,
  createdAt: text,
  suspendTimeoutSeconds: z
    .number()
    .describe("Seconds without activity before it suspends; 0 the platform's default, -1 never.")
    .meta({ integer: true })
    .exactOptional(),
  poolerEnabled: z.boolean().describe("Whether connection pooling is on.").exactOptional(),
  poolerMode: z.string().describe("How the pooler shares connections.").exactOptional(),
  pgSettings: z.record(z.string(), z.string()).describe("Postgres settings by name.").exactOptional(),
  preloadLibraries: z
    .array(z.string())
    .describe("Libraries that Postgres loads when it starts, where the platform tells them.")
    .exactOptional(),
  /** The other fields of `settings`, unchanged, and the whole `preload_libraries`: updates send them back. */
  otherSettings: z.record(z.string(), z.unknown()).exactOptional(),
  disabled: z.boolean().describe("Whether connections cannot wake it.").exactOptional(),
  passwordlessAccess: z.boolean().describe("Whether connections without a password are allowed.").exactOptional(),
  /** Created endpoints get a name of the provider's own (see `endpoint/ownership-name.ts`). */
  name: z.string().describe("The endpoint's name on the platform.").exactOptional(),
  currentState: z.string().describe("`init`, `active`, `idle`, `stopped`, or a newer value.").exactOptional(),
  pendingState: z.string().describe("The state it is on the way to.").exactOptional(),
  lastActive: z.string().describe("When it was last used, ISO 8601, UTC; absent where that was never.").exactOptional(),
  updatedAt: z.string().describe("When it was last changed, ISO 8601, UTC.").exactOptional(),
});

/** A compute endpoint. */
export type EndpointRecord = z.output<typeof endpointRecordModel>;

/** Fields of an endpoint that is read by id; a list may lack them. */
export const wholeRecord = {
  host: true,
  autoscalingLimitMinCu: true,
  autoscalingLimitMaxCu: true,
  createdAt: true,
  updatedAt: true,
} as const;

/**
 * The fields of a request in camelCase. The platform's `settings` are `pgSettings`, `preloadLibraries` and
 * `otherSettings`.
 */
export type EndpointBody = Readonly<Record<string, unknown>>;

/** An operation (specification, section 2.1, published). */
export const operationModel = z.object({
  id: z.string().regex(OPERATION_ID_PATTERN).describe("The operation's id."),
  projectId,
  branchId: id.describe("The branch it runs on.").exactOptional(),
  endpointId: id.describe("The endpoint it concerns, where it concerns one.").exactOptional(),
  action: z.string().describe("What it does, such as `start_compute`."),
  status: z.string().describe("`scheduling`, `running`, `finished`, `failed`, or a newer value."),
  failuresCount: z.number().describe("How often it has failed.").meta({ integer: true }),
  createdAt: z.string().describe("When it was created, ISO 8601, UTC."),
  updatedAt: z.string().describe("When it was last changed, ISO 8601, UTC."),
  error: z.string().describe("Why it failed, where the platform says.").exactOptional(),
  retryAt: z.string().describe("When the platform tried again last, where it says.").exactOptional(),
  totalDurationMs: z
    .number()
    .describe("How long it took, in milliseconds, where the platform says.")
    .meta({ integer: true })
    .exactOptional(),
});

/** An operation. */
export type OperationRecord = z.output<typeof operationModel>;

/** One page of a list. `cursor` is absent on the last page. */
export interface Page<T> {
  items: T[];
  cursor?: string;
}

/** The answer to a change: the endpoint after the change and the started operations. */
export interface EndpointChange {
  endpoint: EndpointRecord;
  operations: OperationRecord[];
}
