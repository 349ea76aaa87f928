import type { FaultStatus } from "../faults/fault";
import type { RequestLog, RequestLogEntry } from "../http/request-log";
import type { Runtime } from "../http/runtime";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { endpointTable } from "./endpoint-table";
import { operationTable } from "./operation-table";
import { formatDuration, formatFault, formatTime } from "./text";
import type { ViewQuery } from "./view-query";

/**
 * All texts of the page at one moment, with one page of each table. `busy`: operations are open, so poll again soon.
 */
export type ConsoleView = ReturnType<typeof consoleView>;

/** The latest calls to the API as texts, newest first, and the total. */
export type CallTable = ReturnType<typeof callTable>;

/** A call with its answer, and its refusal's reason or its faults. The path is relative to the API's address. */
export type CallRow = CallTable["rows"][number];

/** Number of calls shown. The admin calls return all. */
const CALLS_SHOWN = 25;

// A longer list is useless for choosing.
const MOST_PROJECTS = 1000;
const MOST_FAULTS = 20;

/** Builds the page's view of the platform. An unknown project becomes the first one. */
export function consoleView({ platform, log, options }: Runtime, query: ViewQuery, apiPath: string) {
  const all = [...platform.projects.values()];
  const chosen = platform.projects.get(query.project ?? "") ?? all[0];
  const listed = all.slice(0, MOST_PROJECTS);
  if (chosen && !listed.includes(chosen)) listed.push(chosen);

  return {
    now: formatTime(platform.now()),
    clock: platform.clock.mode,
    busy: chosen?.isBusy() ?? false,
    // Access data for programs; any viewer of this page may have them.
    access: { path: apiPath, apiKey: options.apiKey },
    calls: callTable(log, apiPath),
    faults: platform.faults.list().filter(isInForce).slice(0, MOST_FAULTS).map(formatFault),
    projects: listed.map(({ record: { id, name } }) => ({ id, name })),
    ...(chosen && { project: projectView(platform, chosen, query) }),
  };
}

/** True if a rule may strike again. */
function isInForce({ struck, fault: { count = Number.POSITIVE_INFINITY } }: FaultStatus): boolean {
  return struck < count;
}

function projectView(platform: Platform, project: Project, query: ViewQuery) {
  const { id, name, region_id, pg_version } = project.record;
  return {
    id,
    name,
    facts: [
      `${project.plan.charAt(0).toUpperCase()}${project.plan.slice(1)} plan`,
      region_id,
      `Postgres ${pg_version}`,
      ...(project.deleting ? ["being deleted"] : []),
    ],
    endpoints: endpointTable(platform, project, query),
    operations: operationTable(platform, project, query),
  };
}

/** Builds the table of calls. `prefix` is the start of the API's paths. */
function callTable(log: RequestLog, prefix: string) {
  return { total: log.counts().total, rows: log.latest(CALLS_SHOWN).map((entry) => callRow(entry, prefix)) };
}

function callRow(entry: Readonly<RequestLogEntry>, prefix: string) {
  const { sequence, method, path, status, faults, reason = "", durationMs, at } = entry;
  const struck = faults.length > 0 ? `fault: ${faults.join(", ")}` : "";
  const note = [reason, struck].filter(Boolean).join("; ");

  return {
    id: String(sequence),
    method,
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
    status: status === 0 ? "no answer" : String(status),
    mood: status === 0 ? ("open" as const) : status < 400 ? ("good" as const) : ("bad" as const),
    ...(note && { note }),
    duration: durationMs < 1_000 ? `${Math.round(durationMs)} ms` : formatDuration(durationMs),
    time: formatTime(at),
  };
}
