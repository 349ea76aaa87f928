/** Arguments and results of the functions: the source of their types, the schema and the reference. */
import { z } from "zod";
import { endpointOutputs } from "../endpoint/outputs";
import { endpointTypes } from "../endpoint/types";
import type { ProfileName } from "../platform/profiles/profile";
import { profiles } from "../platform/profiles/profiles";
import { branchModel, endpointRecordModel, operationModel } from "../platform/records";

const projectId = z.string().describe("The project.");
const branchId = z.string().describe("The branch's id, which starts with `br-`.");
const told = endpointRecordModel.shape;

/** An endpoint in a function's result: the resource's outputs, and values that the platform changes itself. */
const endpointInfo = z.object({
  id: z.string().describe("The resource id, PROJECT/ENDPOINT, which is also what import takes."),
  projectId,
  branchId,
  type: told.type,
  ...endpointOutputs.shape,
  memoryGbMin: z.number().describe("Memory at the minimum size, in GB.").meta({ section: "2.4" }),
  memoryGbMax: z.number().describe("Memory at the maximum size, in GB.").meta({ section: "2.4" }),
  vcpuMin: z.number().describe("Virtual CPUs at the minimum size.").meta({ section: "2.4" }),
  vcpuMax: z.number().describe("Virtual CPUs at the maximum size.").meta({ section: "2.4" }),
  suspendTimeoutSeconds: told.suspendTimeoutSeconds,
  // Properties that the platform leaves out get their default.
  poolerEnabled: told.poolerEnabled.unwrap(),
  poolerMode: told.poolerMode.unwrap(),
  pgSettings: told.pgSettings.unwrap(),
  preloadLibraries: told.preloadLibraries,
  disabled: told.disabled.unwrap(),
  passwordlessAccess: told.passwordlessAccess.unwrap(),
  name: told.name,
  currentState: told.currentState,
  pendingState: told.pendingState,
  lastActive: told.lastActive,
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
  updatedAt: told.updatedAt.unwrap(),
});

/** A branch in a function's result. */
const branchInfo = branchModel
  .omit({ restoredAs: true, restrictedActions: true })
  .extend({ primary: branchModel.shape.primary.unwrap() });

/** The figures of a size: a row of the platform's table. */
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

/** The models of every provider function's arguments and result. */
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
    result: z.object({ branches: z.array(branchInfo).describe("The branches, newest first.") }),
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
    result: operationModel,
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
    result: z.object({ operations: z.array(operationModel).describe("The operations, most recent first.") }),
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

/** The name of a provider function. */
export type FunctionName = keyof typeof functionModels;

/** The argument type of a provider function. */
export type FunctionArgs<N extends FunctionName> = z.input<(typeof functionModels)[N]["args"]>;

/** The result type of a provider function. */
export type FunctionResult<N extends FunctionName> = z.output<(typeof functionModels)[N]["result"]>;
