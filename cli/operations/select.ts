import type { Api } from "../../provider/platform/api";
import type { OperationRecord } from "../../provider/platform/records";

/** Which operations are wanted. */
export interface OperationFilter {
  endpoint?: string;
  branch?: string;
  status?: string;
}

/** One page of what a filter lets through. */
export interface SelectedPage {
  operations: OperationRecord[];
  /** True when a further page has something. */
  more: boolean;
}

const LARGEST_CALL = 1_000;

/** True for an operation that the filter lets through. */
export function matches({ endpoint, branch, status }: OperationFilter, operation: OperationRecord): boolean {
  return (
    (endpoint === undefined || operation.endpointId === endpoint) &&
    (branch === undefined || operation.branchId === branch) &&
    (status === undefined || operation.status === status)
  );
}

/**
 * A page of a project's operations, most recent first (specification, section 4.1). The platform has no filters, so a filtered
 * page is looked for in its whole list.
 */
export async function selectOperations(
  api: Pick<Api, "allOperations">,
  projectId: string,
  filter: OperationFilter,
  { limit, page }: { limit: number; page: number },
  signal: AbortSignal,
): Promise<SelectedPage> {
  const skip = (page - 1) * limit;
  const filtered = filter.endpoint !== undefined || filter.branch !== undefined || filter.status !== undefined;
  const callSize = filtered ? LARGEST_CALL : Math.min(LARGEST_CALL, skip + limit + 1);
  const operations: OperationRecord[] = [];
  let met = 0;
  for await (const operation of api.allOperations(projectId, { limit: callSize }, { signal })) {
    if (!matches(filter, operation)) continue;
    met += 1;
    if (met <= skip) continue;
    if (operations.length === limit) return { operations, more: true };
    operations.push(operation);
  }
  return { operations, more: false };
}
