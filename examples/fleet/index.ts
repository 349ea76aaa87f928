import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@pulumi/pulumi";
import { EndpointFleet, type FleetMember, getBranchesOutput } from "pulumi-pgcompute";

/** What `fleet.json` says of an endpoint: a member of the fleet, with its branch by name. */
type Entry = Omit<FleetMember, "branchId"> & { branch: string };

const projectId = new Config().require("projectId");
const entries: Record<string, Entry> = JSON.parse(readFileSync(join(__dirname, "fleet.json"), "utf8"));

// One list for all names, however many there are.
const endpoints = getBranchesOutput({ projectId }).apply(({ branches }) => {
  const ids = new Map(branches.map(({ name, id }) => [name, id]));
  const members = Object.entries(entries).map(([key, { branch, ...member }]) => {
    const branchId = ids.get(branch);
    if (branchId === undefined) throw new Error(`fleet.json: ${key}: the project has no branch ${branch}`);
    return [key, { ...member, branchId }];
  });
  return Object.fromEntries(members);
});

const fleet = new EndpointFleet("fleet", {
  projectId,
  defaults: { sizeCu: 0.5, suspendTimeoutSeconds: 300 },
  endpoints,
});

export const hosts = fleet.endpoints.apply((all) =>
  Object.fromEntries(Object.entries(all).map(([key, { host }]) => [key, host])),
);
