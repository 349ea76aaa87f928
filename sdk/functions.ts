/** The provider's functions for TypeScript programs, each for plain arguments and for outputs. */
import { type Output, output } from "@pulumi/pulumi";
import { type ComputeSize, computeSizesOf, getComputeSize as sizeOn } from "../provider/endpoint/rules/compute-size";
import type { FunctionArgs, FunctionName, FunctionResult } from "../provider/functions/model";
import type { ProfileName } from "../provider/platform/profiles/profile";
import { invoke, profileOfStack } from "../provider/pulumi/dynamic/functions";
import { secretsWithin } from "./hidden-inputs";
import type * as model from "./model.gen";

/** Reads one branch, by name or the project's primary one. */
export const getBranch = (args: model.GetBranchArgs): Promise<model.BranchInfo> => invoke("getBranch", args);

/** `getBranch` for arguments that may be outputs of other resources. */
export const getBranchOutput = (args: model.Inputs<model.GetBranchArgs>): Output<model.BranchInfo> =>
  invokeOutput("getBranch", args);

/** Lists the branches of a project. */
export const getBranches = (args: model.GetBranchesArgs): Promise<{ branches: model.BranchInfo[] }> =>
  invoke("getBranches", args);

/** `getBranches` for arguments that may be outputs of other resources. */
export const getBranchesOutput = (
  args: model.Inputs<model.GetBranchesArgs>,
): Output<{ branches: model.BranchInfo[] }> => invokeOutput("getBranches", args);

/** Reads one endpoint, by id or as a branch's read-write endpoint. */
export const getEndpoint = (args: model.GetEndpointArgs): Promise<model.EndpointInfo> => invoke("getEndpoint", args);

/** `getEndpoint` for arguments that may be outputs of other resources. */
export const getEndpointOutput = (args: model.Inputs<model.GetEndpointArgs>): Output<model.EndpointInfo> =>
  invokeOutput("getEndpoint", args);

/** Lists the endpoints of a project or of one branch. */
export const getEndpoints = (args: model.GetEndpointsArgs): Promise<{ endpoints: model.EndpointInfo[] }> =>
  invoke("getEndpoints", args);

/** `getEndpoints` for arguments that may be outputs of other resources. */
export const getEndpointsOutput = (
  args: model.Inputs<model.GetEndpointsArgs>,
): Output<{ endpoints: model.EndpointInfo[] }> => invokeOutput("getEndpoints", args);

/** Reads one operation. */
export const getOperation = (args: model.GetOperationArgs): Promise<model.OperationInfo> =>
  invoke("getOperation", args);

/** `getOperation` for arguments that may be outputs of other resources. */
export const getOperationOutput = (args: model.Inputs<model.GetOperationArgs>): Output<model.OperationInfo> =>
  invokeOutput("getOperation", args);

/** Lists a project's operations, newest first. */
export const getOperations = (args: model.GetOperationsArgs): Promise<{ operations: model.OperationInfo[] }> =>
  invoke("getOperations", args);

/** `getOperations` for arguments that may be outputs of other resources. */
export const getOperationsOutput = (
  args: model.Inputs<model.GetOperationsArgs>,
): Output<{ operations: model.OperationInfo[] }> => invokeOutput("getOperations", args);

/** The figures of a compute size on `platform` (default: the stack's). Undefined for a size that the platform lacks. */
export function getComputeSize(cu: number, platform?: ProfileName): ComputeSize | undefined {
  return sizeOn(cu, profileOfStack(platform));
}

/** The platform's sizes, smallest first. */
export function getComputeSizes(platform?: ProfileName): readonly ComputeSize[] {
  return computeSizesOf(profileOfStack(platform));
}

/** Runs a function once its arguments are known; secrets stay out of its errors. */
function invokeOutput<N extends FunctionName>(name: N, args: object): Output<FunctionResult<N>> {
  return output(args).apply(async (known) => invoke(name, known as FunctionArgs<N>, await secretsWithin(args)));
}
