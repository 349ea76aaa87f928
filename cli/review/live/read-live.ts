/** Asks the platform how the endpoints of a plan are and what they did lately. Only reads: one list and some pages a project. */
import { isId } from "../../../provider/lib/ids";
import { cleanText } from "../../../provider/lib/redact";
import type { Account } from "../../../provider/platform/account";
import type { Api } from "../../../provider/platform/api";
import { isKind, PgComputeError } from "../../../provider/platform/errors";
import { restartsIn } from "../../../provider/platform/project/outcome";
import type { EndpointRecord, OperationRecord } from "../../../provider/platform/records";
import { messageOf } from "../../advice";
import type { LiveReach } from "../report-model";

/** How far back operations are read. */
const WINDOW_DAYS = 30;
/** Pages of operations that are read of a project at most. */
const MOST_PAGES = 20;
/** The most projects that are read: anybody may have written the plan that names them. */
const MOST_PROJECTS = 20;
const PAGE_SIZE = 1_000;
const LONGEST_FAILURE = 500;
const MS_PER_DAY = 86_400_000;

/** What the platform told. */
export interface LiveView {
  nowMs: number;
  projects: ReadonlyMap<string, LiveProject>;
  reach: LiveReach[];
}

/** One project of it. */
export interface LiveProject {
  endpoints: readonly EndpointRecord[];
  /** Operations by endpoint, most recent first. */
  operations: ReadonlyMap<string, readonly OperationRecord[]>;
  /** How long each of its restarts took. */
  restartsMs: readonly number[];
  /** Where the operations begin, in milliseconds since the epoch. */
  fromMs: number;
}

/**
 * Reads the projects. One that cannot be read is told of in `reach` and stops nothing; only an interruption throws, and a
 * key that the platform does not accept.
 */
export async function readLive(account: Account, projectIds: Iterable<string>, signal: AbortSignal): Promise<LiveView> {
  const nowMs = account.clock.now();
  const wanted = [...new Set(projectIds)].filter(isId);
  const read = await Promise.all(
    wanted.slice(0, MOST_PROJECTS).map((projectId) => readProject(account.api, { projectId, nowMs, signal })),
  );
  const left = wanted
    .slice(MOST_PROJECTS)
    .map((projectId): LiveReach => ({ projectId, failure: `only ${MOST_PROJECTS} projects are asked for` }));
  return {
    nowMs,
    projects: new Map(read.flatMap(({ reach, project }) => (project ? [[reach.projectId, project] as const] : []))),
    reach: [...read.map(({ reach }) => reach), ...left],
  };
}

interface Wanted {
  projectId: string;
  nowMs: number;
  signal: AbortSignal;
}

async function readProject(api: Api, wanted: Wanted): Promise<{ reach: LiveReach; project?: LiveProject }> {
  const { projectId, signal } = wanted;
  try {
    const endpoints = await api.listEndpoints(projectId, { signal });
    const { operations, fromMs, toEnd } = await readOperations(api, wanted);
    const { spent } = await quotaOf(api, wanted);
    const from = new Date(fromMs).toISOString();
    const reach = { projectId, from, ...(!toEnd && { pages: MOST_PAGES }), ...(spent && { spent }) };
    const restartsMs = [...operations.values()].flatMap(restartsIn);
    return { reach, project: { endpoints, operations, restartsMs, fromMs } };
  } catch (error) {
    if (!(error instanceof PgComputeError) || isKind(error, "cancelled", "unauthorized")) throw error;
    return { reach: { projectId, failure: cleanText(messageOf(error), LONGEST_FAILURE) } };
  }
}

/** The project itself. Not every key may read it, and the endpoints do not need it. */
function quotaOf(api: Api, { projectId, signal }: Wanted): Promise<Pick<LiveReach, "spent">> {
  return api.getProject(projectId, { signal }).catch((error: unknown) => {
    if (!(error instanceof PgComputeError) || isKind(error, "cancelled")) throw error;
    return {};
  });
}

/** The window's operations by endpoint, and when they begin: a platform may have forgotten older ones. */
async function readOperations(api: Api, { projectId, nowMs, signal }: Wanted) {
  const operations = new Map<string, OperationRecord[]>();
  const windowMs = nowMs - WINDOW_DAYS * MS_PER_DAY;
  let oldestMs = nowMs;
  let read = 0;
  const bounds = { limit: PAGE_SIZE, maxPages: MOST_PAGES };
  for await (const page of api.operationPages(projectId, bounds, { signal })) {
    read += 1;
    for (const operation of page) {
      const { endpointId } = operation;
      const atMs = Date.parse(operation.createdAt);
      if (atMs < oldestMs) oldestMs = atMs;
      if (endpointId === undefined || !(atMs >= windowMs)) continue;
      const known = operations.get(endpointId);
      if (known) known.push(operation);
      else operations.set(endpointId, [operation]);
    }
    if (oldestMs <= windowMs) break;
  }
  const toEnd = oldestMs <= windowMs || read < MOST_PAGES;
  return { operations, fromMs: Math.max(windowMs, oldestMs), toEnd };
}
