/** What the functions take and give: the single source of their types, of the schema and of the reference. */
import { z } from "zod";
import { endpointOutputs } from "../endpoint/outputs";
import { endpointTypes } from "../endpoint/properties";
import type { ProfileName } from "../platform/profiles/profile";
import { profiles } from "../platform/profiles/profiles";

const projectId = z.string().describe("The project.");
const branchId = z.string().describe("The branch's id, which starts with `br-`.");

/** An endpoint in a function's result: the resource's outputs, and what the platform changes by itself. */
const endpointInfo = z.object({
  id: z.string().describe("The resource id, PROJECT/ENDPOINT, which is also what import takes."),
  projectId,
  branchId,
  type: z.string().describe("`read_write`, `read_only`, or a value that this version does not know."),
  ...endpointOutputs.shape,
  memoryGbMin: z.number().describe("Memory at the minimum size, in GB.").meta({ section: "2.4" }),
  memoryGbMax: z.number().describe("Memory at the maximum size, in GB.").meta({ section: "2.4" }),
  vcpuMin: z.number().describe("Virtual CPUs at the minimum size.").meta({ section: "2.4" }),
  vcpuMax: z.number().describe("Virtual CPUs at the maximum size.").meta({ section: "2.4" }),
  suspendTimeoutSeconds: z
    .int()
    .optional()
    .describe("Seconds without activity before it suspends; 0 the platform's default, -1 never."),
  poolerEnabled: z.boolean().describe("Whether connection pooling is on."),
  poolerMode: z.string().describe("How the pooler shares connections."),
  pgSettings: z.record(z.string(), z.string()).describe("Postgres settings by name."),
  preloadLibraries: z
    .array(z.string())
    .optional()
    .describe("Libraries that Postgres loads when it starts, where the platform tells them."),
  disabled: z.boolean().describe("Whether connections cannot wake it."),
  passwordlessAccess: z.boolean().describe("Whether connections without a password are allowed."),
  name: z.string().optional().describe("The endpoint's name on the platform."),
  currentState: z.string().optional().describe("`init`, `active`, `idle`, `stopped`, or a newer value."),
  pendingState: z.string().optional().describe("The state it is on the way to."),
  lastActive: z.string().optional().describe("When it was last used, ISO 8601, UTC."),
  startedAt: z.string().optional().describe("When its compute was last started, ISO 8601, UTC."),
  suspendedAt: z.string().optional().describe("When its compute was last suspended, ISO 8601, UTC."),
  computeReleaseVersion: z
    .string()
    .optional()
    .describe("The release that its compute runs, where the platform tells it."),
  creationSource: z
    .string()
    .optional()
    .describe("What it was created by, such as `console`, where the platform tells it."),
  updatedAt: z.string().describe("When it was last changed, ISO 8601, UTC."),
});

/** A branch in a function's result. */
const branchInfo = z.object({
  id: z.string().describe("The branch's id, which starts with `br-`."),
  projectId,
  name: z.string().optional().describe("The branch's name, where the platform tells it."),
  primary: z.boolean().describe("Whether it is the branch that the project was born with."),
  parentId: z.string().optional().describe("The branch that it was made from."),
  createdAt: z.string().optional().describe("When it was created, ISO 8601, UTC."),
});

/** An operation in a function's result. */
const operationInfo = z.object({
  id: z.string().describe("The operation's id."),
  projectId,
  branchId: z.string().optional().describe("The branch it runs on."),
  endpointId: z.string().optional().describe("The endpoint it concerns, where it concerns one."),
  action: z.string().describe("What it does, such as `start_compute`."),
  status: z.string().describe("`scheduling`, `running`, `finished`, `failed`, or a newer value."),
  failuresCount: z.int().describe("How often it has failed."),
  createdAt: z.string().describe("When it was created, ISO 8601, UTC."),
  updatedAt: z.string().describe("When it was last changed, ISO 8601, UTC."),
  error: z.string().optional().describe("Why it failed, where the platform says."),
  retryAt: z.string().optional().describe("When the platform tried again last, where it says."),
  totalDurationMs: z.int().optional().describe("How long it took, in milliseconds, where the platform says."),
});

/** Compute figures of a size, a row of the platform's table. */
const computeSizeInfo = z.object({
  cu: z.number().describe("The size, in CU."),
  vcpu: z.number().describe("Virtual CPUs."),
  memoryGb: z.number().describe("Memory, in GB."),
  sharedBuffersGuidelineGb: z
    .number()
    .describe("Memory that the local file cache may use, in GB; a guideline, not a limit."),
  maxConnections: z.int().describe("Postgres max_connections."),
  platform: z.string().describe("The platform that gives these: `specification` or `neon`."),
});

/** Arguments and results of every function. */
export const functionModels = {
  getBranch: {
    description: "Reads one branch: by its name, or the project's primary one.",
    section: "1",
    args: z.object({
      projectId,
      name: z.string().optional().describe("The branch's name, such as `main`. Default: the project's primary branch."),
    }),
    result: branchInfo,
  },
  getBranches: {
    description: "Lists the branches of a project.",
    section: "1",
    args: z.object({ projectId }),
    result: z.object({ branches: z.array(branchInfo).describe("The branches, in the platform's order.") }),
  },
  getEndpoint: {
    description: "Reads one endpoint: by its id, or the read-write endpoint of a branch.",
    section: "2.3, 4.4",
    args: z.object({
      projectId,
      endpointId: z.string().optional().describe("The endpoint's id. Give this or `branchId`."),
      branchId: z.string().optional().describe("The branch whose read-write endpoint is wanted."),
    }),
    result: endpointInfo,
  },
  getEndpoints: {
    description: "Lists the endpoints of a project, or of one branch.",
    section: "4.4",
    args: z.object({
      projectId,
      branchId: branchId.optional(),
      type: z
        .string()
        .refine((type) => (endpointTypes as readonly string[]).includes(type), {
          message: `has to be ${endpointTypes.map((type) => JSON.stringify(type)).join(" or ")}`,
        })
        .optional()
        .describe("Only endpoints of this type."),
    }),
    result: z.object({ endpoints: z.array(endpointInfo).describe("The endpoints, in the platform's order.") }),
  },
  getOperation: {
    description: "Reads one operation.",
    section: "2.1, 4.2",
    args: z.object({ projectId, operationId: z.string().describe("The operation's id.") }),
    result: operationInfo,
  },
  getOperations: {
    description: "Lists the operations of a project, most recent first.",
    section: "4.1",
    args: z.object({
      projectId,
      endpointId: z.string().optional().describe("Only operations of this endpoint."),
      branchId: z.string().optional().describe("Only operations of this branch."),
      status: z.string().optional().describe("Only operations with this status."),
      limit: z.int().min(1).max(10_000).optional().describe("How many at most. Default 100."),
    }),
    result: z.object({ operations: z.array(operationInfo).describe("The operations, most recent first.") }),
  },
  getComputeSize: {
    description: "Figures of a compute size: vCPU, memory, max_connections.",
    section: "2.4",
    args: z.object({
      cu: z.number().describe("The size, in CU."),
      platform: z
        .enum(Object.keys(profiles) as [ProfileName, ...ProfileName[]])
        .optional()
        .describe("The platform whose figures are wanted. Default: the one that the provider works with."),
    }),
    result: computeSizeInfo,
  },
} as const;

/** The name of a function. */
export type FunctionName = keyof typeof functionModels;

/** Arguments of a function. */
export type FunctionArgs<N extends FunctionName> = z.input<(typeof functionModels)[N]["args"]>;

/** Result of a function. */
export type FunctionResult<N extends FunctionName> = z.output<(typeof functionModels)[N]["result"]>;
