/** Operations as rows of a table. */
import { outcomeOf } from "../../provider/platform/project/outcome";
import type { OperationRecord } from "../../provider/platform/records";
import { formatDuration, formatTime, type Paint } from "../terminal/output";
import type { Cell, Column } from "../terminal/table";

/** The columns of the platform's console (specification, section 2.1) and the endpoint, and on request the ids that `wait` takes. */
export function operationColumns(ids: boolean): Column[] {
  return [
    // Whoever asks for ids looks for those of an endpoint.
    { title: "Action", width: 22, ...(ids && { leaveOut: 5 }) },
    { title: "Branch", width: 30, leaveOut: 1 },
    { title: "Endpoint", width: 30, ...(!ids && { leaveOut: 3 }) },
    { title: "Status", width: 12 },
    { title: "Duration", width: 12, leaveOut: 2 },
    { title: "Date and time (UTC)", width: 21, leaveOut: 4 },
    ...(ids ? [{ title: "Operation", width: 38 }] : []),
  ];
}

/** An operation as a row; an open one has lasted until `nowMs`. */
export function operationRow(operation: OperationRecord, nowMs: number, paint: Paint, ids: boolean): Cell[] {
  const { id, action, branchId = "", endpointId = "", status, createdAt } = operation;
  const colours = { succeeded: paint.green, open: paint.yellow, failed: paint.red };
  return [
    { text: action },
    { text: branchId },
    { text: endpointId },
    { text: status, paint: colours[outcomeOf(operation, nowMs)] },
    { text: formatDuration(durationMs(operation, nowMs)) },
    { text: formatTime(createdAt) },
    ...(ids ? [{ text: id }] : []),
  ];
}

/** How long an operation took, or has taken until `nowMs`, in milliseconds. */
export function durationMs(operation: OperationRecord, nowMs: number): number {
  const { totalDurationMs, createdAt, updatedAt } = operation;
  const began = Date.parse(createdAt);
  if (outcomeOf(operation, nowMs) === "open") return nowMs - began;
  return totalDurationMs ?? Date.parse(updatedAt) - began;
}
