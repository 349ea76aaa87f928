import { hostName } from "../model/endpoint";
import type { Platform } from "../model/platform";
import { Project } from "../model/project";
import { toTimestamp } from "../model/timestamp";
import type { Plan } from "../options";
import { branchPlan, newBranchRecord } from "./create-branch";
import { addEndpoint, type EndpointFields, newEndpointRecord } from "./create-endpoint";
import { startOperation } from "./operation-run";

/** A project to be born. Every field is optional: ids are generated, the plan and the region are the emulator's. */
export interface NewProject {
  id?: string;
  name?: string;
  plan?: Plan;
  regionId?: string;
  branchId?: string;
  branchName?: string;
  endpointId?: string;
  /** Fields of the primary branch's endpoint; `false` for a project born without one. */
  endpoint?: EndpointFields | false;
}

/**
 * A project with its primary branch and the read-write endpoint of that (section 1). The branch is `init` until the
 * create_timeline operation has ended; the endpoint is idle from the start.
 */
export function createProject(platform: Platform, request: NewProject): Project {
  const id = request.id ?? platform.newId("");
  const regionId = request.regionId ?? platform.options.regionId;
  const time = toTimestamp(platform.now());
  const project = new Project(
    {
      id,
      name: request.name ?? id,
      region_id: regionId,
      platform_id: regionId.split("-")[0] ?? regionId,
      proxy_host: hostName(regionId, platform.options.serviceDomain),
      pg_version: 17,
      provisioner: "k8s-neonvm",
      store_passwords: true,
      history_retention_seconds: 86_400,
      creation_source: "api",
      created_at: time,
      updated_at: time,
    },
    request.plan ?? platform.settings.plan,
  );
  const branchId = request.branchId ?? platform.newId("br-");
  const branch = newBranchRecord(platform, project, {
    id: branchId,
    name: request.branchName ?? "main",
    primary: true,
  });
  project.branches.set(branchId, { ...branch, current_state: "init", pending_state: "ready" });
  if (request.endpoint !== false) {
    const fields = { ...request.endpoint, branch_id: branchId, type: "read_write" as const };
    const record = newEndpointRecord(platform, project, fields, request.endpointId);
    addEndpoint(platform, project, { ...record, current_state: record.disabled ? "stopped" : "idle" });
  }
  platform.projects.set(id, project);
  startOperation(platform, project, branchPlan(platform, project, "create_timeline", branchId));
  return project;
}

/**
 * Deletes a project with all that is in it. What runs there no longer matters; the project itself answers until its
 * delete_tenant operation has ended.
 */
export function deleteProject(platform: Platform, project: Project): void {
  project.deleting = true;
  const now = platform.now();
  const branchId = project.primaryBranch()?.id ?? "";
  for (const endpoint of [...project.endpoints.values()]) project.removeEndpoint(endpoint, now);
  project.branches.clear();
  startOperation(platform, project, {
    action: "delete_tenant",
    branchId,
    onSuccess: () => platform.projects.delete(project.record.id),
  });
}
