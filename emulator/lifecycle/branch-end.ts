/** The end of a branch: what keeps it, its removal with its endpoints, and its expiry. */
import { badRequest } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import type { BranchRecord } from "../model/branch";
import { isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { suspendPlan } from "./compute";
import { dropEndpoint } from "./delete-endpoint";
import { startOperations } from "./operation-run";

/** Why a branch cannot be deleted; undefined if it can. */
export function reasonToKeep({ settings }: Platform, project: Project, branch: BranchRecord): string | undefined {
  if (branch.primary) return "it is the project's primary branch";
  if (branch.protected && settings.branchRules) return "it is protected";
  const child = [...project.branches.values()].find((one) => one.parent_id === branch.id && !one.snapshot);
  return child && `${child.id} is its child`;
}

/** Removes a branch with its endpoints; operations suspend the running ones and delete its data. */
export function removeBranch(platform: Platform, project: Project, branch: BranchRecord): Operation[] {
  const endpoints = project.endpointsOn(branch.id);
  const running = endpoints.filter(({ record }) => isRunning(record));
  const suspensions = running.map((endpoint) => suspendPlan(platform, project, endpoint));
  for (const endpoint of endpoints) dropEndpoint(platform, project, endpoint);
  dropBranch(project, branch.id);
  return startOperations(platform, project, [...suspensions, { action: "delete_timeline", branchId: branch.id }]);
}

/** Removes a branch without checks or operations. The caller removes its endpoints. */
export function dropBranch(project: Project, branchId: string): void {
  project.branches.delete(branchId);
  project.annotations.delete(branchId);
}

/** The fields of an expiry at this time; none on a platform without expiry. Throws 400 for a time that is over. */
export function expiryFields(
  platform: Platform,
  at: string | null | undefined,
): Pick<BranchRecord, "expires_at" | "ttl_interval_seconds"> {
  if (!at || !platform.settings.branchRules) return {};
  const ms = Date.parse(at);
  const seconds = Math.floor((ms - platform.now()) / 1000);
  if (seconds < 1) throw badRequest("branch.expires_at: must be in the future");
  return { expires_at: toTimestamp(ms), ttl_interval_seconds: seconds };
}

/** Schedules the end of a branch that expires. One that could not be deleted then stays. */
export function scheduleExpiry(platform: Platform, project: Project, { id, expires_at }: BranchRecord): void {
  if (expires_at === undefined) return;
  platform.agenda.add(Date.parse(expires_at), () => {
    const branch = project.branches.get(id);
    // It expires at another time by now, or never.
    if (branch?.expires_at !== expires_at) return;
    if (platform.settings.branchRules && !reasonToKeep(platform, project, branch))
      removeBranch(platform, project, branch);
  });
}
