/** A fleet's plan: from state, inputs and what the platform has to a change for each member. Pure, so that preview and update agree. */
import { type DiffResult, diff, diffTakeover } from "../endpoint/diff";
import { branchKeyOf, formatId, idOfState, isSameBranch, type Place, placeOf } from "../endpoint/identity";
import { areImported } from "../endpoint/input-notes";
import { isSole } from "../endpoint/types";
import { memberIn, type Owner } from "../lib/owner";
import { type Maybe, UNKNOWN } from "../lib/unknown";
import type { Ground } from "../places/ground";
import { decidePlaces } from "../places/places";
import type { Refusal, Refused } from "../places/refusal";
import type { PlaceStep } from "../places/steps";
import { type Change, type Placed, type Stay, stayOf, type Wish } from "../places/wish";
import type { AccountSettings } from "../platform/account";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointRecord } from "../platform/records";
import { byKey } from "./model";
import type { Member } from "./parse-fleet";
import type { StoredMember, StoredMembers } from "./state";

/** An endpoint to take over: what an interrupted run made for the member, what `importId` names, or what `adoptExisting` finds. */
export interface Takeover {
  record: EndpointRecord;
  as: "interrupted" | "imported" | "adopted";
}

/** The input of a plan. */
export interface PlanRequest {
  stored: StoredMembers;
  wanted: ReadonlyMap<string, Member>;
  /** Endpoints to adopt instead of creating new ones, by member key. */
  found: ReadonlyMap<string, Takeover>;
  maxDeletions: Maybe<number>;
  oldInputs?: ((key: string) => Readonly<Record<string, unknown>> | undefined) | undefined;
  ownerOf(key: string): Owner;
  ground: Ground;
  /** Members' endpoints that somebody else has by now, in a fleet that goes. */
  givenUp?: ReadonlySet<string>;
  moves?: AccountSettings["moves"];
  profile?: Profile | undefined;
}

/**
 * The change of a member. A move counts as an update, since other properties may change with it. An unknown branch is
 * planned as unchanged.
 */
export type MemberChange = Exclude<Change, "move">;

/** The planned change of a member, with the data to apply it. */
export interface MemberPlan {
  key: string;
  change: MemberChange;
  /** The place in the program, if known. */
  to: Place | undefined;
  /** True if the endpoint moves to another branch in place. */
  isMove: boolean;
  /** Why the endpoint stays on the platform when the member goes; absent where it is deleted then. */
  stays?: Stay | undefined;
  /** The endpoint's branch, if the state and the program both name another. */
  movedTo?: string | undefined;
  member?: Member | undefined;
  stored?: StoredMember | undefined;
  found?: Takeover | undefined;
  /** The differences of an existing endpoint, and their impact. */
  diff?: DiffResult | undefined;
}

/** Members of a plan that are away together: one alone, or those of which one has to wait for another. */
export interface Unit {
  keys: readonly string[];
  isCanary: boolean;
}

/** The waves of a plan. */
export interface Rollout {
  limit: number;
  maxFailures: number;
  units: readonly Unit[];
  /** Members whose endpoints have gone already, and that come back at once. */
  gone: readonly string[];
}

/** The plan of a fleet. */
export interface FleetPlan {
  members: Map<string, MemberPlan>;
  /** In the order in which they may begin. */
  steps: PlaceStep[];
  refusals: Refused[];
  rollout?: Rollout | undefined;
}

/** Plans a fleet. What is refused is in the plan as data; then nothing of it may be done. */
export function planFleet(request: PlanRequest): FleetPlan {
  const { stored, wanted } = request;
  const keys = [...new Set([...wanted.keys(), ...stored.keys()])].sort(byKey);
  const compared = new Map(keys.map((key) => [key, compareMember(request, key)]));
  const wishes = keys.map((key) => wishOf(request, key, compared.get(key)));
  const places = decidePlaces(wishes, request.ground);
  const members = new Map<string, MemberPlan>();
  const refusals = [...places.refusals];
  for (const one of places.members.values()) {
    const planned = planMember(request, one, compared.get(one.key));
    members.set(planned.key, planned);
    const refusal = undeclaredRefusal(request, one);
    if (refusal && !one.isRefused) refusals.push({ about: [one.owner], refusal });
  }
  const tooMany = checkDeletions(request, members, new Set(refusals.flatMap(keysOf)));
  const steps = places.steps.filter(({ key }) => members.get(key)?.change !== "same");
  return { members, steps, refusals: tooMany ? [...refusals, tooMany] : refusals };
}

/** The keys of the members that a refusal is about. */
export function keysOf({ about }: Refused): string[] {
  return about.flatMap((owner) => memberIn(owner)?.key ?? []);
}

/** True if the plan has a change. */
export function hasChanges({ members }: FleetPlan): boolean {
  return [...members.values()].some(({ change }) => change !== "same");
}

/** Default limit of deletes and replacements in a plan: half of the members, or all of one or two. */
export function defaultMaxDeletions(members: number): number {
  return members < 3 ? members : Math.floor(members / 2);
}

/** Compares an existing or adopted member with its inputs; undefined for a created or deleted member. */
function compareMember(request: PlanRequest, key: string): DiffResult | undefined {
  const { ground, profile, moves } = request;
  const [member, stored, found] = [request.wanted.get(key), request.stored.get(key), request.found.get(key)];
  if (!member) return undefined;
  if (found) return diffTakeover({ record: found.record, inputs: member.parsed, secret: member.secret, profile });
  if (!stored) return undefined;
  const { state } = stored;
  const shown = ground.find(String(state.projectId), String(state.endpointId));
  return diff({
    ...{ id: idOfState(state), state, inputs: member.parsed, oldInputs: request.oldInputs?.(key) },
    ...{ ignoreChanges: member.ignored, secret: member.secret, deletesFirst: true, profile, moves },
    standsOn: shown?.branchId,
  });
}

function wishOf(request: PlanRequest, key: string, compared: DiffResult | undefined): Wish {
  const { stored, wanted, found, givenUp, ownerOf } = request;
  const member = wanted.get(key);
  const there = stored.get(key);
  const takes = found.get(key)?.record;
  const state = there?.state;
  const inputs = member?.parsed;
  const endpointId = takes?.id ?? (typeof state?.endpointId === "string" ? state.endpointId : undefined);
  const stays = givenUp?.has(endpointId ?? "") ? "given_up" : there && stayOf(there.state, there.retainOnDelete);
  const from = state && placeOf(state);
  const isAtHome = compared !== undefined && !compared.replaces && compared.properties.branchId === undefined;
  return {
    ...{ owner: ownerOf(key), key, endpointId, from, takes, stays },
    // A member whose branch does not change stays where the state has it, even if the program ignores where that is.
    to: isAtHome && !takes ? from : inputs && placeOf(inputs),
    change: changeOf({ member, there, takes, compared, stays }),
    why: Object.values(compared?.properties ?? {}).find(({ replaces }) => replaces !== undefined)?.replaces,
    isProtected:
      there?.protect === true && stays !== "given_up" && (member === undefined || member.options.protect === true),
    adopts: inputs?.adoptExisting === true || inputs?.adoptExisting === UNKNOWN,
    importsUnknown: member?.options.importId === UNKNOWN,
  };
}

/** The kind of a change: from program, state and configuration alone. */
function changeOf(one: {
  member: Member | undefined;
  there: StoredMember | undefined;
  takes: EndpointRecord | undefined;
  compared: DiffResult | undefined;
  stays: Stay | undefined;
}): Change {
  const { member, there, takes, compared, stays } = one;
  if (!member) return stays ? "release" : "delete";
  if (takes) return "adopt";
  if (!there || !compared) return "create";
  if (compared.replaces) return "replace";
  if (compared.properties.branchId) return "move";
  return compared.changes || changesOptions(member, there) ? "update" : "same";
}

function planMember(request: PlanRequest, placed: Placed, compared: DiffResult | undefined): MemberPlan {
  const { key, to, at, stays, change, occupant } = placed;
  const { profile } = request;
  const member = request.wanted.get(key);
  const stored = request.stored.get(key);
  const adopted: Takeover | undefined = occupant && { record: occupant, as: "adopted" };
  const found = request.found.get(key) ?? adopted;
  const isMove = change === "move";
  const base = { key, to, stays, isMove, member, stored, found, change: isMove ? ("update" as const) : change };
  if (member && adopted && found === adopted) {
    const { inputs, secret } = { inputs: member.parsed, secret: member.secret };
    return { ...base, diff: diffTakeover({ record: adopted.record, inputs, secret, profile }) };
  }
  const isMoved = (change === "same" || change === "update") && at && to && !isSameBranch(at, to);
  return { ...base, diff: compared, ...(isMoved && { movedTo: at.branchId }) };
}

/** The options are kept in the state, for the day when the program no longer has the member. */
function changesOptions({ options }: Member, stored: StoredMember | undefined): boolean {
  const differs = (name: "protect" | "retainOnDelete") =>
    options[name] !== UNKNOWN && (options[name] === true) !== (stored?.[name] === true);
  return differs("protect") || differs("retainOnDelete");
}

/** One that was just imported is not deleted: an import is expected to change nothing. */
function undeclaredRefusal({ oldInputs }: PlanRequest, { key, from, endpointId, change }: Placed): Refusal | undefined {
  if (change !== "delete" || !areImported(oldInputs?.(key))) return undefined;
  return { kind: "undeclared", id: from && endpointId && formatId({ projectId: from.projectId, endpointId }) };
}

function checkDeletions(
  request: PlanRequest,
  members: ReadonlyMap<string, MemberPlan>,
  refused: ReadonlySet<string>,
): Refused | undefined {
  const { stored, maxDeletions } = request;
  if (maxDeletions === UNKNOWN) return undefined;
  const counted = [...members.values()].filter((one) => one.stored && !one.stays && !refused.has(one.key));
  const changed = (change: MemberChange) => counted.filter((one) => one.change === change).map(({ key }) => key);
  // A replacement that depends on an unknown value is not counted, nor is that of a replica that follows its primary.
  const isCertain = (key: string) => placeOf(members.get(key)?.member?.parsed ?? {}) !== undefined;
  const followers = followersIn(members);
  const deleted = changed("delete");
  const replaced = changed("replace").filter((key) => isCertain(key) && !followers.has(key));
  const limit = maxDeletions ?? defaultMaxDeletions(stored.size);
  if (deleted.length + replaced.length <= limit) return undefined;
  return { about: [], refusal: { kind: "too_many", deleted, replaced, limit, members: stored.size } };
}

/** The keys of the replicas that go with the read-write endpoint of their branch to another branch. */
function followersIn(members: ReadonlyMap<string, MemberPlan>): ReadonlySet<string> {
  const ways = new Set<string>();
  const followers = new Set<string>();
  for (const one of members.values()) if (isSole(one.to)) ways.add(wayOf(one) ?? "");
  for (const one of members.values())
    if (one.to && !isSole(one.to) && ways.has(wayOf(one) ?? "none")) followers.add(one.key);
  return followers;
}

/** From which branch to which a member goes, where its type stays. */
function wayOf({ to, stored }: MemberPlan): string | undefined {
  const from = stored && placeOf(stored.state);
  if (!from || !to || isSameBranch(from, to) || from.type !== to.type) return undefined;
  return `${branchKeyOf(from)} ${branchKeyOf(to)}`;
}
