/**
 * What a fleet's program means: from the state, the inputs and what the platform has to an ordered set of changes, one for each
 * member. A pure function: the same for the preview and for the change itself.
 */
import { isDeepStrictEqual } from "node:util";
import { type DiffResult, diff, diffTakeover, NO_MOVES } from "../endpoint/diff";
import { areImported } from "../endpoint/hidden-inputs";
import { formatId, idOfState } from "../endpoint/identity";
import { toState } from "../endpoint/mapping";
import { placeOf } from "../endpoint/place";
import type { EndpointProperty } from "../endpoint/properties";
import { bookkeepingOf } from "../endpoint/state";
import { type Maybe, UNKNOWN } from "../lib/unknown";
import type { EndpointRecord } from "../platform/records";
import type { Member } from "./parse-fleet";
import type { PlaceStep } from "./place-steps";
import { type Arranged, arrange, type Placed, type Surroundings } from "./places";
import { type FleetRefusal, keysOf } from "./refusal";
import type { StoredMember, StoredMembers } from "./state";

/** An endpoint to take over: what an interrupted run made for the member, what `importId` names, or what `adoptExisting` finds. */
export interface Takeover {
  record: EndpointRecord;
  as: "interrupted" | "imported" | "adopted";
}

/** What the plan is made of. */
export interface PlanRequest {
  /** The members of the state; none for a fleet that is new. */
  stored: StoredMembers;
  /** The members of the program. */
  wanted: ReadonlyMap<string, Member>;
  /** What is to be taken over instead of being created, by key. */
  found: ReadonlyMap<string, Takeover>;
  maxDeletions: Maybe<number>;
  /** A member's inputs of the last run, where the host has them. */
  oldInputs?: ((key: string) => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** Properties of a member that the program asks to leave as they are. */
  ignored?: ((key: string) => readonly EndpointProperty[]) | undefined;
  /** Properties of a member whose values the messages must not show. */
  secretOf?: ((key: string) => ReadonlySet<string>) | undefined;
  /** Where an endpoint stands now, as far as the platform shows it. */
  branchOf(projectId: string, endpointId: string): string | undefined;
  /** True for a member's endpoint that somebody else has by now, and that is let go. */
  isGivenUp(endpointId: string): boolean;
  /** True where the somebody else comes first in every run. */
  isTakenBefore(endpointId: string): boolean;
  surroundings: Surroundings;
}

/** What becomes of a member. */
export type MemberChange = "same" | "create" | "take" | "update" | "replace" | "delete" | "release";

/** What becomes of a member, with all that it takes to do it. */
export interface MemberPlan {
  key: string;
  change: MemberChange;
  /** True where the endpoint that it lets go stays on the platform: taken over, kept on purpose, or somebody else's by now. */
  isKept: boolean;
  /** The branch on which its endpoint stands, where the state and the program both have another. */
  movedTo?: string | undefined;
  /** Absent where it leaves the fleet. */
  member?: Member | undefined;
  /** Absent where it has no endpoint yet. */
  stored?: StoredMember | undefined;
  found?: Takeover | undefined;
  /** Of what is there: the properties that stay as they are, whatever the program says. */
  ignored?: readonly EndpointProperty[] | undefined;
  /** Of what is there: what differs, and what changing it does to the endpoint. */
  diff?: DiffResult | undefined;
}

/** The plan of a fleet. */
export interface FleetPlan {
  /** In the order of the program; those that leave it come last. */
  members: Map<string, MemberPlan>;
  /** In the order in which they may begin. */
  steps: PlaceStep[];
  refusals: FleetRefusal[];
}

/** Plans a fleet. What is refused is in the plan as data; then nothing of it may be done. */
export function planFleet(request: PlanRequest): FleetPlan {
  const { stored, wanted } = request;
  const keys = [...new Set([...wanted.keys(), ...stored.keys()])];
  const arranged = arrange(
    keys.map((key) => placedOf(request, key)),
    request.surroundings,
  );
  const members = new Map(
    [...arranged.members.values()].map((one) => [one.placed.key, planMember(request, one)] as const),
  );
  const refusals = [
    ...arranged.refusals,
    ...refusedDeletes(request, arranged.members.values()),
    ...refusedReplacements(members, arranged.members.values()),
  ];
  const refused = new Set(refusals.flatMap(keysOf));
  const tooMany = checkDeletions(request, members, refused);
  const steps = arranged.steps.filter(({ key }) => members.get(key)?.change !== "same");
  return { members, steps, refusals: tooMany ? [...refusals, tooMany] : refusals };
}

/** The plan of a fleet's end: every endpoint goes, but what is kept. `maxDeletions` bounds it where another fleet comes in its place. */
export function planEnd(
  stored: StoredMembers,
  isGivenUp: PlanRequest["isGivenUp"],
  { limit }: { limit: Maybe<number> } = { limit: stored.size },
): FleetPlan {
  return planFleet({
    stored,
    wanted: new Map(),
    found: new Map(),
    maxDeletions: limit,
    branchOf: () => undefined,
    isGivenUp,
    isTakenBefore: isGivenUp,
    surroundings: { others: () => [], isComeTo: () => false, mayAdopt: () => false, movesInPlace: true },
  });
}

/** True where the plan changes something. */
export function hasChanges({ members }: FleetPlan): boolean {
  return [...members.values()].some(({ change }) => change !== "same");
}

/** How many endpoints a plan may delete or replace where the program does not say: half of them, or all of one or two. */
export function defaultMaxDeletions(members: number): number {
  return members < 3 ? members : Math.floor(members / 2);
}

function placedOf(request: PlanRequest, key: string): Placed {
  const { stored, wanted, found, branchOf, isGivenUp, isTakenBefore } = request;
  const member = wanted.get(key);
  const there = stored.get(key);
  const record = found.get(key)?.record;
  const inputs = member?.parsed;
  const state = there?.state;
  const endpointId = typeof state?.endpointId === "string" ? state.endpointId : "";
  const stays = there?.retainOnDelete === true || (state !== undefined && bookkeepingOf(state).adopted === true);
  // What stays may go in any order, so that only a known one says whether its protection still counts.
  const isAnothers = stays ? isTakenBefore(endpointId) : isGivenUp(endpointId);
  const stated = state && placeOf(state);
  const from = record
    ? placeOf(record)
    : stated && { ...stated, branchId: branchOf(stated.projectId, endpointId) ?? stated.branchId };
  const to = inputs && placeOf(inputs);
  // What was moved outside, or by a run that was killed, is not touched before a refresh tells.
  const isMoved = from?.branchId !== stated?.branchId && !record && isDeepStrictEqual(stated, to);
  return {
    key,
    id: stated && formatId({ projectId: stated.projectId, endpointId }),
    from,
    ...(isMoved ? { to: from, movedFrom: to } : { to }),
    isRemoved: member === undefined,
    isKept: stays || isGivenUp(endpointId),
    isProtected: there?.protect === true && !isAnothers && (member === undefined || member.options.protect === true),
    adopts: inputs?.adoptExisting === true || inputs?.adoptExisting === UNKNOWN,
    importsUnknown: member?.options.importId === UNKNOWN,
  };
}

function planMember(request: PlanRequest, { placed, arrival, why, occupant }: Arranged): MemberPlan {
  const { key } = placed;
  const member = request.wanted.get(key);
  const stored = request.stored.get(key);
  const found: Takeover | undefined = occupant ? { record: occupant, as: "adopted" } : request.found.get(key);
  const base = { key, member, stored, found, isKept: placed.isKept, movedTo: placed.movedFrom && placed.to?.branchId };
  if (!member) return { ...base, change: placed.isKept ? "release" : "delete" };
  const secret = request.secretOf?.(key);
  if (found && arrival !== "replace") {
    return { ...base, change: "take", diff: diffTakeover({ record: found.record, inputs: member.parsed, secret }) };
  }
  if (!stored && !found) return { ...base, change: "create" };
  const state = stored?.state ?? toState((found as Takeover).record);
  const ignored = request.ignored?.(key);
  const { projectId, branchId } = member.parsed;
  const movesNever = branchId === UNKNOWN && projectId === state.projectId && !request.surroundings.movesInPlace;
  const reason = why ?? (movesNever ? `branchId is not known yet, and ${NO_MOVES}` : undefined);
  const result = diff({
    id: idOfState(state),
    state,
    inputs: member.inputs,
    oldInputs: stored && request.oldInputs?.(key),
    ignoreChanges: ignored,
    branchReplaces: reason && `replaced: ${reason}`,
    secret,
    deletesFirst: true,
  });
  // So does a place that is not known yet, where it may mean another endpoint.
  if (arrival === "replace" || result.replaces) return { ...base, change: "replace", diff: result };
  const changes = result.changes || changesOptions(member, stored);
  return { ...base, change: changes ? "update" : "same", ignored, diff: result };
}

/** The options are kept in the state, for the day when the program no longer has the member. */
function changesOptions({ options }: Member, stored: StoredMember | undefined): boolean {
  const differs = (name: "protect" | "retainOnDelete") =>
    options[name] !== UNKNOWN && (options[name] === true) !== (stored?.[name] === true);
  return differs("protect") || differs("retainOnDelete");
}

/** An import is expected to change nothing, and goes on with an update in the same run. */
function refusedDeletes({ oldInputs }: PlanRequest, members: Iterable<Arranged>): FleetRefusal[] {
  return [...members].flatMap(({ placed: { key, id, isRemoved, isProtected, isKept } }): FleetRefusal[] => {
    if (!isRemoved) return [];
    if (isProtected) return [{ kind: "protected", key, change: "deleted" }];
    return !isKept && areImported(oldInputs?.(key)) ? [{ kind: "undeclared", key, id }] : [];
  });
}

/** It may be certain that a member takes another endpoint while it is not known yet where that goes. */
function refusedReplacements(plans: ReadonlyMap<string, MemberPlan>, members: Iterable<Arranged>): FleetRefusal[] {
  return [...members].flatMap(({ arrival, placed: { key, isProtected } }): FleetRefusal[] => {
    if (arrival !== "unknown" || !isProtected) return [];
    const differences = Object.values(plans.get(key)?.diff?.properties ?? {});
    const why = differences.find(({ replaces, after }) => replaces !== undefined && after !== UNKNOWN)?.replaces;
    return why === undefined
      ? []
      : [{ kind: "protected", key, change: "replaced", why: why.replace(/^replaced: /, "") }];
  });
}

function checkDeletions(
  request: PlanRequest,
  members: ReadonlyMap<string, MemberPlan>,
  refused: ReadonlySet<string>,
): FleetRefusal | undefined {
  const { stored, maxDeletions } = request;
  if (maxDeletions === UNKNOWN) return undefined;
  const counted = [...members.values()].filter((one) => one.stored && !one.isKept && !refused.has(one.key));
  const changed = (change: MemberChange) => counted.filter((one) => one.change === change).map(({ key }) => key);
  // What is not known yet may turn out to replace nothing.
  const isCertain = (key: string) => placeOf(members.get(key)?.member?.parsed ?? {}) !== undefined;
  const [deleted, replaced] = [changed("delete"), changed("replace").filter(isCertain)];
  const limit = maxDeletions ?? defaultMaxDeletions(stored.size);
  if (deleted.length + replaced.length <= limit) return undefined;
  return { kind: "too_many", deleted, replaced, limit, members: stored.size };
}
