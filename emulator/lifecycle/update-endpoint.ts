import { isDeepStrictEqual } from "node:util";
import { endpointExists } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { type Endpoint, type EndpointRecord, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { applyPlan, assertUnlocked, change, isPresent, type PlanMaker, rest } from "./change";
import { cutConnections, startPlan, suspendPlan, watchIdleness } from "./compute";
import { type EndpointFields, wholeSettings } from "./create-endpoint";
import { assertMayLeave } from "./delete-endpoint";
import { assertDelayInPlan, resolveSize } from "./size";

/** An update request (specification, section 4.5): absent fields stay. */
export interface EndpointUpdate extends EndpointFields {
  branch_id?: string;
}

/**
 * Updates an endpoint's record at once (specification, section 3.3) and starts the operations that the change takes.
 * Throws 404, 400, 423 and 409 like a create.
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
  const { settings, ...others } = update;
  assertDelayInPlan(platform, project, update.suspend_timeout_seconds);

  const changes = differences(before, {
    ...others,
    ...(settings && { settings: wholeSettings(platform, settings, before.settings) }),
    ...resolveSize(platform, project, update, before),
  });

  assertUnlocked(platform, project, [before.id, before.branch_id, target]);
  if (moves) assertMovable(platform, project, endpoint, target);
  const fields = Object.keys(changes);
  if (fields.length === 0) return [];

  const now = platform.now();
  const wasRunning = isRunning(before);
  project.changeEndpoint(endpoint, { ...changes, updated_at: toTimestamp(now) }, now);
  if (fields.includes("suspend_timeout_seconds") || resizes(fields)) watchIdleness(platform, project, endpoint);
  if (fields.every((field) => field === "name")) return [];

  const resized = resizes(fields);
  if (before.current_state === "active" && (moves || resized)) endpoint.outdated ??= before;
  const { idleChange } = platform.settings;
  if (!wasRunning && idleChange === "none") {
    rest(platform, project, endpoint);
    return [];
  }

  const stops = wasRunning && endpoint.record.disabled;
  const wakes = !wasRunning && idleChange === "start-and-suspend";
  const takeBack = () => {
    // Settings that a real compute refuses are reverted; the rest of the change stays.
    if (isPresent(project, endpoint)) project.changeEndpoint(endpoint, { settings: before.settings }, platform.now());
  };

  const apply = wakes ? wakingApplyPlan : applyPlan;
  const keepOld = () => {
    const { current_state, settings } = endpoint.record;
    if (current_state === "active" && settings !== before.settings) endpoint.outdated ??= before;
  };

  const makers: PlanMaker[] = [(...place) => ({ ...apply(...place), onRefusal: takeBack, onFailure: keepOld })];
  if (moves || stops || wakes || (wasRunning && resized)) {
    cutConnections(platform, endpoint);
    makers.push(suspendPlan);
    if (wasRunning && !moves && !stops) makers.push(startPlan);
  }

  const pending = wasRunning && !moves && !stops ? "active" : platform.restingState(endpoint.record);
  return change(platform, project, endpoint, pending, makers);
}

/** Plans an apply_config operation that activates a stopped compute; a suspend_compute must follow. */
const wakingApplyPlan: PlanMaker = (platform, project, endpoint) => ({
  ...applyPlan(platform, project, endpoint),
  onStart: () => {
    if (!isPresent(project, endpoint)) return;
    const now = platform.now();
    project.changeEndpoint(endpoint, { current_state: "active", started_at: toTimestamp(now) }, now);
  },
});

function resizes(fields: readonly string[]): boolean {
  return fields.some((field) => field.startsWith("autoscaling_limit_"));
}

function differences(before: EndpointRecord, wanted: Partial<EndpointRecord>): Partial<EndpointRecord> {
  const present = new Map<string, unknown>(Object.entries(before));
  const different = Object.entries(wanted).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(present.get(field), value),
  );
  return Object.fromEntries(different);
}

// Specification, sections 3.2 and 4.5 require a branch without any endpoint; section 1 only one without a read-write
// endpoint.
function assertMovable(platform: Platform, project: Project, endpoint: Endpoint, branchId: string): void {
  const others = project.endpointsOn(branchId).filter((other) => other !== endpoint);
  assertMayLeave(platform, project, endpoint, "moved");
  const writer = others.find((other) => other.record.type === "read_write");
  if (writer) throw endpointExists(`read_write endpoint already exists: branch ${branchId} has ${writer.record.id}`);
  const other = others[0];

  if (other && platform.settings.moveRule === "no-endpoint") {
    throw endpointExists(
      `endpoint ${endpoint.record.id} cannot move: branch ${branchId} already has endpoint ${other.record.id}`,
    );
  }
}
