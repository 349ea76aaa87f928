/** What the platform tells of one endpoint, for the review's live facts. */
import type { LiveView } from "../../../../cli/review/live/look";
import { restartsIn } from "../../../../provider/platform/project/outcome";
import type { BranchRecord, EndpointRecord, OperationRecord } from "../../../../provider/platform/records";

/** When the platform of these tests is asked. */
export const nowMs = Date.parse("2026-01-31T12:00:00Z");

/** The endpoint of `stateOf()` as the platform has it, idle. */
export const record: EndpointRecord = {
  id: "ep-1",
  projectId: "p-1",
  branchId: "br-1",
  type: "read_write",
  currentState: "idle",
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 1,
  suspendTimeoutSeconds: 0,
};

/** A finished operation on it. */
export function operation(action: string, createdAt: string): OperationRecord {
  const base = { projectId: "p-1", endpointId: "ep-1", failuresCount: 0, status: "finished" };
  return { id: `op-${action}`, ...base, action, createdAt, updatedAt: createdAt };
}

/** What the platform tells: this endpoint, or none, with these operations of the project's, most recent first. */
export function viewOf(
  one: EndpointRecord | undefined,
  operations: OperationRecord[],
  days = 30,
  branches: readonly BranchRecord[] = [],
): LiveView {
  const own = (id?: string) => [id ?? "", operations.filter(({ endpointId }) => endpointId === id)] as const;
  const project = {
    endpoints: one ? [one] : [],
    branches: new Map(branches.map((branch) => [branch.id, branch])),
    operations: new Map(operations.map(({ endpointId }) => own(endpointId))),
    restartsMs: restartsIn(operations),
    fromMs: nowMs - days * 86_400_000,
  };
  return { nowMs, projects: new Map([["p-1", project]]), reach: [{ projectId: "p-1" }] };
}

/** It ran once, for 41 hours, until three hours ago. */
export const ranFor41h = [
  operation("suspend_compute", "2026-01-31T09:00:00Z"),
  operation("start_compute", "2026-01-29T16:00:00Z"),
];
