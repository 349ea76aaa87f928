import { Config, log } from "@pulumi/pulumi";
import { EndpointFleet, getBranchesOutput } from "pulumi-pgcompute";

const config = new Config();
const projectId = config.require("projectId");
/** The numbers of the open pull requests. Unset is an error; `[]` means none. */
const open = config.requireObject<number[]>("open");

const endpoints = getBranchesOutput({ projectId }).apply(({ branches }) => {
  const ids = new Map(branches.map(({ name, id }) => [name, id]));
  const members = open.flatMap((number) => {
    const branchId = ids.get(`preview/pr-${number}`);
    if (branchId !== undefined) return [[`pr-${number}`, { branchId }] as const];
    // One pull request without its branch must not stop all others.
    log.warn(`pull request ${number} has no endpoint: the project has no branch preview/pr-${number}`);
    return [];
  });
  return Object.fromEntries(members);
});

const previews = new EndpointFleet("previews", {
  projectId,
  defaults: { sizeCu: 0.25, suspendTimeoutSeconds: config.getNumber("suspendTimeoutSeconds") ?? 60 },
  endpoints,
  // So many may be closed between two runs. A list that has lost more is taken for a mistake.
  maxDeletions: config.getNumber("maxDeletions") ?? 5,
});

export const hosts = previews.endpoints.apply((all) =>
  Object.fromEntries(Object.entries(all).map(([key, { host }]) => [key, host])),
);
