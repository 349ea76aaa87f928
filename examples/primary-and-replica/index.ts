import { Config } from "@pulumi/pulumi";
import { Endpoint, getBranchOutput } from "pulumi-pgcompute";

const config = new Config();
const projectId = config.require("projectId");
const branchId = getBranchOutput({ projectId, name: config.require("branch") }).id;
const suspendTimeoutSeconds = config.getNumber("suspendTimeoutSeconds");

// The one endpoint of the branch that takes writes. It scales with its load between the two sizes.
const primary = new Endpoint("primary", {
  projectId,
  branchId,
  autoscalingLimitMinCu: config.getNumber("minCu") ?? 0.5,
  autoscalingLimitMaxCu: config.getNumber("maxCu") ?? 2,
  suspendTimeoutSeconds,
});

// Reads the same data at a size of its own. A branch takes several of these, on a paid plan.
const replica = new Endpoint(
  "replica",
  { projectId, branchId, type: "read_only", sizeCu: 0.5, suspendTimeoutSeconds },
  { dependsOn: primary },
);

export const primaryHost = primary.host;
export const pooledHost = primary.pooledHost;
export const replicaHost = replica.host;
export const maxConnections = primary.maxConnections;
