/** Plans a fleet with data of the platform: one list per project, gathered here. */

import type { Context } from "../endpoint/context";
import { neverIdle } from "../endpoint/diff";
import { isForgotten } from "../endpoint/forget";
import {
  type EndpointIdentity,
  idOf,
  idOfState,
  isSameBranch,
  parseId,
  placeNames,
  placeOf,
} from "../endpoint/identity";
import { isGone, requireProject } from "../endpoint/project";
import type { EndpointState } from "../endpoint/state";
import { isReplica } from "../endpoint/types";
import { type Owner, ownerName } from "../lib/owner";
import { isKnown, UNKNOWN } from "../lib/unknown";
import type { Ground, Lists } from "../places/ground";
import type { ImportProblem, Refused } from "../places/refusal";
import { leftRefusal, orphansOn, takeUpAt } from "../places/take-over";
import { isKind } from "../platform/errors";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import { keptAs, type Member } from "./parse-fleet";
import { type FleetPlan, keysOf, metBefore, type PlanRequest, planFleet, type Takeover } from "./plan";
import { importMark, type StoredMember, type StoredMembers } from "./state";

/** A host's request to plan a fleet. */
export interface PrepareRequest
  extends Pick<
    PlanRequest,
    "stored" | "wanted" | "maxDeletions" | "oldInputs" | "replaces" | "replaced" | "replaceOnChanges"
  > {
  /** Oldest acceptable list: the clock's time of its request, in milliseconds. */
  sinceMs?: number | undefined;
}

/** An endpoint made by an earlier run for a member that has another, or gets a new one. */
export interface Orphan {
  key: string;
  record: EndpointRecord;
  isNewThere: boolean;
}

/** A plan, the orphans that it leaves, and the members without an endpoint. */
export interface PreparedPlan extends FleetPlan {
  orphans: Orphan[];
  /**
   * Members of the program whose endpoints are gone: an interrupted run or somebody else deleted them. New ones are
   * created, or taken up.
   */
  gone: string[];
  /** By key, the mark of each `importId` that an earlier run has done and that is ignored now. */
  spent: Map<string, string>;
}

/** The facts for a plan. */
interface Known extends Pick<PrepareRequest, "wanted" | "replaces" | "replaced"> {
  context: FleetContext;
  ground: Ground;
  snapshots: ReadonlyMap<string, EndpointSnapshot>;
  /** The members with an existing endpoint. */
  stored: StoredMembers;
  /** As in the plan. */
  spent: PreparedPlan["spent"];
}

/** Plans a fleet with the platform's lists. Throws the API's errors. */
export async function prepare(context: FleetContext, request: PrepareRequest): Promise<PreparedPlan> {
  const snapshots = await snapshotsOf(context, request);
  const ground = context.ground(snapshots);
  const stored = await withoutGone(context, request);
  const wanted = membersKept(request, stored);
  const spent = spentImports(request);
  const { replaces, replaced } = request;
  const known: Known = { context, ground, snapshots, wanted, stored, spent, replaces, replaced };
  const { found, refusals } = await takeovers(known);
  const { ownerOf, account } = context;
  const { profile, moves } = account.settings;
  const givenUp = forgottenAmong(known);
  const plan = planFleet({ ...request, wanted, stored, found, ownerOf, ground, givenUp, profile, moves });

  // One refusal per cause: a refused import also blocks its own branch.
  const refused = new Set(refusals.flatMap(keysOf));
  const others = plan.refusals.filter((one) => !keysOf(one).some((key) => refused.has(key)));

  return {
    ...plan,
    refusals: [...refusals, ...others, ...forgottenChanges(known, plan), ...waitingInVain(known, plan)],
    orphans: orphansOfMembers(known, found),
    gone: [...request.stored.keys()].filter((key) => !stored.has(key)),
    spent,
  };
}

/** Compares a set with the program by the lists that the run has, for a Diff that plans nothing. Asks for none. */
export function compareSet(context: FleetContext, request: PrepareRequest): FleetPlan {
  const { ownerOf, account } = context;
  const { profile, moves } = account.settings;
  const lists = new Map<string, EndpointSnapshot>();
  for (const { state } of request.stored.values()) {
    const projectId = String(state.projectId);
    const { newest } = account.project(projectId).cache;
    if (newest) lists.set(projectId, newest);
  }

  const wanted = membersKept(request, request.stored);
  return planFleet({ ...request, wanted, found: new Map(), ownerOf, ground: context.ground(lists), profile, moves });
}

/** The endpoints of leaving members that this run lets go of: another resource may have them. */
function forgottenAmong({ context, wanted, stored }: Known): ReadonlySet<string> {
  const leaving = [...stored].filter(([key]) => !wanted.has(key));
  const ids = leaving.map(([, { state }]) => parseId(idOfState(state)));
  return new Set(ids.filter((one) => isForgotten(context, one)).map(({ endpointId }) => endpointId));
}

/** Refuses changes of what this run leaves alone. A leaving member's endpoint just stays. */
function forgottenChanges({ context }: Known, { members }: FleetPlan): Refused[] {
  return [...members.values()].flatMap(({ key, change, member, stored, found, diff }): Refused[] => {
    if (change === "same" || change === "delete" || change === "release") return [];
    const about = [context.ownerOf(key)];
    const { projectId } = member?.parsed ?? {};
    const comes = change === "create" || change === "replace";
    if (comes && isKnown(projectId) && isForgotten(context, { projectId })) {
      return [{ about, refusal: { kind: "forgotten", what: "project", id: projectId } }];
    }

    const id = found ? idOf(found.record) : stored && idOfState(stored.state);
    if (id === undefined || !isForgotten(context, parseId(id))) return [];
    if (change !== "replace") return [{ about, refusal: { kind: "forgotten", what: "endpoint", id } }];
    return diff?.deletesFirst ? [{ about, refusal: { kind: "forgotten_stays", id } }] : [];
  });
}

/** Refuses changes that wait for an idle moment of an endpoint that never suspends. */
function waitingInVain({ context: { ownerOf, account }, snapshots }: Known, { members }: FleetPlan): Refused[] {
  return [...members.values()].flatMap(({ key, diff, found, stored }): Refused[] => {
    const state: EndpointState = stored?.state ?? {};
    const shown = found?.record ?? snapshots.get(String(state.projectId))?.get(String(state.endpointId));
    const never = diff && neverIdle(diff, shown ?? state, account.settings.profile);
    if (!never) return [];
    const id = shown ? idOf(shown) : idOfState(state);
    return [{ about: [ownerOf(key)], refusal: { kind: "never_idle", id, ...never } }];
  });
}

/** Endpoints on the members' branches that earlier runs made for them and that no owner has. */
function orphansOfMembers(
  { context: { ownerOf }, ground, wanted, stored }: Known,
  found: ReadonlyMap<string, Takeover>,
): Orphan[] {
  const members = new Set([...stored.values()].map(({ state }) => state.endpointId));
  for (const { record } of found.values()) members.add(record.id);

  const isFree = ({ id }: EndpointRecord) => !members.has(id) && ground.otherOwnerOf(id) === undefined;
  return [...wanted.values()].flatMap(({ key, parsed, options }): Orphan[] => {
    // An unknown importId may name this endpoint.
    if (options.importId === UNKNOWN) return [];
    const isNewThere = !stored.has(key);
    const there = placeOf(stored.get(key)?.state ?? {});
    const to = placeOf(parsed);
    // One that is replaced may have left some where it comes to.
    const comesTo = to && !isSameBranch(there, to) ? [to] : [];
    const places = there ? [there, ...comesTo] : comesTo;
    const left = places.flatMap((place) => orphansOn(ground, ownerOf(key), place, isFree));
    return left.map((record) => ({ key, record, isNewThere }));
  });
}

async function snapshotsOf(
  context: FleetContext,
  { stored, wanted, sinceMs }: PrepareRequest,
): Promise<Map<string, EndpointSnapshot>> {
  // An unreadable project of an endpoint in the state is an error, no proof that the endpoint is gone.
  const known = new Map<string, string>();
  for (const { state } of stored.values()) {
    const identity = { projectId: String(state.projectId), endpointId: String(state.endpointId) };
    // A project that the user has called gone is not read.
    if (!isForgotten(context, identity)) known.set(identity.projectId, identity.endpointId);
  }

  const ids = new Set(known.keys());
  for (const { inputs } of wanted.values()) {
    const { projectId } = inputs;
    // After a refresh the old inputs still have the project.
    if (typeof projectId === "string" && !isForgotten(context, { projectId })) ids.add(projectId);
  }

  const lists = [...ids].map(async (projectId) => {
    const endpointId = known.get(projectId);
    const snapshot = await (endpointId === undefined
      ? context.account
          .project(projectId)
          .cache.snapshot({ sinceMs, signal: context.signal, onWait: context.reporter.status })
      : requireProject(context, { projectId, endpointId }, { sinceMs }));
    return [projectId, snapshot] as const;
  });
  return new Map(await Promise.all(lists));
}

/** The state without members whose endpoints are gone, as after an interrupted delete of the fleet. */
async function withoutGone(
  context: FleetContext,
  { stored, wanted, replaces }: PrepareRequest,
): Promise<StoredMembers> {
  // The engine itself makes a single one anew, where Diff tells it so.
  if (replaces === "engine") return stored;
  const isKept = async ([key, { state }]: [string, StoredMember]) => {
    const identity = { projectId: String(state.projectId), endpointId: String(state.endpointId) };
    return !wanted.has(key) || !(await isGone(context, identity));
  };
  const kept = await Promise.all([...stored].map(async (entry) => ((await isKept(entry)) ? [entry] : [])));
  return new Map(kept.flat());
}

/** The program's members, each with an endpoint as the state has it where that is ignored. */
function membersKept({ wanted, oldInputs }: PrepareRequest, stored: StoredMembers): PrepareRequest["wanted"] {
  return new Map(
    [...wanted].map(([key, member]) => {
      const { state } = stored.get(key) ?? {};
      return [key, state ? keptAs(member, state, oldInputs?.(key)) : member];
    }),
  );
}

/**
 * Marks of `importId`s that the state has done. They are ignored: the endpoint may have been replaced or deleted since.
 */
function spentImports({ wanted, stored }: PrepareRequest): Map<string, string> {
  const spent = [...wanted].flatMap(([key, { options }]) => {
    const importId = String(options.importId);
    const [had, mark] = [stored.get(key), importMark(importId)];
    const isSpent = had ? [had.importId, idOfState(had.state)].includes(importId) : stored.spent?.get(key) === mark;
    return isSpent ? [[key, mark] as const] : [];
  });
  return new Map(spent);
}

/** The endpoints to adopt instead of creating new ones, and refusals: first by `importId`, then of interrupted runs. */
async function takeovers(known: Known): Promise<Pick<Findings, "found"> & { refusals: Refused[] }> {
  const found = new Map<string, Takeover>();
  const owners = new Map([...known.stored].map(([key, { state }]) => [String(state.endpointId), key]));
  const imports = await findImports(known, { found, owners });
  const interrupted = findInterrupted(known, { found, owners });
  return { found, refusals: [...imports, ...interrupted] };
}

/** The takeovers so far, by member key, and each endpoint's member, by id. Each search adds to both. */
interface Findings {
  found: Map<string, Takeover>;
  owners: Map<string, string>;
}

function importIdOf({ spent }: Known, { key, options }: Member): Member["options"]["importId"] {
  return spent.has(key) ? undefined : options.importId;
}

/** Finds the endpoints that members import. Returns the refusals. */
async function findImports(known: Known, { found, owners }: Findings): Promise<Refused[]> {
  const { context, ground, wanted, stored } = known;
  const refusals: Refused[] = [];

  for (const [key, member] of wanted) {
    const importId = importIdOf(known, member);
    if (!isKnown(importId)) continue;

    const there = stored.get(key)?.state.endpointId;
    const { record, problem } = await findImport(context, member, importId, { there, owners, ground });
    if (problem) refusals.push({ about: [context.ownerOf(key)], refusal: { kind: "import", reason: problem } });
    if (!record) continue;

    found.set(key, { record, as: "imported" });
    owners.set(record.id, key);
  }
  return refusals;
}

/** Finds interrupted runs' endpoints for members without one. Returns the refusal of those that may not be adopted. */
function findInterrupted(known: Known, { found, owners }: Findings): Refused[] {
  const { context, ground, wanted, stored } = known;
  const free: Left = { about: [], left: [] };
  const taken: Left = { about: [], left: [] };

  for (const [key, member] of wanted) {
    // An importId takes precedence over a name.
    if (importIdOf(known, member) !== undefined || stored.has(key)) continue;

    const to = placeOf(member.parsed);
    if (!to) continue;
    const replaced = metBefore(known, key).endpointId;
    const decided = takeUpAt(ground, context.ownerOf(key), to, {
      isOfThisRun: (record) => context.account.project(record.projectId).creates.hasMade(record),
      // With adoptInterrupted one that another resource has counts too, and is refused; else it is in the way.
      isFree: ({ id }) =>
        id !== replaced && !owners.has(id) && (ground.rules.takesUp || ground.otherOwnerOf(id) === undefined),
      keepsItsOwn: known.replaces === "set",
    });
    if (decided.takes) found.set(key, { record: decided.takes, as: "interrupted" });

    // A replica beside an orphan does no harm, unless it was to adopt the orphan.
    if (isReplica(member.parsed) && !ground.rules.takesUp) continue;
    const [newest] = decided.left;
    if (newest === undefined) continue;
    const isTaken = ground.otherOwnerOf(newest.id) !== undefined;
    const { about, left } = isTaken ? taken : free;
    about.push(context.ownerOf(key));
    left.push(...decided.left);
  }

  return [free, taken]
    .filter(({ left }) => left.length > 0)
    .map(({ about, left }) => ({ about, refusal: leftRefusal(ground, left) }));
}

/** Interrupted runs' endpoints, and the members that they were made for. */
interface Left {
  about: Owner[];
  left: EndpointRecord[];
}

/** The endpoint that `importId` names, or the reason to refuse; neither if the member already has that endpoint. */
async function findImport(
  { account, signal }: FleetContext,
  { parsed: inputs }: Member,
  importId: string,
  { there, owners, ground }: { there: unknown; owners: ReadonlyMap<string, string>; ground: Ground },
): Promise<{ record?: EndpointRecord; problem?: ImportProblem }> {
  let identity: EndpointIdentity;
  try {
    identity = parseId(importId);
  } catch {
    return { problem: { kind: "form", importId } };
  }

  const { projectId, endpointId } = identity;
  if (there === endpointId) return {};
  if (there !== undefined) return { problem: { kind: "has_another", endpointId: String(there) } };
  const other = ground.otherOwnerOf(endpointId);
  const by = owners.get(endpointId) ?? (other && ownerName(other));
  if (by !== undefined) return { problem: { kind: "taken", by } };

  const record = await account
    .project(projectId)
    .cache.endpoint(endpointId, { signal })
    .catch((error: unknown) => {
      if (isKind(error, "not_found", "forbidden")) return undefined;
      throw error;
    });
  if (!record) return { problem: { kind: "unknown", importId } };

  const isElsewhere = placeNames.some((name) => isKnown(inputs[name]) && inputs[name] !== record[name]);
  return isElsewhere ? { problem: { kind: "elsewhere", place: record } } : { record };
}

/** The context of one call about a fleet: its log, its bounds, and the host's knowledge of owners. */
export interface FleetContext extends Context {
  member(key: string): Context;
  ownerOf(key: string): Owner;
  ground(lists?: Lists): Ground;
}
