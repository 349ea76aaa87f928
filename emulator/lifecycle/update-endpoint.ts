import { isDeepStrictEqual } from "node:util";
import { endpointExists } from "../errors";
import { type Endpoint, type EndpointRecord, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { toTimestamp } from "../model/timestamp";
import { watchIdleness } from "./autosuspend";
import { change, type PlanMaker } from "./change";
import { applyPlan } from "./configure";
import type { EndpointFields } from "./create-endpoint";
import { assertUnlocked } from "./lock";
import { resolveSize } from "./size";
import { startPlan } from "./start";
import { cutConnections, suspendPlan } from "./suspend";

/** An update request (section 4.5): absent fields stay as they are. */
export interface EndpointUpdate extends EndpointFields {
  branch_id?: string;
}

/**
 * Changes an endpoint, at once in its record (section 3.3), with the operations that the change takes: none when nothing or
 * only the name differs, else apply_config; a move suspends the compute besides, another size restarts a running one.
 * Throws 404 for an unknown branch, 400 for what the plan does not have, 423 and 409 as a create does.
 */
export function updateEndpoint(
  platform: Platform,
  project: Project,
  endpoint: Endpoint,
  update: EndpointUpdate,
): Operation[] {
  const before = endpoint.record;
  const moves = update.branch_id !== undefined && update.branch_id !== before.branch_id;
  const target = moves ? platform.branch(project, update.branch_id ?? "").id : before.branch_id;
  const changes = differences(before, { ...update, ...resolveSize(platform, project, update, before) });
  assertUnlocked(platform, project, [before.id, before.branch_id, target]);
  if (moves) assertMovable(platform, project, endpoint, target);
  const fields = Object.keys(changes);
  if (fields.length === 0) return [];

  const now = platform.now();
  const wasRunning = isRunning(before);
  project.changeEndpoint(endpoint, { ...changes, updated_at: toTimestamp(now) }, now);
  if (fields.includes("suspend_timeout_seconds")) watchIdleness(platform, project, endpoint);
  if (fields.every((field) => field === "name")) return [];

  const resized = fields.some((field) => field.startsWith("autoscaling_limit_"));
  const stops = wasRunning && endpoint.record.disabled;
  const makers: PlanMaker[] = [applyPlan];
  if (moves || stops || (wasRunning && resized)) {
    cutConnections(endpoint);
    makers.push(suspendPlan);
    if (!moves && !stops) makers.push(startPlan);
  }
  return change(platform, project, endpoint, stateAfter(endpoint.record, wasRunning, moves), makers);
}

function stateAfter(record: EndpointRecord, wasRunning: boolean, moves: boolean): "active" | "idle" | "stopped" {
  if (record.disabled) return "stopped";
  return wasRunning && !moves ? "active" : "idle";
}

function differences(before: EndpointRecord, wanted: Partial<EndpointRecord>): Partial<EndpointRecord> {
  const present = new Map<string, unknown>(Object.entries(before));
  const different = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(present.get(field), value),
  );
  return Object.fromEntries(different);
}

// Sections 3.2 and 4.5 ask for a branch without any endpoint; the rule of section 1 only for one without a read-write.
function assertMovable(platform: Platform, project: Project, endpoint: Endpoint, branchId: string): void {
  const others = project.endpointsOn(branchId).filter((other) => other !== endpoint);
  const writer = others.find((other) => other.record.type === "read_write");
  if (writer) throw endpointExists(`read_write endpoint already exists: branch ${branchId} has ${writer.record.id}`);
  const other = others[0];
  if (other && platform.settings.moveRule === "no-endpoint") {
    throw endpointExists(
      `endpoint ${endpoint.record.id} cannot move: branch ${branchId} already has endpoint ${other.record.id}`,
    );
  }
}
