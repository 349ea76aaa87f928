import { startOperation } from "../lifecycle/operation-run";
import type { BranchRecord } from "../model/branch";
import type { EndpointRecord } from "../model/endpoint";
import { type Operation, toOperationRecord } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project, ProjectRecord } from "../model/project";

type AnswerRecord = BranchRecord | EndpointRecord | ProjectRecord | ReturnType<typeof toOperationRecord>;

/** A record as it is sent: with `surprise`, fields come along that no client knows, as answers grow (public facts). */
export function present<T extends AnswerRecord>(platform: Platform, record: T): T {
  if (!platform.settings.surprise) return record;
  const provisioner = "provisioner" in record ? { provisioner: "k8s-next" } : {};
  return { ...record, ...provisioner, x_generation: 7, x_placement: { zone: "z1", tags: ["new"], spread: null } };
}

/** The operations of a change as they are sent; with `surprise`, one of an unknown action runs besides. */
export function presentOperations(platform: Platform, project: Project, operations: Operation[]) {
  const first = operations[0];
  const all = [...operations];
  if (platform.settings.surprise && first) {
    const { branchId, endpointId } = first;
    const place = endpointId === undefined ? { branchId } : { branchId, endpointId };
    all.push(startOperation(platform, project, { action: "prewarm_cache", ...place }));
  }
  return all.map((operation) => present(platform, toOperationRecord(operation)));
}
