import { Config } from "@pulumi/pulumi";
import { Endpoint, getBranchOutput } from "pulumi-pgcompute";

const config = new Config();
const projectId = config.require("projectId");

// Protected where the stack's configuration says so, as the policy pack asks of production: the engine then refuses to replace
// or delete it.
const main = new Endpoint(
  "main",
  {
    projectId,
    branchId: getBranchOutput({ projectId, name: config.get("branch") }).id,
    autoscalingLimitMinCu: config.getNumber("minCu") ?? 0.5,
    autoscalingLimitMaxCu: config.getNumber("maxCu") ?? 2,
  },
  { protect: config.getBoolean("protect") ?? false },
);

export const host = main.host;
export const pooledHost = main.pooledHost;
