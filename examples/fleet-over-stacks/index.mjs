import { readFileSync } from "node:fs";
import { getStack } from "@pulumi/pulumi";
import { EndpointFleet, getBranches } from "pulumi-pgcompute";
import { partOf } from "./parts.mjs";

/**
 * The program of every stack: one fleet, of those endpoints of `fleet.json` that belong to it. Each names its branch by `branch`,
 * its name, or by `branchId`. The variable `MAX_DELETIONS` says how many of them this run may delete or replace.
 */
export default async function program() {
  const entries = Object.entries(partOf(JSON.parse(readFileSync("fleet.json", "utf8")), getStack()));
  const branchIds = await branchIdsOf(
    entries.filter(([, { branch }]) => branch).map(([, { projectId }]) => String(projectId)),
  );
  const members = entries.map(([name, { group, branch, ...member }]) => {
    const branchId = member.branchId ?? branchIds.get(`${member.projectId}/${branch}`);
    if (!branchId) throw new Error(`fleet.json: ${name}: project ${member.projectId} has no branch ${branch}`);
    return [name, { ...member, branchId }];
  });
  const { MAX_DELETIONS } = process.env;
  new EndpointFleet("fleet", {
    endpoints: Object.fromEntries(members),
    maxDeletions: MAX_DELETIONS ? Number(MAX_DELETIONS) : undefined,
  });
}

/**
 * The branches of projects, by `PROJECT/NAME`.
 *
 * @param {string[]} projectIds
 */
async function branchIdsOf(projectIds) {
  const lists = await Promise.all([...new Set(projectIds)].map((projectId) => getBranches({ projectId })));
  return new Map(lists.flatMap(({ branches }) => branches.map((one) => [`${one.projectId}/${one.name}`, one.id])));
}
