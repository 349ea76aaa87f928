/**
 * Reads a plan's endpoints and their recent activity from the platform: one list and some pages of operations per
 * project.
 */
import { toState } from "../../../provider/endpoint/mapping";
import { newestFirst, ownershipOf } from "../../../provider/endpoint/ownership-name";
import { reasonToStay } from "../../../provider/endpoint/rules/protection";
import { isId } from "../../../provider/lib/ids";
import { madeFor, ownerOfRow } from "../../../provider/lib/owner";
import { cleanText } from "../../../provider/lib/redact";
import type { Account } from "../../../provider/platform/account";
import type { Api } from "../../../provider/platform/api";
import { isKind, PgComputeError } from "../../../provider/platform/errors";
import { outcomeOf, restartsIn } from "../../../provider/platform/project/outcome";
import type { BranchRecord, EndpointRecord, OperationRecord } from "../../../provider/platform/records";
import { addressOf } from "../../account";
import { messageOf, withAccountNamed } from "../../advice";
import { isReleased, mayAdopt, type PlannedEndpoint } from "../fate";
import type { GoneEndpoint, LiveChange, LiveEndpoint, LiveReach } from "../report-model";

/** Days of operations to read. */
const WINDOW_DAYS = 30;
/** Maximum pages of operations per project. */
const MOST_PAGES = 20;
/** Maximum number of projects: the plan that names them is untrusted. */
const MOST_PROJECTS = 20;
const PAGE_SIZE = 1_000;
const LONGEST_FAILURE = 500;
const MS_PER_DAY = 86_400_000;
const MS_PER_HOUR = 3_600_000;

/** Operations that are no change of the endpoint. */
const passing = new Set(["start_compute", "suspend_compute", "check_availability"]);

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The data that the platform returned. */
export interface LiveView {
  nowMs: number;
  projects: ReadonlyMap<string, LiveProject>;
  reach: LiveReach[];
}

/** One project's data. */
export interface LiveProject {
  endpoints: readonly EndpointRecord[];
  /** By id, where the platform's branches restrict anything. */
  branches: ReadonlyMap<string, BranchRecord>;
  /** Operations by endpoint, newest first. */
  operations: ReadonlyMap<string, readonly OperationRecord[]>;
  /** The durations of its restarts, in milliseconds. */
  restartsMs: readonly number[];
  /** The time of the first operation, in milliseconds since the epoch. */
  fromMs: number;
}

/** Reads the projects. `reach` reports unreadable ones; only an interruption or a refused key throws. */
export async function readLive(account: Account, projectIds: Iterable<string>, signal: AbortSignal): Promise<LiveView> {
  const nowMs = account.clock.now();
  const wanted = [...new Set(projectIds)].filter(isId);
  const read = await Promise.all(
    wanted.slice(0, MOST_PROJECTS).map((projectId) => readProject(account, { projectId, nowMs, signal })),
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

/** The view of projects that were not asked for, with the reason. */
export function unreadView(projectIds: Iterable<string>, failure: string, nowMs: number): LiveView {
  const wanted = [...new Set(projectIds)].filter(isId);
  return { nowMs, projects: new Map(), reach: wanted.map((projectId) => ({ projectId, failure })) };
}

interface Wanted {
  projectId: string;
  nowMs: number;
  signal: AbortSignal;
}

async function readProject(account: Account, wanted: Wanted): Promise<{ reach: LiveReach; project?: LiveProject }> {
  const { projectId, signal } = wanted;
  const { api } = account;
  try {
    const endpoints = await api.listEndpoints(projectId, { signal });
    const { operations, fromMs, toEnd } = await readOperations(api, wanted);
    const { spent } = await quotaOf(api, wanted);
    const branches = await branchesOf(account, wanted);
    const from = new Date(fromMs).toISOString();
    const reach = { projectId, from, ...(!toEnd && { pages: MOST_PAGES }), ...(spent && { spent }) };
    const restartsMs = [...operations.values()].flatMap(restartsIn);
    return { reach, project: { endpoints, branches, operations, restartsMs, fromMs } };
  } catch (error) {
    if (!(error instanceof PgComputeError) || isKind(error, "cancelled", "unauthorized")) throw error;
    // The report is read where this command's options are not.
    const failure = withAccountNamed(messageOf(error), addressOf(account), projectId);
    return { reach: { projectId, failure: cleanText(failure, LONGEST_FAILURE) } };
  }
}

/** A project's used-up quotas. Empty if the key cannot read the project itself. */
function quotaOf(api: Api, { projectId, signal }: Wanted): Promise<Pick<LiveReach, "spent">> {
  return api.getProject(projectId, { signal }).catch((error: unknown) => {
    if (!(error instanceof PgComputeError) || isKind(error, "cancelled")) throw error;
    return {};
  });
}

/** A project's branches, if the platform's restrict anything. Empty if the key cannot read them. */
async function branchesOf({ api, settings }: Account, { projectId, signal }: Wanted): Promise<LiveProject["branches"]> {
  if (!settings.profile.restrictsBranches) return new Map();
  const branches = await api.listBranches(projectId, { signal }).catch((error: unknown) => {
    if (!(error instanceof PgComputeError) || isKind(error, "cancelled")) throw error;
    return [];
  });
  return new Map(branches.map((branch) => [branch.id, branch]));
}

/** The window's operations by endpoint, and the time they reach back to: platforms drop old ones. */
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

/** The projects of the endpoints, new ones included: used-up quotas concern them all. */
export function projectsOf(endpoints: readonly PlannedEndpoint[]): string[] {
  return endpoints.flatMap((one) => placeOf(one).projectId ?? []);
}

/** The live data of a planned endpoint; undefined if its project was not read or it is new. */
export function liveOf(planned: PlannedEndpoint, view: LiveView): LiveEndpoint | GoneEndpoint | undefined {
  const found = findIn(view, planned);
  if (!found) return undefined;
  const { project, record, endpointId } = found;
  const operations = project.operations.get(endpointId) ?? [];
  if (!record) return { state: "gone", ...changeIn(operations.slice(0, 1)) };

  const activity = activityOf({ record, operations, fromMs: project.fromMs, nowMs: view.nowMs });
  return {
    ...activity,
    ...awayIn(operations, project),
    ...keptIn(project, record, planned),
    ...changeIn(operations.filter(({ action }) => !passing.has(action))),
  };
}

/** Why the platform will refuse the delete of an endpoint; empty if it will not. */
function keptIn(
  { branches }: LiveProject,
  record: EndpointRecord,
  { action, before, goesWith }: PlannedEndpoint,
): Pick<LiveEndpoint, "kept"> {
  const branch = branches.get(record.branchId);
  const isGoing = action === "delete" || (action === "replace" && !isReleased(before));
  const isDeleted = isGoing && goesWith === undefined;
  const kept = isDeleted && branch ? reasonToStay(branch, record) : undefined;
  return kept === undefined ? {} : { kept };
}

/** The durations of past restarts; empty without any. */
function awayIn(own: readonly OperationRecord[], { restartsMs }: LiveProject): Pick<LiveEndpoint, "away"> {
  const here = restartsIn(own);
  const times = [...(here.length > 0 ? here : restartsMs)].sort((a, b) => a - b);
  const [aboutMs, slowestMs] = [times[Math.floor(times.length / 2)], times.at(-1)];
  if (aboutMs === undefined || slowestMs === undefined) return {};
  return { away: { aboutMs, slowestMs, restarts: times.length, of: here.length > 0 ? "endpoint" : "project" } };
}

/** Adds the platform's endpoint to an adoption; other steps pass unchanged. */
export function withOccupant(planned: PlannedEndpoint, view: LiveView): PlannedEndpoint {
  const record = planned.action === "adopt" ? findIn(view, planned)?.record : undefined;
  if (!record) return planned;
  const before = { id: `${record.projectId}/${record.id}`, inputs: {}, outputs: toState(record) };
  return { ...planned, before };
}

/**
 * The platform's data of an endpoint, without a record if it was deleted. Undefined for an unread project or a new
 * endpoint.
 */
function findIn(view: LiveView, planned: PlannedEndpoint) {
  const { projectId = "", endpointId: known } = placeOf(planned);
  const project = view.projects.get(projectId);
  if (!project) return undefined;
  const { endpoints } = project;
  const record = known === undefined ? takenBy(planned, endpoints) : endpoints.find(({ id }) => id === known);
  const endpointId = known ?? record?.id;
  return endpointId === undefined ? undefined : { project, record, endpointId };
}

/** An endpoint's project and id. New endpoints, and those adopted unseen, have no id. */
function placeOf({ before, after }: PlannedEndpoint): { projectId?: string; endpointId?: string } {
  const [projectId, endpointId] = (before?.id ?? after?.id ?? "").split("/");
  if (projectId && endpointId) return { projectId, endpointId };
  const wanted = after?.inputs.projectId;
  return typeof wanted === "string" ? { projectId: wanted } : {};
}

/** The endpoint that an adoption takes, among its project's. */
function takenBy(
  { action, urn, after }: PlannedEndpoint,
  endpoints: readonly EndpointRecord[],
): EndpointRecord | undefined {
  if (action !== "adopt") return undefined;
  const { branchId, type = "read_write", adoptExisting } = after?.inputs ?? {};
  const onBranch = endpoints.filter((one) => one.branchId === branchId && one.type === type);
  if (mayAdopt(adoptExisting)) return onBranch[0];
  // By name: the newest endpoint made for this owner.
  const [newest] = newestFirst(onBranch.filter(ownershipOf(madeFor(ownerOfRow(urn)))));
  return newest;
}

function changeIn(operations: readonly OperationRecord[]): { changedBy?: LiveChange } {
  const [last] = operations;
  return last ? { changedBy: { operation: last.id, action: last.action, at: last.createdAt } } : {};
}

/** The data about one endpoint; times in milliseconds since the epoch. */
interface Observed {
  record: EndpointRecord;
  /** The endpoint's operations, in any order. */
  operations: readonly OperationRecord[];
  /** The time of the first operation. */
  fromMs: number;
  nowMs: number;
}

/** A period in which the endpoint ran. */
interface Run {
  fromMs: number;
  toMs: number;
}

/**
 * An endpoint's activity (specification, sections 2.1, 3.2 and 3.4). A run lasts from the creation of a start operation
 * to that of the next suspend. Gaps, such as the time before the first operation, follow from that operation and the
 * current state. Hours of the day are UTC.
 */
export function activityOf(observed: Observed): LiveEndpoint {
  const { record, nowMs } = observed;
  const fromMs = Math.min(nowMs, Math.max(observed.fromMs, timeOf(record.createdAt) ?? observed.fromMs));
  const seen = { ...observed, fromMs };
  const state = stateOf(record);
  const turns = turnsOf(seen);
  const runs = runsOf(turns, seen, state);
  const since = sinceOf(runs.at(-1), seen, state);
  const ran = byHour(runs);
  const hours = byHour([{ fromMs, toMs: nowMs }]);

  return {
    state,
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(record.lastActive !== undefined && { lastActive: record.lastActive }),
    observedHours: (nowMs - fromMs) / MS_PER_HOUR,
    starts: turns.filter(({ starts }) => starts).length,
    runningHours: runs.reduce((sum, run) => sum + run.toMs - run.fromMs, 0) / MS_PER_HOUR,
    hoursOfDay: ran,
    quietHours: HOURS.filter((hour) => ran[hour] === 0 && (hours[hour] ?? 0) >= 1),
  };
}

/** The starts and suspends that did not fail, oldest first. */
function turnsOf({ operations, fromMs, nowMs }: Observed): { atMs: number; starts: boolean }[] {
  return operations
    .filter(({ action }) => action === "start_compute" || action === "suspend_compute")
    .filter((operation) => outcomeOf(operation, nowMs) !== "failed")
    .map(({ action, createdAt }) => ({ atMs: timeOf(createdAt) ?? Number.NaN, starts: action === "start_compute" }))
    .filter(({ atMs }) => atMs >= fromMs && atMs <= nowMs)
    .sort((a, b) => a.atMs - b.atMs || Number(a.starts) - Number(b.starts));
}

function stateOf({ currentState, pendingState, disabled }: EndpointRecord): LiveEndpoint["state"] {
  if (disabled === true) return "disabled";
  if (currentState === undefined) return "unknown";
  // A waking endpoint counts as running: clients may be waiting.
  return currentState === "active" || currentState === "init" || pendingState === "active" ? "runs" : "idle";
}

function runsOf(turns: ReturnType<typeof turnsOf>, { record, fromMs, nowMs }: Observed, state: string): Run[] {
  const runs: Run[] = [];
  const [first] = turns;
  let began = (first ? !first.starts : state === "runs") ? fromMs : undefined;
  for (const { atMs, starts } of turns) {
    if (!starts && began !== undefined) runs.push({ fromMs: began, toMs: atMs });
    began = starts ? (began ?? atMs) : undefined;
  }

  const ended = runs.at(-1)?.toMs ?? fromMs;
  if (state === "runs") {
    runs.push({ fromMs: began ?? within(timeOf(record.startedAt) ?? nowMs, ended, nowMs), toMs: nowMs });
  } else if (began !== undefined) {
    // It was suspended without a listed operation.
    runs.push({ fromMs: began, toMs: within(restedAt(record) ?? began, began, nowMs) });
  }
  return runs;
}

/** The start of the current state; undefined if that is older than the operations. */
function sinceOf(last: Run | undefined, { record, fromMs, nowMs }: Observed, state: string): number | undefined {
  if (state === "unknown") return undefined;
  if (state !== "runs") return last?.toMs ?? restedAt(record);
  if (last && last.fromMs > fromMs) return last.fromMs;
  const told = timeOf(record.startedAt);
  return told !== undefined && told <= nowMs ? told : undefined;
}

function restedAt({ suspendedAt, lastActive }: EndpointRecord): number | undefined {
  return timeOf(suspendedAt) ?? timeOf(lastActive);
}

/** The activity within each hour of the day, in hours. */
function byHour(runs: readonly Run[]): number[] {
  const hours = HOURS.map(() => 0);
  for (const { fromMs, toMs } of runs) {
    for (let at = fromMs; at < toMs; ) {
      const next = Math.min(toMs, (Math.floor(at / MS_PER_HOUR) + 1) * MS_PER_HOUR);
      const hour = new Date(at).getUTCHours();
      hours[hour] = (hours[hour] ?? 0) + (next - at) / MS_PER_HOUR;
      at = next;
    }
  }
  return hours;
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function timeOf(iso: unknown): number | undefined {
  const at = typeof iso === "string" ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
