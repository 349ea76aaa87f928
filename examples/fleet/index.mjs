import { readFileSync } from "node:fs";
import { getStack } from "@pulumi/pulumi";
import { Endpoint, getBranchOutput } from "pulumi-pgcompute";
import { partOf } from "./parts.mjs";

/**
 * The program of every stack: those endpoints of `fleet.json` that belong to it. Each names its branch by `branch`, its name, or
 * by `branchId`.
 */
export default async function program() {
  const fleet = JSON.parse(readFileSync("fleet.json", "utf8"));
  for (const [name, { branch, ...args }] of Object.entries(partOf(fleet, getStack()))) {
    const branchId = args.branchId ?? getBranchOutput({ projectId: args.projectId, name: branch }).id;
    new Endpoint(name, { ...args, branchId });
  }
}
