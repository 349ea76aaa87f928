import type { RequestLog, RequestLogEntry } from "../http/request-log";
import type { OperationMood } from "./operation-table";
import { formatDuration, formatTime } from "./text";

/** A call to the API with its answer, as texts. */
export interface CallRow {
  /** Its place in the log. */
  id: string;
  method: string;
  /** Path and query, below the API's own address. */
  path: string;
  status: string;
  mood: OperationMood;
  /** Why it was refused, and which faults struck it. */
  note?: string;
  duration: string;
  time: string;
}

/** The latest calls to the API, most recent first, and how many there were. */
export interface CallTable {
  total: number;
  rows: CallRow[];
}

/** Calls that are shown: what a person has just done. The admin calls have all of them. */
const CALLS_SHOWN = 25;

/** Makes the table of the latest calls; `prefix` is where the API's paths begin. */
export function callTable(log: RequestLog, prefix: string): CallTable {
  return { total: log.counts().total, rows: log.latest(CALLS_SHOWN).map((entry) => callRow(entry, prefix)) };
}

function callRow(entry: Readonly<RequestLogEntry>, prefix: string): CallRow {
  const { sequence, method, path, status, faults, reason = "", durationMs, at } = entry;
  const struck = faults.length > 0 ? `fault: ${faults.join(", ")}` : "";
  const note = [reason, struck].filter(Boolean).join("; ");
  return {
    id: String(sequence),
    method,
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
    status: status === 0 ? "no answer" : String(status),
    mood: status === 0 ? "open" : status < 400 ? "good" : "bad",
    ...(note && { note }),
    duration: durationMs < 1_000 ? `${Math.round(durationMs)} ms` : formatDuration(durationMs),
    time: formatTime(at),
  };
}
