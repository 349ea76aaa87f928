import { isOpen, isSuccess, type Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { formatDuration, formatTime } from "./text";
import type { ViewQuery } from "./view-query";

/**
 * A page of operations, newest first. `older`: the next page's `before`. `latest`: new operations appear on this page.
 */
export type OperationTable = ReturnType<typeof operationTable>;

/**
 * An operation with the fields of the platform's console (specification, section 2.1), and its failures, error and
 * injected fault.
 */
export type OperationRow = OperationTable["rows"][number];

/** Operations per page. */
const OPERATIONS_A_PAGE = 25;

/** Builds the table of a project's operations. */
export function operationTable(platform: Platform, project: Project, { before }: ViewQuery) {
  const { operations, more } = project.operations.page(OPERATIONS_A_PAGE, before);
  const last = operations.at(-1);
  let open = 0;
  for (const set of project.open.values()) open += set.size;

  return {
    open,
    rows: operations.map((operation) => operationRow(platform, project, operation)),
    latest: before === undefined,
    ...(more && last && { older: last.createdMicros }),
  };
}

function operationRow(platform: Platform, project: Project, operation: Operation) {
  const createdAt = Math.floor(operation.createdMicros / 1000);
  const until = operation.endedAt ?? platform.now();
  const { endpointId, failuresCount, error, fault } = operation;
  const failures = failuresCount > 0 && `failures: ${failuresCount}`;
  const note = [failures, error, fault && `fault: ${fault}`].filter(Boolean).join(", ");

  return {
    id: operation.id,
    action: operation.action,
    branch: project.branches.get(operation.branchId)?.name ?? operation.branchId,
    ...(endpointId !== undefined && { endpoint: endpointId }),
    status: operation.status,
    mood: isOpen(operation) ? ("open" as const) : isSuccess(operation.status) ? ("good" as const) : ("bad" as const),
    ...(note && { note }),
    duration: formatDuration(Math.max(0, until - createdAt)),
    time: formatTime(createdAt),
  };
}
