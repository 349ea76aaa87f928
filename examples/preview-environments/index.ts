import { Config } from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";

const config = new Config();

// The smallest size, suspended when unused: a hundred open pull requests cost close to nothing.
const preview = new Endpoint("preview", {
  projectId: config.require("projectId"),
  branchId: config.require("branchId"),
  sizeCu: 0.25,
  suspendTimeoutSeconds: config.getNumber("suspendTimeoutSeconds") ?? 60,
});

export const host = preview.host;
