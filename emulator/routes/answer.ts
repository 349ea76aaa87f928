/** Records as sent: without fields that the configured platform lacks, with those that answers add. */

import { startOperation } from "../lifecycle/operation-run";
import { type BranchRecord, restrictedActions } from "../model/branch";
import type { EndpointRecord } from "../model/endpoint";
import { type Operation, type OperationRecord, toOperationRecord } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project, ProjectRecord } from "../model/project";
import type { Settings } from "../settings/settings";

/** The last activity of a never active endpoint, on today's public platform (recorded 2024 to 2026). */
const NEVER = "2000-01-01T00:00:00Z";

/** Converts an endpoint's record for an answer. */
export function presentEndpoint(platform: Platform, record: EndpointRecord): object {
  const { settings } = platform;
  const recorded = settings.platform === "neon" && { last_active: NEVER, ...recordedFields(platform, record) };
  const sent: Partial<EndpointRecord> = { ...recorded, ...record };
  if (!settings.endpointNames) delete sent.name;

  if (settings.removedFields !== "kept") {
    const { pgbouncer_settings: _removed, ...rest } = record.settings;
    sent.settings = rest;
    delete sent.pooler_enabled;
    delete sent.pooler_mode;
    delete sent.proxy_host;
  }

  // With `surprise` a known field has an unknown value too.
  const provisioner = settings.surprise && { provisioner: "k8s-next" };
  return grown(settings, { ...sent, ...(settings.emptySettings && { settings: {} }), ...provisioner });
}

/** Undocumented endpoint fields of today's public platform (recorded 2026): host names, slugs, compute group. */
function recordedFields(
  { projects }: Platform,
  { id, name, type, host, project_id, branch_id }: EndpointRecord,
): object {
  const project = projects.get(project_id);
  const access = type === "read_write" ? "read_write" : "read_only";
  return {
    hosts: { [`${access}_host`]: host, [`${access}_pooled_host`]: host.replace(id, `${id}-pooler`) },
    slug: slugOf(name ?? id),
    branch_slug: slugOf(project?.branches.get(branch_id)?.name ?? branch_id),
    project_slug: slugOf(project?.record.name ?? project_id),
    group: { size: { min: 1, max: 1 }, allow_readable_secondaries: false, computes: [] },
  };
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Converts a branch's record for an answer. */
export function presentBranch({ settings }: Platform, record: BranchRecord): object {
  const { restricted_actions: _own, expires_at: _at, ttl_interval_seconds: _span, ...plain } = record;
  const sent: Partial<BranchRecord> = settings.branchRules
    ? { ...record, restricted_actions: restrictedActions(record) }
    : plain;
  if (settings.removedFields !== "kept") {
    delete sent.primary;
    delete sent.cpu_used_sec;
  }
  return grown(settings, sent);
}

/** Converts a project's record for an answer, alone or in the list. */
export function presentProject({ settings }: Platform, record: Partial<ProjectRecord>): object {
  const sent = { ...record };
  if (settings.removedFields !== "kept") delete sent.cpu_used_sec;
  return grown(settings, sent);
}

/** Converts an operation's record for an answer. */
export function presentOperation({ settings }: Platform, record: OperationRecord): object {
  const sent: Partial<OperationRecord> = { ...record };
  if (!settings.operationDurations) delete sent.total_duration_ms;
  return grown(settings, sent);
}

/** Converts a change's operations for an answer; `surprise` adds one with an unknown action. */
export function presentOperations(platform: Platform, project: Project, operations: Operation[]): object[] {
  const first = operations[0];
  const all = [...operations];
  if (platform.settings.surprise && first) {
    const { branchId, endpointId } = first;
    const place = endpointId === undefined ? { branchId } : { branchId, endpointId };
    all.push(startOperation(platform, project, { action: "prewarm_cache", ...place }));
  }
  return all.map((operation) => presentOperation(platform, toOperationRecord(operation)));
}

function grown(settings: Settings, record: object): object {
  if (!settings.surprise) return record;
  return { ...record, x_generation: 7, x_placement: { zone: "z1", tags: ["new"], spread: null } };
}
