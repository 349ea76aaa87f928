import type { Endpoint, EndpointState } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { type OperationPlan, startOperations } from "./operation-run";

/** Makes one step of a change of an endpoint. */
export type PlanMaker = (platform: Platform, project: Project, endpoint: Endpoint) => OperationPlan;

/** Shows the state that the endpoint is on its way to, and starts the operations one after the other. */
export function change(
  platform: Platform,
  project: Project,
  endpoint: Endpoint,
  pending: EndpointState,
  makers: readonly PlanMaker[],
): Operation[] {
  if (makers.length === 0) return [];
  project.changeEndpoint(endpoint, { pending_state: pending }, platform.now());
  const plans = makers.map((make) => make(platform, project, endpoint));
  return startOperations(platform, project, plans);
}

/** Where the operations of an endpoint run. */
export function placeOf(endpoint: Endpoint): { branchId: string; endpointId: string } {
  return { branchId: endpoint.record.branch_id, endpointId: endpoint.record.id };
}

/** Whether the endpoint still exists: it may have been deleted while an operation ran. */
export function isPresent(project: Project, endpoint: Endpoint): boolean {
  return project.endpoints.get(endpoint.record.id) === endpoint;
}
