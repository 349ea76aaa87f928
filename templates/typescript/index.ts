import { Config } from "@pulumi/pulumi";
import { Endpoint, getBranchOutput } from "pulumi-pgcompute";

const config = new Config();
const projectId = config.require("projectId");
const branchId = getBranchOutput({ projectId, name: config.require("branch") }).id;

// Takes reads and writes, and scales with its load between the two sizes, in compute units.
const primary = new Endpoint("primary", {
  projectId,
  branchId,
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 1,
});

// Serves reads of the same data at a size of its own.
const replica = new Endpoint(
  "replica",
  { projectId, branchId, type: "read_only", sizeCu: 0.25 },
  { dependsOn: primary },
);

export const host = primary.host;
export const replicaHost = replica.host;
