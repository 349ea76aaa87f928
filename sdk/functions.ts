/** The functions for TypeScript programs, each for plain arguments and for outputs. */
import { type Output, output } from "@pulumi/pulumi";
import { invoke } from "../provider/pulumi/dynamic/functions";
import type {
  BranchInfo,
  EndpointInfo,
  GetBranchArgs,
  GetBranchesArgs,
  GetBranchesOutputArgs,
  GetBranchOutputArgs,
  GetEndpointArgs,
  GetEndpointOutputArgs,
  GetEndpointsArgs,
  GetEndpointsOutputArgs,
  GetOperationArgs,
  GetOperationOutputArgs,
  GetOperationsArgs,
  GetOperationsOutputArgs,
  OperationInfo,
} from "./model.gen";

/** Reads one branch: by its name, or the project's primary one. */
export function getBranch(args: GetBranchArgs): Promise<BranchInfo> {
  return invoke("getBranch", args);
}

/** `getBranch` for arguments that may be outputs of other resources. */
export function getBranchOutput(args: GetBranchOutputArgs): Output<BranchInfo> {
  return output(args).apply((known) => getBranch(known));
}

/** Lists the branches of a project. */
export function getBranches(args: GetBranchesArgs): Promise<{ branches: BranchInfo[] }> {
  return invoke("getBranches", args);
}

/** `getBranches` for arguments that may be outputs of other resources. */
export function getBranchesOutput(args: GetBranchesOutputArgs): Output<{ branches: BranchInfo[] }> {
  return output(args).apply((known) => getBranches(known));
}

/** Reads one endpoint, by its id or as the read-write endpoint of a branch. */
export function getEndpoint(args: GetEndpointArgs): Promise<EndpointInfo> {
  return invoke("getEndpoint", args);
}

/** `getEndpoint` for arguments that may be outputs of other resources. */
export function getEndpointOutput(args: GetEndpointOutputArgs): Output<EndpointInfo> {
  return output(args).apply((known) => getEndpoint(known));
}

/** Lists the endpoints of a project, or of one branch. */
export function getEndpoints(args: GetEndpointsArgs): Promise<{ endpoints: EndpointInfo[] }> {
  return invoke("getEndpoints", args);
}

/** `getEndpoints` for arguments that may be outputs of other resources. */
export function getEndpointsOutput(args: GetEndpointsOutputArgs): Output<{ endpoints: EndpointInfo[] }> {
  return output(args).apply((known) => getEndpoints(known));
}

/** Reads one operation. */
export function getOperation(args: GetOperationArgs): Promise<OperationInfo> {
  return invoke("getOperation", args);
}

/** `getOperation` for arguments that may be outputs of other resources. */
export function getOperationOutput(args: GetOperationOutputArgs): Output<OperationInfo> {
  return output(args).apply((known) => getOperation(known));
}

/** Lists the operations of a project, most recent first. */
export function getOperations(args: GetOperationsArgs): Promise<{ operations: OperationInfo[] }> {
  return invoke("getOperations", args);
}

/** `getOperations` for arguments that may be outputs of other resources. */
export function getOperationsOutput(args: GetOperationsOutputArgs): Output<{ operations: OperationInfo[] }> {
  return output(args).apply((known) => getOperations(known));
}
