/** Looks for the endpoint of a create whose answer was lost: by its name and, where the platform keeps none, by difference. */
import type { SharedProject } from "../platform/account";
import { asOwnError, isKind, isTransient } from "../platform/errors";
import type { OpenCreate } from "../platform/project/open-creates";
import type { EndpointRecord } from "../platform/records";
import { type Known, matchOf, tellByDifference } from "./by-difference";
import { type Context, requestOptions } from "./context";
import { lookInTime, pauseInTime } from "./lost-answer";
import { ownerNameIn } from "./ownership-name";

/** A create whose answer was lost. */
export interface LostCreate {
  projectId: string;
  create: OpenCreate;
  /** True for an endpoint that a resource of this run has. */
  isTaken(endpointId: string): boolean;
}

/** What became of it: an endpoint, found by its name or by difference, or several of which any may be it. */
export type FoundCreate =
  | { kind: "named"; record: EndpointRecord }
  | { kind: "by_difference"; record: EndpointRecord }
  | { kind: "unclear"; candidates: readonly EndpointRecord[] };

/** Endpoints that are asked for by id in one look. */
const MAX_ASKED = 20;
/** Pauses between looks that see nothing for sure, in milliseconds: lists may lag, and a lost request may still be at work. */
const UNSURE_PAUSES_MS = [1_000, 4_000];
/** Pauses between looks that fail: about a minute's outage is waited out, so that no id is lost to it. */
const FAILED_PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

/**
 * Looks for the endpoint on the branch, in the project, and by the recent operations, so that one list that is behind does
 * not decide. `patient` looks again before it says that there is none, or names several. What is found is the create's from then on. Throws
 * where the platform cannot be looked at.
 */
export async function findCreated(
  context: Context,
  lost: LostCreate,
  { patient }: { patient: boolean },
): Promise<FoundCreate | undefined> {
  const { creates } = context.account.project(lost.projectId);
  for (let unsure = 0, failed = 0; ; ) {
    try {
      const found = await lookInTime(context, (late) => look(late, lost));
      if (found && found.kind !== "unclear") return found;
      // Beside what may be it, as where there is nothing, a list that lags does not show its own yet.
      const pauseMs = patient ? UNSURE_PAUSES_MS[unsure++] : undefined;
      if (await pauseInTime(context, pauseMs, "a list may be behind, and an answer was lost")) continue;
      if (found) creates.dispute(found.candidates);
      return found;
    } catch (error) {
      const pauseMs = isTransient(error) ? FAILED_PAUSES_MS[failed++] : undefined;
      if (!(await pauseInTime(context, pauseMs, asOwnError(error).summary))) throw error;
    }
  }
}

/** What else a create has made whose answer was lost: by its name, or else by difference. None where it cannot be looked. */
export async function findDuplicates(
  context: Context,
  { projectId, create, isTaken }: LostCreate,
  made: EndpointRecord,
): Promise<EndpointRecord[]> {
  const { cache, creates } = context.account.project(projectId);
  const { clock } = context.account;
  try {
    const isNamed = made.name === create.name;
    // What was found may be somebody else's of the same second, or of an earlier attempt: a list that lags does not show its own yet.
    for (const pauseMs of isNamed ? [] : UNSURE_PAUSES_MS)
      await pauseInTime(context, pauseMs, "a list may be behind, and an answer was lost");
    const onBranch = await lookInTime(context, ({ signal }) =>
      cache.onBranch(create.branchId, { sinceMs: clock.now(), signal }),
    );
    const others = onBranch.filter(({ id }) => id !== made.id);
    if (isNamed) return others.filter(({ name }) => name === create.name);
    await lookInTime(context, () => creates.answersBeside(create));
    // What others wait for may be theirs; the last of them says what is left.
    const known = knownOf(context.account.project(projectId));
    const mayBe = (one: OpenCreate, record: EndpointRecord) => matchOf(one, record, known) !== "no";
    const isFree = ({ id }: EndpointRecord) => !creates.isGiven(id) && !creates.isDisputed(id) && !isTaken(id);
    const waiting = creates.lostBeside(create);
    const left = others.filter(
      (one) => isFree(one) && mayBe(create, one) && !waiting.some((other) => mayBe(other, one)),
    );
    creates.dispute(left);
    return left;
  } catch {
    // The create itself went well; a later plan names what is left.
    return [];
  }
}

async function look(context: Context, lost: LostCreate): Promise<FoundCreate | undefined> {
  const { projectId, create, isTaken } = lost;
  const { creates } = context.account.project(projectId);
  // At once: others who look would else be told the same one.
  const give = (kind: "named" | "by_difference", record: EndpointRecord): FoundCreate => {
    creates.give(create, record);
    return { kind, record };
  };
  const seen = new Map<string, EndpointRecord>();
  for await (const records of sights(context, lost)) {
    const named = records.find(({ name }) => name === create.name);
    if (named) return give("named", named);
    for (const record of records) seen.set(record.id, record);
  }
  const showsNames = [...seen.values()].some((record) => ownerNameIn(record) !== undefined);
  if (creates.keepsNames ?? showsNames) return undefined;
  // What the lists show may be the answer that another create of this run is waiting for.
  await creates.answersBeside(create);
  const told = tellByDifference({
    create,
    waiting: creates.lostBeside(create),
    records: [...seen.values()].filter(({ id }) => !creates.isGiven(id) && !isTaken(id)),
    known: knownOf(context.account.project(projectId)),
  });
  if (told.kind === "none") return undefined;
  return told.kind === "it" ? give("by_difference", told.record) : told;
}

/** What can be seen, list after list, the newest and nearest first. */
async function* sights(
  context: Context,
  { projectId, create: { branchId } }: LostCreate,
): AsyncGenerator<EndpointRecord[]> {
  const { signal } = context;
  const { api, clock } = context.account;
  const { cache, operations } = context.account.project(projectId);
  const options = requestOptions(context);
  yield await api.listBranchEndpoints(projectId, branchId, options).catch((error: unknown) => {
    // A platform without this call still has the list of the project.
    if (isKind(error, "not_found", "invalid_request")) return [];
    throw error;
  });
  const snapshot = await cache.snapshot({ sinceMs: clock.now(), signal });
  yield snapshot.all();
  const unlisted = new Set<string>();
  for (const operation of await operations.look({ branchIds: [branchId] }, signal)) {
    if (operation.branchId !== branchId || operation.endpointId === undefined) continue;
    if (!snapshot.get(operation.endpointId)) unlisted.add(operation.endpointId);
  }
  for (const endpointId of [...unlisted].slice(0, MAX_ASKED)) {
    const record = await cache.confirm(endpointId, options);
    if (record) yield [record];
  }
}

function knownOf({ cache, creates }: SharedProject): Known {
  return {
    wasSeenBefore: (mark, endpointId) => cache.wasSeenBefore(mark, endpointId),
    isDisputed: (endpointId) => creates.isDisputed(endpointId),
    keepsNames: creates.keepsNames,
  };
}
