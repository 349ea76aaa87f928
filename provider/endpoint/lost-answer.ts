/** Looks at the platform after an answer was lost: what was made all the same is found again, so that nothing is made twice. */
import { isKind, isTransient } from "../platform/errors";
import { isOpen, outcomeOf } from "../platform/project/outcome";
import type { EndpointChange, EndpointRecord, OperationRecord } from "../platform/records";
import type { Context } from "./context";

/** A create whose answer was lost. */
export interface LostCreate {
  projectId: string;
  branchId: string;
  /** The name that only this create gave. */
  name: string;
}

const RECENT_OPERATIONS = 100;
/** Endpoints that are asked for by id in one look. */
const MAX_ASKED = 20;
/** Pauses between looks that see nothing, in milliseconds: lists may lag, and a lost request may still be at work. */
const EMPTY_PAUSES_MS = [1_000, 4_000];
/** Pauses between looks that fail: about a minute's outage is waited out, so that no id is lost to it. */
const FAILED_PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];
/** Operations of one change are created within this many milliseconds. */
const SAME_CHANGE_MS = 5_000;

/**
 * Looks for the endpoint of a create whose answer was lost, by its name: on the branch, in the project, and by the
 * recent operations, so that one list that is behind does not decide. `patient` looks again before it says that there
 * is none. Throws where the platform cannot be looked at.
 */
export async function findCreated(
  context: Context,
  lost: LostCreate,
  { patient }: { patient: boolean },
): Promise<EndpointRecord | undefined> {
  const { clock } = context.account;
  for (let empty = 0, failed = 0; ; ) {
    let pauseMs: number | undefined;
    try {
      const found = await look(context, lost);
      if (found) return found;
      pauseMs = patient ? EMPTY_PAUSES_MS[empty++] : undefined;
      if (pauseMs === undefined || context.signal.aborted) return undefined;
    } catch (error) {
      pauseMs = isTransient(error) ? FAILED_PAUSES_MS[failed++] : undefined;
      if (pauseMs === undefined || context.signal.aborted) throw error;
    }
    await clock.sleep(pauseMs, context.signal).catch(() => {});
  }
}

/** An endpoint that is there, and the branch that it stands on. */
export interface Target {
  projectId: string;
  endpointId: string;
  branchId: string;
}

/** A change of an endpoint whose answer was lost, where what is seen now shows that it was made. */
export async function findMade(
  context: Context,
  { projectId, endpointId }: Pick<Target, "projectId" | "endpointId">,
  isMade: (seen: EndpointChange) => boolean,
): Promise<EndpointChange | undefined> {
  const seen = await recoverChange(context, await context.account.api.getEndpoint(projectId, endpointId));
  return isMade(seen) ? seen : undefined;
}

/** A change whose answer was lost, put together again: the endpoint as it is now, and its operations of that change. */
export async function recoverChange(context: Context, endpoint: EndpointRecord): Promise<EndpointChange> {
  const { operations } = await context.account.api.listOperations(endpoint.projectId, { limit: RECENT_OPERATIONS });
  const own = operations.filter((operation) => operation.endpointId === endpoint.id);
  const newest = Math.max(...own.map(({ createdAt }) => Date.parse(createdAt)));
  // One that has failed meanwhile must not pass for success; a failure of long ago is not this change's.
  const counts = (operation: OperationRecord) =>
    isOpen(operation) ||
    (outcomeOf(operation) === "failed" && Date.parse(operation.createdAt) >= newest - SAME_CHANGE_MS);
  return { endpoint, operations: own.filter(counts) };
}

async function look(context: Context, { projectId, branchId, name }: LostCreate): Promise<EndpointRecord | undefined> {
  const { api } = context.account;
  const bearsName = (record: EndpointRecord) => record.name === name;
  const onBranch = await api.listBranchEndpoints(projectId, branchId).catch((error: unknown) => {
    // A platform without this call still has the list of the project.
    if (isKind(error, "not_found", "invalid_request")) return [];
    throw error;
  });
  const found = onBranch.find(bearsName);
  if (found) return found;
  const snapshot = await context.account.project(projectId).cache.snapshot({ maxAgeMs: 0 });
  const inProject = snapshot.all().find(bearsName);
  if (inProject) return inProject;
  const { operations } = await api.listOperations(projectId, { limit: RECENT_OPERATIONS });
  const unlisted = new Set<string>();
  for (const operation of operations) {
    if (operation.branchId !== branchId || operation.endpointId === undefined) continue;
    if (!snapshot.get(operation.endpointId)) unlisted.add(operation.endpointId);
  }
  for (const endpointId of [...unlisted].slice(0, MAX_ASKED)) {
    const record = await context.account.project(projectId).cache.confirm(endpointId);
    if (record && bearsName(record)) return record;
  }
  return undefined;
}
