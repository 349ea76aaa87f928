/** The endpoints of a plan as the platform has them. */
import { restartsIn } from "../../../provider/endpoint/away";
import { toState } from "../../../provider/endpoint/mapping";
import { newestFirst, ownershipOf } from "../../../provider/endpoint/ownership-name";
import { madeFor, ownerOfRow } from "../../../provider/lib/owner";
import type { EndpointRecord, OperationRecord } from "../../../provider/platform/records";
import { mayAdopt, type PlannedEndpoint } from "../group";
import type { GoneEndpoint, LiveChange, LiveEndpoint } from "../report-model";
import { activityOf } from "./activity";
import type { LiveProject, LiveView } from "./read-live";

/** Operations that come and go without anybody having changed the endpoint. */
const passing = new Set(["start_compute", "suspend_compute", "check_availability"]);

const restartsByProject = new WeakMap<LiveProject["operations"], number[]>();

/** The projects of the endpoints that are there already, or are taken over. */
export function projectsOf(endpoints: readonly PlannedEndpoint[]): string[] {
  return endpoints.flatMap((one) => placeOf(one)?.projectId ?? []);
}

/** What the platform tells of a planned endpoint; undefined where it was not asked, or the endpoint is yet to come. */
export function liveOf(planned: PlannedEndpoint, view: LiveView): LiveEndpoint | GoneEndpoint | undefined {
  const project = view.projects.get(placeOf(planned)?.projectId ?? "");
  if (!project) return undefined;
  const record = recordOf(planned, project);
  const endpointId = record?.id ?? placeOf(planned)?.endpointId;
  if (endpointId === undefined) return undefined;
  const operations = project.operations.get(endpointId) ?? [];
  if (!record) return { state: "gone", ...changeIn(operations.slice(0, 1)) };
  const activity = activityOf({ record, operations, fromMs: project.fromMs, nowMs: view.nowMs });
  return {
    ...activity,
    ...awayIn(operations, project),
    ...changeIn(operations.filter(({ action }) => !passing.has(action))),
  };
}

/** What a restart takes here; nothing where none was seen. */
function awayIn(own: readonly OperationRecord[], { operations }: LiveProject): Pick<LiveEndpoint, "away"> {
  const here = restartsIn(own);
  const times = (here.length > 0 ? here : restartsOf(operations)).sort((a, b) => a - b);
  const [aboutMs, slowestMs] = [times[Math.floor(times.length / 2)], times.at(-1)];
  if (aboutMs === undefined || slowestMs === undefined) return {};
  return { away: { aboutMs, slowestMs, restarts: times.length, of: here.length > 0 ? "endpoint" : "project" } };
}

/** A takeover with the endpoint that is there, which the plan does not have; any other step as it is. */
export function withOccupant(planned: PlannedEndpoint, view: LiveView): PlannedEndpoint {
  if (planned.action !== "adopt") return planned;
  const project = view.projects.get(placeOf(planned)?.projectId ?? "");
  const record = project && recordOf(planned, project);
  if (!record) return planned;
  const before = { id: `${record.projectId}/${record.id}`, inputs: {}, outputs: toState(record) };
  return { ...planned, step: { ...planned.step, before } };
}

interface Place {
  projectId: string;
  /** Absent for what is taken over. */
  endpointId?: string;
}

function placeOf(planned: PlannedEndpoint): Place | undefined {
  const { before, after } = planned.step;
  const [projectId, endpointId] = (before?.id ?? after?.id ?? "").split("/");
  if (projectId && endpointId) return { projectId, endpointId };
  const wanted = after?.inputs.projectId;
  return planned.action === "adopt" && typeof wanted === "string" ? { projectId: wanted } : undefined;
}

function recordOf(planned: PlannedEndpoint, { endpoints }: LiveProject): EndpointRecord | undefined {
  const { endpointId } = placeOf(planned) ?? {};
  if (endpointId !== undefined) return endpoints.find(({ id }) => id === endpointId);
  const { urn, after } = planned.step;
  const { branchId, type = "read_write", adoptExisting } = after?.inputs ?? {};
  const onBranch = endpoints.filter((one) => one.branchId === branchId && one.type === type);
  if (mayAdopt(adoptExisting)) return onBranch[0];
  // By its name: what was made for this very member.
  const [newest] = newestFirst(onBranch.filter(ownershipOf(madeFor(ownerOfRow(urn)))));
  return newest;
}

/** All restarts of a project, worked out once. */
function restartsOf(operations: LiveProject["operations"]): number[] {
  const known = restartsByProject.get(operations) ?? [...operations.values()].flatMap(restartsIn);
  restartsByProject.set(operations, known);
  return known;
}

function changeIn(operations: readonly OperationRecord[]): { changedBy?: LiveChange } {
  const [last] = operations;
  return last ? { changedBy: { operation: last.id, action: last.action, at: last.createdAt } } : {};
}
