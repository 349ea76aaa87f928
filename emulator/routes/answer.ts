/** Records as they are sent: without what the platform of the settings does not have, and with what grows in answers. */

import { startOperation } from "../lifecycle/operation-run";
import type { BranchRecord } from "../model/branch";
import type { EndpointRecord } from "../model/endpoint";
import { type Operation, type OperationRecord, toOperationRecord } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project, ProjectRecord } from "../model/project";
import type { Settings } from "../settings/settings";

/** When an endpoint was last active that never was, on today's public platform (recorded 2024 to 2026). */
const NEVER = "2000-01-01T00:00:00Z";

/** An endpoint as it is sent. */
export function presentEndpoint({ settings }: Platform, record: EndpointRecord): object {
  const never = settings.platform === "neon" && { last_active: NEVER };
  const sent: Partial<EndpointRecord> = { ...never, ...record };
  if (!settings.endpointNames) delete sent.name;
  if (settings.removedFields !== "kept") {
    const { pgbouncer_settings: _removed, ...rest } = record.settings;
    sent.settings = rest;
    delete sent.pooler_enabled;
    delete sent.pooler_mode;
    delete sent.proxy_host;
  }
  // With `surprise` a known field has an unknown value, too.
  const provisioner = settings.surprise && { provisioner: "k8s-next" };
  return grown(settings, { ...sent, ...(settings.emptySettings && { settings: {} }), ...provisioner });
}

/** A branch as it is sent. */
export function presentBranch({ settings }: Platform, record: BranchRecord): object {
  const sent: Partial<BranchRecord> = { ...record };
  if (settings.removedFields !== "kept") {
    delete sent.primary;
    delete sent.cpu_used_sec;
  }
  return grown(settings, sent);
}

/** A project as it is sent, alone or in the list. */
export function presentProject({ settings }: Platform, record: Partial<ProjectRecord>): object {
  const sent = { ...record };
  if (settings.removedFields !== "kept") delete sent.cpu_used_sec;
  return grown(settings, sent);
}

/** An operation as it is sent. */
export function presentOperation({ settings }: Platform, record: OperationRecord): object {
  const sent: Partial<OperationRecord> = { ...record };
  if (!settings.operationDurations) delete sent.total_duration_ms;
  return grown(settings, sent);
}

/** The operations of a change as they are sent; with `surprise`, one of an unknown action runs as well. */
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
