import { isOpen, isSuccess, type Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { formatDuration, formatTime } from "./text";
import type { ViewQuery } from "./view-query";

/** How an operation stands: the page gives each a colour and a shape of its own. */
export type OperationMood = "open" | "good" | "bad";

/**
 * An operation with what the platform's console shows of it: action, branch, status, duration, date and time (specification,
 * section 2.1).
 */
export interface OperationRow {
  id: string;
  action: string;
  /** The branch's name; its id when it is gone. */
  branch: string;
  endpoint?: string;
  status: string;
  mood: OperationMood;
  /** Failures, the error and the injected fault, if any. */
  note?: string;
  /** Of an open one, its age so far. */
  duration: string;
  time: string;
}

/** A page of operations, most recent first. */
export interface OperationTable {
  open: number;
  rows: OperationRow[];
  /** Whether the page is the first one, which new operations come to. */
  latest: boolean;
  /** `before` of the next page; absent on the last. */
  older?: number;
}

/** Operations a page has. */
const OPERATIONS_A_PAGE = 25;

/** Makes the table of a project's operations. */
export function operationTable(platform: Platform, project: Project, { before }: ViewQuery): OperationTable {
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

function operationRow(platform: Platform, project: Project, operation: Operation): OperationRow {
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
    mood: isOpen(operation) ? "open" : isSuccess(operation.status) ? "good" : "bad",
    ...(note && { note }),
    duration: formatDuration(Math.max(0, until - createdAt)),
    time: formatTime(createdAt),
  };
}
