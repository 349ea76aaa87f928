import { isKind } from "../api/errors";
import type { EndpointChange, EndpointRecord } from "../api/records";
import { isOpen } from "../operations/outcome";
import type { Context } from "./context";

const RECENT_OPERATIONS = 100;

/**
 * Looks for the endpoint of a create whose answer was lost, by the mark that only this create gave: first on the branch,
 * then in the whole project, so that one list that is behind does not decide. `undefined` when neither shows it.
 */
export async function findCreated(
  context: Context,
  { projectId, branchId, mark }: { projectId: string; branchId: string; mark: string },
): Promise<EndpointRecord | undefined> {
  const { api } = context.account;
  const bearsMark = (record: EndpointRecord) => record.name === mark;
  const onBranch = await api.listBranchEndpoints(projectId, branchId).catch((error: unknown) => {
    // A platform without this call still has the list of the project.
    if (isKind(error, "not_found", "invalid_request")) return [];
    throw error;
  });
  const found = onBranch.find(bearsMark);
  if (found) return found;
  const picture = await context.account.project(projectId).directory.picture({ maxAgeMs: 0 });
  return picture.all().find(bearsMark);
}

/** A change whose answer was lost, put together again: the endpoint as it is now and its open operations. */
export async function recoverChange(context: Context, endpoint: EndpointRecord): Promise<EndpointChange> {
  const { operations } = await context.account.api.listOperations(endpoint.projectId, { limit: RECENT_OPERATIONS });
  return {
    endpoint,
    operations: operations.filter((operation) => operation.endpointId === endpoint.id && isOpen(operation)),
  };
}
