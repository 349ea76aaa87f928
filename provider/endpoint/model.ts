import { z } from "zod";

/** Kinds of compute endpoint (specification, section 2.3). */
export const endpointTypes = ["read_write", "read_only"] as const;

/** Pooler modes. The specification shows `transaction`; `session` and `statement` are the pooler's own further modes. */
export const poolerModes = ["transaction", "session", "statement"] as const;

/**
 * The inputs of an endpoint: the single source of the TypeScript types, of check, of `schema.json` and of the
 * reference page. Units and defaults stand in the descriptions.
 */
export const endpointModel = z.object({
  projectId: z
    .string()
    .describe("The project that owns the endpoint. A change replaces the endpoint.")
    .meta({ section: "2.3", replaceOnChanges: true }),
  branchId: z
    .string()
    .describe(
      "The branch the endpoint serves: its id, which starts with `br-`. A change moves the endpoint in place where the " +
        "platform allows it (the target branch has no endpoint), and otherwise replaces it.",
    )
    .meta({ section: "2.3, 3.2, 4.5" }),
  type: z
    .enum(endpointTypes)
    .default("read_write")
    .describe(
      "`read_write`, at most one on a branch, or `read_only`, a read replica (paid plan). A change replaces the endpoint.",
    )
    .meta({ section: "1, 2.3", replaceOnChanges: true, enumName: "EndpointType" }),
  sizeCu: z
    .number()
    .optional()
    .describe("A fixed compute size, in CU. Not together with the autoscaling limits. A change restarts the endpoint.")
    .meta({ section: "2.4, 3.3" }),
  autoscalingLimitMinCu: z
    .number()
    .optional()
    .describe(
      "The smallest compute size that autoscaling goes down to, in CU; sets max_connections. A change restarts the endpoint.",
    )
    .meta({ section: "2.4, 3.3" }),
  autoscalingLimitMaxCu: z
    .number()
    .optional()
    .describe("The largest compute size that autoscaling goes up to, in CU. A change restarts the endpoint.")
    .meta({ section: "2.4, 3.3" }),
  suspendTimeoutSeconds: z
    .number()
    .optional()
    .describe(
      "Seconds without activity after which the endpoint suspends: 1 to 604800; 0 is the platform's default (300), -1 never. " +
        "Put back to 0 when it is no longer set.",
    )
    .meta({ section: "3.4", resetTo: 0, integer: true }),
  poolerEnabled: z
    .boolean()
    .optional()
    .describe("Whether connection pooling is on. Put back to false when it is no longer set.")
    .meta({ section: "2.3", resetTo: false }),
  poolerMode: z
    .enum(poolerModes)
    .optional()
    .describe("How the pooler shares connections. Put back to `transaction` when it is no longer set.")
    .meta({ section: "2.3", resetTo: "transaction", enumName: "PoolerMode" }),
  pgSettings: z
    .record(z.string(), z.string())
    .optional()
    .describe("Postgres settings by name, as text. Put back to none when it is no longer set.")
    .meta({ section: "2.3, 2.4", resetTo: {} }),
  disabled: z
    .boolean()
    .optional()
    .describe("Suspends the endpoint and keeps connections from waking it. Put back to false when it is no longer set.")
    .meta({ section: "2.3", resetTo: false }),
  passwordlessAccess: z
    .boolean()
    .optional()
    .describe("Whether connections without a password are allowed. Stays as it is when it is no longer set.")
    .meta({ section: "2.3" }),
  adoptExisting: z
    .boolean()
    .optional()
    .describe(
      "Take over the branch's read-write endpoint, such as the one every primary branch is born with, instead of creating " +
        "one. What was taken over is released, not deleted, on destroy.",
    )
    .meta({ section: "1" }),
  restartTrigger: z
    .string()
    .optional()
    .describe("Any text; a new value suspends and starts the endpoint, and waits for both.")
    .meta({ section: "3.3" }),
});

/** The inputs of an endpoint after check: known values only. */
export type EndpointInputs = z.output<typeof endpointModel>;

/** A property of the inputs. */
export type EndpointProperty = keyof typeof endpointModel.shape;

/** All input properties, in the order of the model. */
export const endpointProperties = Object.keys(endpointModel.shape) as EndpointProperty[];

/** Inputs that are sent to the platform as they are, and what they go back to when a program stops setting them. */
export const resettable = {
  suspendTimeoutSeconds: 0,
  poolerEnabled: false,
  poolerMode: "transaction",
  pgSettings: {},
  disabled: false,
} as const satisfies Partial<EndpointInputs>;

/** Inputs without a default: they stay as they are when a program stops setting them. */
export const sticky = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu", "passwordlessAccess"] as const;

/**
 * The outputs that every endpoint has besides those that the program has to set, the source of the schema's and the
 * reference's descriptions. Until the endpoint is there, those that the program does not set are not known.
 */
export const endpointOutputs = z.object({
  endpointId: z.string().describe("The endpoint's id, which starts with `ep-`.").meta({ section: "2.3" }),
  host: z.string().describe("Host name for direct connections.").meta({ section: "2.3" }),
  pooledHost: z.string().describe("Host name for pooled connections.").meta({ section: "2.4" }),
  proxyHost: z.string().describe("Host name of the region's proxy.").meta({ section: "2.3" }),
  regionId: z.string().describe("The region, as provider and region name.").meta({ section: "2.3" }),
  createdAt: z.string().describe("When the endpoint was created, ISO 8601, UTC.").meta({ section: "2.3" }),
  autoscalingLimitMinCu: z.number().describe("The smallest compute size in force, in CU.").meta({ section: "2.3" }),
  autoscalingLimitMaxCu: z.number().describe("The largest compute size in force, in CU.").meta({ section: "2.3" }),
  maxConnections: z
    .int()
    .optional()
    .describe("Postgres max_connections, which the minimum size sets. Absent for a size outside the table.")
    .meta({ section: "2.4" }),
  memoryGbMin: z.number().describe("Memory at the minimum size, in GB.").meta({ section: "2.4" }),
  memoryGbMax: z.number().describe("Memory at the maximum size, in GB.").meta({ section: "2.4" }),
  vcpuMin: z.number().describe("Virtual CPUs at the minimum size.").meta({ section: "2.4" }),
  vcpuMax: z.number().describe("Virtual CPUs at the maximum size.").meta({ section: "2.4" }),
  poolerEnabled: z.boolean().describe("Whether connection pooling is on.").meta({ section: "2.3" }),
  poolerMode: z
    .enum(poolerModes)
    .describe("How the pooler shares connections.")
    .meta({ section: "2.3", enumName: "PoolerMode" }),
  pgSettings: z
    .record(z.string(), z.string())
    .describe("Postgres settings by name, as text.")
    .meta({ section: "2.3, 2.4" }),
  disabled: z.boolean().describe("Whether it is suspended and connections cannot wake it.").meta({ section: "2.3" }),
  passwordlessAccess: z
    .boolean()
    .describe("Whether connections without a password are allowed.")
    .meta({ section: "2.3" }),
});
