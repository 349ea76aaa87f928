/**
 * Snapshots, and restores in place (specification, section 4, published): a new branch takes over another's computes
 * and name.
 */
import { notFound, unprocessable } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import type { BranchRecord } from "../model/branch";
import { isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { applyPlan, assertUnlocked, change } from "./change";
import { cutConnections, startPlan, suspendPlan } from "./compute";
import { assertNameFree, branchPlan, newBranchRecord } from "./create-branch";
import { startOperation } from "./operation-run";

/** How to restore a snapshot: the new branch's name, the branch to replace, and whether to replace it at once. */
export interface RestoreRequest {
  name?: string | undefined;
  /** The branch to replace; by default the snapshot's source. */
  targetId?: string | undefined;
  /** True to replace the branch at once. */
  finalize?: boolean | undefined;
}

/** Takes a snapshot of a branch: a copy of its current data, without clients. */
export function createSnapshot(platform: Platform, project: Project, branch: BranchRecord, name?: string) {
  assertUnlocked(platform, project, [branch.id]);
  const prefix = platform.settings.platform === "neon" ? "snap-" : "br-";
  const grown = grow(platform, project, branch.id, {}, prefix);
  const snapshot = { ...grown.branch, snapshot: { name: name ?? grown.branch.id, source_branch_id: branch.id } };
  project.branches.set(snapshot.id, snapshot);
  return { snapshot, operations: [grown.operation] };
}

/** The snapshot with this id. Throws 404. */
function findSnapshot(
  project: Project,
  id: string,
): BranchRecord & { snapshot: NonNullable<BranchRecord["snapshot"]> } {
  const branch = project.branches.get(id);
  if (!branch?.snapshot) throw notFound("snapshot", id);
  return { ...branch, snapshot: branch.snapshot };
}

/** Restores a snapshot to a new branch, which replaces its target now or on finalizing. */
export function restoreSnapshot(platform: Platform, project: Project, id: string, request: RestoreRequest) {
  const { snapshot } = findSnapshot(project, id);
  const target = platform.branch(project, request.targetId ?? snapshot.source_branch_id);
  if (request.name !== undefined) assertNameFree(project, request.name);
  assertUnlocked(platform, project, [id, target.id]);

  const { branch, operation } = grow(platform, project, id, {
    ...(request.name !== undefined && { name: request.name }),
    restored_from: id,
    restored_as: target.id,
    restore_status: "restored",
  });
  const more = request.finalize ? takePlace(platform, project, branch) : [];
  return { branch: project.branches.get(branch.id) ?? branch, operations: [operation, ...more] };
}

/** Makes a restored branch replace its target. Throws 422 for any other branch. */
export function finalizeRestore(
  platform: Platform,
  project: Project,
  branch: BranchRecord,
  name?: string,
): Operation[] {
  if (branch.restore_status !== "restored") throw unprocessable(`branch ${branch.id} has no restore to finalize`);
  assertUnlocked(platform, project, [branch.id, branch.restored_as ?? ""]);
  if (name !== undefined) assertNameFree(project, name);
  return takePlace(platform, project, branch, name);
}

function takePlace(platform: Platform, project: Project, branch: BranchRecord, name?: string): Operation[] {
  const old = platform.branch(project, branch.restored_as ?? "");
  const updated_at = toTimestamp(platform.now());
  const { primary, default: isDefault } = old;
  const oldName = name ?? `${old.name}_old_${branch.id}`;
  project.branches.set(old.id, { ...old, name: oldName, primary: false, default: false, updated_at });

  const taken = {
    ...branch,
    name: old.name,
    primary,
    default: isDefault,
    restore_status: "finalized" as const,
    updated_at,
  };

  project.branches.set(branch.id, taken);
  return project.endpointsOn(old.id).flatMap((endpoint) => {
    const runs = isRunning(endpoint.record);
    if (endpoint.record.current_state === "active") endpoint.outdated ??= endpoint.record;
    project.changeEndpoint(endpoint, { branch_id: branch.id, updated_at }, platform.now());
    if (runs) cutConnections(platform, endpoint);
    return runs
      ? change(platform, project, endpoint, "active", [suspendPlan, startPlan])
      : change(platform, project, endpoint, platform.restingState(endpoint.record), [applyPlan]);
  });
}

/** A branch with a copy of another's current data, which is finally no child of it. */
function grow(
  platform: Platform,
  project: Project,
  parentId: string,
  fields: Partial<BranchRecord>,
  prefix: "br-" | "snap-" = "br-",
) {
  const id = platform.newId(prefix);
  const record = newBranchRecord(platform, project, { id, parentId });
  const branch: BranchRecord = { ...record, ...fields, current_state: "init", pending_state: "ready" };
  project.branches.set(id, branch);
  const plan = branchPlan(platform, project, "create_branch", id);

  const operation = startOperation(platform, project, {
    ...plan,
    onSuccess: () => {
      plan.onSuccess?.();
      const { parent_id: _, ...rest } = project.branches.get(id) ?? branch;
      project.branches.set(id, rest);
    },
  });
  return { branch, operation };
}
