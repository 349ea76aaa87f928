import type { BranchRecord } from "../model/branch";
import { connectionsOf, sizeInForce } from "../model/compute-size";
import type { Computes } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { possibleActions } from "./actions";
import { formatPending, formatSession, formatSize, formatState, formatSuspend, formatTime } from "./text";
import type { Filter, ViewQuery } from "./view-query";

/** A page of branches and endpoints. `counts`: endpoints by filter; `found`: rows on all pages. */
export type EndpointTable = ReturnType<typeof endpointTable>;

/** A branch with one of its endpoints, or without. */
export type EndpointRow = EndpointTable["rows"][number];

/** An endpoint's cells. With Postgres servers also its clients, oldest first, and its connection strings. */
export type EndpointCells = NonNullable<EndpointRow["endpoint"]>;

/** Rows per page. */
const ROWS_A_PAGE = 50;

/** Maximum number of clients in a row. */
const SESSIONS_A_ROW = 10;

interface Place {
  branch: BranchRecord;
  endpoint: Endpoint | undefined;
}

/** Builds the table: endpoints, then branches without any; within both the primary branch first, then newest first. */
export function endpointTable(platform: Platform, project: Project, query: ViewQuery) {
  const counts = { all: 0, init: 0, active: 0, idle: 0, stopped: 0, changing: 0 };
  const found: Place[] = [];
  const empty: Place[] = [];
  const search = query.search?.trim().toLowerCase() ?? "";

  for (const branch of inOrder(project)) {
    const endpoints = project.endpointsOn(branch.id);
    for (const endpoint of endpoints.length > 0 ? endpoints : [undefined]) {
      if (endpoint) {
        counts.all++;
        counts[endpoint.record.current_state]++;
        if (isChanging(project, endpoint)) counts.changing++;
      }
      const place = { branch, endpoint };
      if (passes(project, place, query.filter) && matches(place, search)) (endpoint ? found : empty).push(place);
    }
  }

  found.push(...empty);
  const pages = Math.max(1, Math.ceil(found.length / ROWS_A_PAGE));
  const page = Math.min(query.page, pages);
  const rows = found.slice((page - 1) * ROWS_A_PAGE, page * ROWS_A_PAGE).map((place) => endpointRow(platform, place));
  return { counts, rows, found: found.length, page, pages };
}

function inOrder(project: Project): BranchRecord[] {
  const branches = [...project.shownBranches()].reverse();
  return [...branches.filter(({ primary }) => primary), ...branches.filter(({ primary }) => !primary)];
}

function isChanging(project: Project, { record }: Endpoint): boolean {
  return record.pending_state !== undefined || project.open.has(record.id);
}

function passes(project: Project, { endpoint }: Place, filter: Filter | undefined): boolean {
  if (filter === undefined) return true;
  if (!endpoint) return false;
  return filter === "changing" ? isChanging(project, endpoint) : endpoint.record.current_state === filter;
}

function matches({ branch, endpoint }: Place, search: string): boolean {
  if (search === "") return true;
  const texts = [branch.id, branch.name, endpoint?.record.id, endpoint?.record.name, endpoint?.record.host];
  return texts.some((text) => text?.toLowerCase().includes(search));
}

function endpointRow(platform: Platform, { branch, endpoint }: Place) {
  const tags = [
    ...(branch.primary ? ["primary"] : []),
    ...(branch.protected ? ["protected"] : []),
    ...(branch.expires_at ? [`expires ${formatTime(Date.parse(branch.expires_at))}`] : []),
    ...(branch.current_state === "init" ? ["being created"] : []),
  ];
  const cells = endpoint && endpointCells(platform, endpoint);
  return { branch: { id: branch.id, name: branch.name, tags }, ...(cells && { endpoint: cells }) };
}

function endpointCells({ computes, settings }: Platform, endpoint: Endpoint) {
  const { record, connections, waiting, dropped } = endpoint;
  return {
    id: record.id,
    ...(record.name !== undefined && { name: record.name }),
    type: record.type === "read_write" ? "Read-write" : "Read-only",
    state: {
      kind: record.current_state,
      text: formatState(record.current_state),
      ...(record.pending_state !== undefined && { pending: formatPending(endpoint) }),
    },
    size: formatSize(record),
    suspend: formatSuspend(record, settings),
    connections: `${connections} of ${connectionsOf(settings, sizeInForce(endpoint))}`,
    ...(waiting > 0 && { waiting: `${waiting} waiting` }),
    ...(dropped > 0 && { dropped: `${dropped} dropped` }),
    host: record.host,
    tags: [...(record.disabled ? ["disabled"] : []), ...(record.pooler_enabled ? ["pooler"] : [])],
    actions: possibleActions(endpoint, computes !== undefined),
    ...(computes && { server: serverCells(endpoint, computes) }),
  };
}

function serverCells(endpoint: Endpoint, computes: Computes) {
  const sessions = computes.sessions(endpoint);
  const more = sessions.length - SESSIONS_A_ROW;
  return {
    sessions: [...sessions.slice(0, SESSIONS_A_ROW).map(formatSession), ...(more > 0 ? [`and ${more} more`] : [])],
    connectionString: computes.connectionStrings(endpoint).url,
  };
}
