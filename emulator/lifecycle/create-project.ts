import { toTimestamp } from "../lib/timestamp";
import { annotationOf, type BranchRecord } from "../model/branch";
import { type Endpoint, hostName } from "../model/endpoint";
import type { Platform } from "../model/platform";
import { DEFAULT_LOGIN, type DefaultEndpointSettings, OWNER_ID, Project, type ProjectRecord } from "../model/project";
import type { Plan } from "../settings/platforms";
import { startPlan } from "./compute";
import { branchPlan, newBranchRecord } from "./create-branch";
import { addEndpoint, assertDefaultSettings, newEndpointRecord } from "./create-endpoint";
import { startOperation } from "./operation-run";
import { resolveSize, type Size } from "./size";

/**
 * A create-project request (specification, section 4, published), with ids and plan, which only admin calls choose.
 * Absent fields are generated or get defaults.
 */
export interface NewProject {
  id?: string;
  plan?: Plan;
  branch_id?: string;
  /** Size of the primary branch's endpoint; `false` for a project without one. */
  endpoint?: Partial<Size> | false;
  name?: string;
  region_id?: string;
  branch?: {
    name?: string | undefined;
    role_name?: string | undefined;
    database_name?: string | undefined;
    annotations?: Record<string, string> | undefined;
  };
  default_endpoint_settings?: DefaultEndpointSettings;
  settings?: Record<string, unknown>;
  pg_version?: number;
  provisioner?: string;
  store_passwords?: boolean;
  history_retention_seconds?: number;
  org_id?: string;
}

const DAY_MS = 86_400_000;

/**
 * Creates a project with its primary branch and read-write endpoint (specification, section 1). Throws 400 for an
 * invalid size.
 */
export function createProject(platform: Platform, request: NewProject) {
  const { id = platform.newId(""), plan, branch_id, endpoint: size = {}, branch: asked = {}, ...fields } = request;
  const login = {
    role: asked.role_name ?? DEFAULT_LOGIN.role,
    database: asked.database_name ?? DEFAULT_LOGIN.database,
  };

  const project = new Project(newProjectRecord(platform, id, fields), plan ?? platform.settings.plan, login);
  assertDefaultSettings(platform, project, fields.default_endpoint_settings);
  resolveSize(platform, project, size || {}, undefined, "project");

  const born = { id: branch_id ?? platform.newId("br-"), name: asked.name ?? "main", primary: true };
  const ready = newBranchRecord(platform, project, born);
  const branch: BranchRecord = { ...ready, current_state: "init", pending_state: "ready" };
  project.branches.set(branch.id, branch);
  if (asked.annotations) project.annotations.set(branch.id, annotationOf(branch, asked.annotations));
  const endpoints: Endpoint[] = [];

  if (size) {
    const writer = newEndpointRecord(platform, project, { ...size, branch_id: branch.id, type: "read_write" });
    endpoints.push(addEndpoint(platform, project, { ...writer, pending_state: "active" }));
  }

  platform.projects.set(id, project);
  const creation = startOperation(platform, project, branchPlan(platform, project, "create_timeline", branch.id));
  const starts = endpoints.map((endpoint) =>
    startOperation(platform, project, startPlan(platform, project, endpoint), creation),
  );
  return { project, branch, endpoints, operations: [creation, ...starts] };
}

// Usage is not measured: it stays 0, in a period that began with the project.
function newProjectRecord(
  platform: Platform,
  id: string,
  { region_id = platform.options.regionId, ...fields }: Partial<ProjectRecord>,
): ProjectRecord {
  const now = platform.now();
  const time = toTimestamp(now);
  return {
    id,
    name: id,
    region_id,
    platform_id: region_id.split("-")[0] ?? region_id,
    proxy_host: hostName(region_id, platform.options.serviceDomain),
    pg_version: 17,
    provisioner: "k8s-neonvm",
    store_passwords: true,
    history_retention_seconds: DAY_MS / 1000,
    creation_source: "api",
    ...fields,
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
