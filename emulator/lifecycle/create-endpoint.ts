/** The creation of an endpoint, from the request to the record. */
import { badRequest, endpointExists } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import {
  type Endpoint,
  type EndpointRecord,
  type EndpointSettings,
  type EndpointType,
  hostName,
} from "../model/endpoint";
import { settingFailure } from "../model/pg-settings";
import type { Platform } from "../model/platform";
import type { DefaultEndpointSettings, Project } from "../model/project";
import { applyPlan, assertUnlocked, change } from "./change";
import { startPlan } from "./compute";
import { assertDelayInPlan, assertTypeInPlan, resolveSize } from "./size";

/** Fields of an endpoint in create and update requests. */
export interface EndpointFields {
  name?: string;
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  suspend_timeout_seconds?: number;
  pooler_enabled?: boolean;
  pooler_mode?: string;
  /** Replaces all settings, except that absent `pg_settings` stay. */
  settings?: Partial<EndpointSettings>;
  disabled?: boolean;
  passwordless_access?: boolean;
  provisioner?: string;
}

/** A create request (specification, section 4.3). */
export interface NewEndpoint extends EndpointFields {
  branch_id: string;
  type: EndpointType;
  region_id?: string;
}

/**
 * Creates an endpoint. Throws 404 for the branch, 400 outside the plan, 423 while busy, 409 for a second read-write one
 * (specification, section 1).
 */
export function createEndpoint(platform: Platform, project: Project, request: NewEndpoint) {
  const branch = platform.branch(project, request.branch_id);
  const record = newEndpointRecord(platform, project, request);
  assertUnlocked(platform, project, [branch.id]);
  assertFree(project, branch.id, record.type);

  const endpoint = addEndpoint(platform, project, record);
  const operations = request.disabled
    ? change(platform, project, endpoint, platform.settings.disabledState, [applyPlan])
    : change(platform, project, endpoint, "active", [startPlan]);
  return { endpoint, operations };
}

/** Adds an endpoint to the project, without an operation. */
export function addEndpoint(platform: Platform, project: Project, record: EndpointRecord): Endpoint {
  const now = platform.now();
  const endpoint: Endpoint = {
    record,
    connections: 0,
    waiting: 0,
    dropped: 0,
    lastActiveAt: now,
    suspendCheckAt: undefined,
  };

  project.addEndpoint(endpoint, now);
  return endpoint;
}

/** The record of a new endpoint, with defaults for absent fields. Throws 400. */
export function newEndpointRecord(
  platform: Platform,
  project: Project,
  request: NewEndpoint,
  id: string = platform.newId("ep-"),
): EndpointRecord {
  const { region_id, default_endpoint_settings: defaults = {} } = project.record;
  if (request.region_id !== undefined && request.region_id !== region_id) {
    throw badRequest(`endpoint.region_id: the project lies in ${region_id}; its endpoints do, too`);
  }

  assertTypeInPlan(platform, project, request.type);
  assertDelayInPlan(platform, project, request.suspend_timeout_seconds);
  const domain = platform.options.serviceDomain;
  const time = toTimestamp(platform.now());

  return {
    id,
    ...(request.name !== undefined && { name: request.name }),
    project_id: project.record.id,
    branch_id: request.branch_id,
    host: hostName(region_id, domain, id),
    proxy_host: hostName(region_id, domain),
    region_id,
    type: request.type,
    current_state: "init",
    ...resolveSize(platform, project, namesSize(request) ? request : defaults),
    suspend_timeout_seconds: request.suspend_timeout_seconds ?? defaults.suspend_timeout_seconds ?? 0,
    settings: wholeSettings(platform, request.settings ?? {}, { pg_settings: defaults.pg_settings ?? {} }),
    pooler_enabled: request.pooler_enabled ?? false,
    pooler_mode: request.pooler_mode ?? "transaction",
    disabled: request.disabled ?? false,
    // Without a password, every account of this machine could connect.
    passwordless_access: request.passwordless_access ?? !platform.options.postgres,
    provisioner: request.provisioner ?? "k8s-neonvm",
    creation_source: "api",
    created_at: time,
    updated_at: time,
  };
}

/** The settings after a request: absent ones are removed, except `pg_settings`. Throws 400 for invalid settings. */
export function wholeSettings(
  platform: Platform,
  wanted: Partial<EndpointSettings>,
  present: EndpointSettings,
): EndpointSettings {
  assertPgSettings(platform, wanted.pg_settings, "endpoint.settings");
  return { pg_settings: present.pg_settings, ...wanted };
}

/** Throws 400 for defaults that the project's endpoints cannot have. */
export function assertDefaultSettings(
  platform: Platform,
  project: Project,
  settings: DefaultEndpointSettings = {},
): void {
  const field = "project.default_endpoint_settings";
  resolveSize(platform, project, settings, undefined, field);
  assertPgSettings(platform, settings.pg_settings, field);
}

/** Throws 400 for settings forbidden on Postgres servers; without servers, any are accepted. */
function assertPgSettings({ options }: Platform, settings: Readonly<Record<string, string>> = {}, field: string): void {
  const failures = Object.entries(options.postgres ? settings : {}).flatMap(([name, value]) => {
    const reason = settingFailure(name, value);
    return reason === undefined ? [] : [`${field}.pg_settings.${name.slice(0, 80)}: ${reason}`];
  });
  if (failures.length > 0) throw badRequest(failures.slice(0, 20).join("; "));
}

// The project's default size is a pair, and applies only if the request names neither limit.
function namesSize({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max }: NewEndpoint): boolean {
  return min !== undefined || max !== undefined;
}

/** Throws 409 if the branch has a read-write endpoint and `type` is another. */
export function assertFree(project: Project, branchId: string, type: EndpointType): void {
  if (type !== "read_write") return;
  const occupant = project.endpointsOn(branchId).find((endpoint) => endpoint.record.type === "read_write");
  if (occupant) {
    throw endpointExists(`read_write endpoint already exists: branch ${branchId} has ${occupant.record.id}`);
  }
}
