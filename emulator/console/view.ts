import type { FaultStatus } from "../faults/fault";
import type { Runtime } from "../http/runtime";
import type { ClockMode } from "../lib/clock";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { type CallTable, callTable } from "./call-table";
import { type EndpointTable, endpointTable } from "./endpoint-table";
import { type OperationTable, operationTable } from "./operation-table";
import { formatFault, formatTime } from "./text";
import type { ViewQuery } from "./view-query";

/**
 * All that the page shows at one instant, as texts. It is as long as a page of each table, however large the platform:
 * the page asks again and again.
 */
export interface ConsoleView {
  now: string;
  clock: ClockMode;
  /** Something is under way, so that the next look is worth taking soon. */
  busy: boolean;
  projects: { id: string; name: string }[];
  /** What a program needs to call the API; whoever may see this page may know it. */
  access: { path: string; apiKey: string };
  calls: CallTable;
  /** The fault rules in force, oldest first. */
  faults: string[];
  /** `undefined` when there is no project at all. */
  project?: ProjectView;
}

/** The chosen project. */
export interface ProjectView {
  id: string;
  name: string;
  /** Such as `Paid plan`. */
  facts: string[];
  endpoints: EndpointTable;
  operations: OperationTable;
}

// A list to choose from is of no use beyond.
const MOST_PROJECTS = 1000;
const MOST_FAULTS = 20;

/** Takes a picture of the platform for the page. An unknown project is taken for the first one. */
export function consoleView({ platform, log, options }: Runtime, query: ViewQuery, apiPath: string): ConsoleView {
  const all = [...platform.projects.values()];
  const chosen = platform.projects.get(query.project ?? "") ?? all[0];
  const listed = all.slice(0, MOST_PROJECTS);
  if (chosen && !listed.includes(chosen)) listed.push(chosen);
  return {
    now: formatTime(platform.now()),
    clock: platform.clock.mode,
    busy: chosen?.isBusy() ?? false,
    access: { path: apiPath, apiKey: options.apiKey },
    calls: callTable(log, apiPath),
    faults: platform.faults.list().filter(isInForce).slice(0, MOST_FAULTS).map(formatFault),
    projects: listed.map(({ record: { id, name } }) => ({ id, name })),
    ...(chosen && { project: projectView(platform, chosen, query) }),
  };
}

/** Whether a rule may strike again. */
function isInForce({ struck, fault: { count = Number.POSITIVE_INFINITY } }: FaultStatus): boolean {
  return struck < count;
}

function projectView(platform: Platform, project: Project, query: ViewQuery): ProjectView {
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
