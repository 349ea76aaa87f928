import { toTimestamp } from "../lib/timestamp";
import { annotationOf, type BranchRecord } from "../model/branch";
import { type Endpoint, hostName } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import { DEFAULT_LOGIN, type DefaultEndpointSettings, OWNER_ID, Project, type ProjectRecord } from "../model/project";
import type { Plan } from "../settings/platforms";
import { startPlan } from "./compute";
import { branchPlan, newBranchRecord } from "./create-branch";
import { addEndpoint, assertDefaultSettings, newEndpointRecord } from "./create-endpoint";
import { startOperation } from "./operation-run";
import { resolveSize, type Size } from "./size";

/** A project to be born. Every field is optional: ids are generated, the plan and the region are the emulator's. */
export interface NewProject {
  id?: string;
  name?: string;
  plan?: Plan;
  regionId?: string;
  branchId?: string;
  branchName?: string;
  roleName?: string;
  databaseName?: string;
  annotation?: Record<string, string>;
  /** Size of the primary branch's endpoint; `false` for a project born without one. */
  endpoint?: Partial<Size> | false;
  defaultEndpointSettings?: DefaultEndpointSettings;
  settings?: Record<string, unknown>;
  pgVersion?: number;
  provisioner?: string;
  storePasswords?: boolean;
  historyRetentionSeconds?: number;
  orgId?: string;
}

/** A project that was just born. */
export interface CreatedProject {
  project: Project;
  branch: BranchRecord;
  endpoints: Endpoint[];
  operations: Operation[];
}

const DAY_MS = 86_400_000;

/**
 * A project with its primary branch and the read-write endpoint of that (specification, section 1). The branch is `init`
 * until the create_timeline operation has ended, and the endpoint is started after it. Throws 400 for a size that is none.
 */
export function createProject(platform: Platform, request: NewProject): CreatedProject {
  const id = request.id ?? platform.newId("");
  const login = {
    role: request.roleName ?? DEFAULT_LOGIN.role,
    database: request.databaseName ?? DEFAULT_LOGIN.database,
  };
  const project = new Project(newProjectRecord(platform, id, request), request.plan ?? platform.settings.plan, login);
  assertDefaultSettings(platform, project, request.defaultEndpointSettings);
  resolveSize(platform, project, request.endpoint || {}, undefined, "project");
  const branchId = request.branchId ?? platform.newId("br-");
  const branch: BranchRecord = {
    ...newBranchRecord(platform, project, { id: branchId, name: request.branchName ?? "main", primary: true }),
    current_state: "init",
    pending_state: "ready",
  };
  project.branches.set(branchId, branch);
  if (request.annotation) project.annotations.set(branchId, annotationOf(branch, request.annotation));
  const endpoints: Endpoint[] = [];
  if (request.endpoint !== false) {
    const record = newEndpointRecord(platform, project, {
      ...request.endpoint,
      branch_id: branchId,
      type: "read_write",
    });
    endpoints.push(addEndpoint(platform, project, { ...record, pending_state: "active" }));
  }
  platform.projects.set(id, project);
  const creation = startOperation(platform, project, branchPlan(platform, project, "create_timeline", branchId));
  const starts = endpoints.map((endpoint) =>
    startOperation(platform, project, startPlan(platform, project, endpoint), creation),
  );
  return { project, branch, endpoints, operations: [creation, ...starts] };
}

// Nothing is measured: what a project uses is 0 for ever, in a period that began with it.
function newProjectRecord(platform: Platform, id: string, request: NewProject): ProjectRecord {
  const regionId = request.regionId ?? platform.options.regionId;
  const now = platform.now();
  const time = toTimestamp(now);
  return {
    id,
    name: request.name ?? id,
    region_id: regionId,
    platform_id: regionId.split("-")[0] ?? regionId,
    proxy_host: hostName(regionId, platform.options.serviceDomain),
    pg_version: request.pgVersion ?? 17,
    provisioner: request.provisioner ?? "k8s-neonvm",
    store_passwords: request.storePasswords ?? true,
    history_retention_seconds: request.historyRetentionSeconds ?? DAY_MS / 1000,
    creation_source: "api",
    ...(request.defaultEndpointSettings && { default_endpoint_settings: request.defaultEndpointSettings }),
    ...(request.settings && { settings: request.settings }),
    ...(request.orgId !== undefined && { org_id: request.orgId }),
    owner_id: OWNER_ID,
    branch_logical_size_limit: 0,
    branch_logical_size_limit_bytes: 0,
    cpu_used_sec: 0,
    active_time_seconds: 0,
    compute_time_seconds: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    data_storage_bytes_hour: 0,
    consumption_period_start: time,
    consumption_period_end: toTimestamp(now + 30 * DAY_MS),
    created_at: time,
    updated_at: time,
  };
}
