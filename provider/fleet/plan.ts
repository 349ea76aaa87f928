/** Plans a fleet: a change for each member. Pure, so that preview and update agree. */
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
import { takeUpAt } from "../places/take-over";
import { type Change, type Placed, type Stay, stayOf, type Wish } from "../places/wish";
import type { AccountSettings } from "../platform/account";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointRecord } from "../platform/records";
import { byKey } from "./model";
import type { Member } from "./parse-fleet";
import type { StoredMember, StoredMembers } from "./state";

/**
 * An endpoint to adopt, and the reason: made by an interrupted run, named by `importId`, or found by `adoptExisting`.
 */
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
  /** Endpoints of leaving members that another owner has by now, or that the run lets go of. */
  givenUp?: ReadonlySet<string>;
  moves?: AccountSettings["moves"];
  profile?: Profile | undefined;
  /** Who makes room for a new endpoint: the engine for a single one, the fleet itself for its members. */
  replaces: "engine" | "set";
  /** The endpoint that the engine replaces by this one, as far as the run has met it. */
  replaced?: Met | undefined;
  /** Properties of `replaceOnChanges`, on a host that has to apply that option. */
  replaceOnChanges?: readonly string[] | undefined;
}

/** What a run has met of an endpoint before a call that shows no state. */
export interface Met {
  endpointId?: string | undefined;
  from?: Place | undefined;
  stays?: Stay | undefined;
}

/** The change of a member. A move counts as an update; an unknown branch is planned as unchanged. */
export type MemberChange = Exclude<Change, "move">;

/** The planned change of a member, with the data to apply it. */
export interface MemberPlan {
  key: string;
  change: MemberChange;
  /** The place in the program, if known. */
  to: Place | undefined;
  /** True if the endpoint moves to another branch in place. */
  isMove: boolean;
  /** The reason why the endpoint stays when the member leaves; absent if the endpoint is deleted. */
  stays?: Stay | undefined;
  /** The endpoint's current branch, if it is neither the state's nor the program's. */
  movedTo?: string | undefined;
  member?: Member | undefined;
  stored?: StoredMember | undefined;
  found?: Takeover | undefined;
  /** The differences of an existing endpoint, and their impact. */
  diff?: DiffResult | undefined;
}

/** Members that are unavailable together: a single one, or several whose steps wait for each other. */
export interface Unit {
  keys: readonly string[];
  isCanary: boolean;
}

/** The waves of a plan. */
export interface Rollout {
  limit: number;
  maxFailures: number;
  units: readonly Unit[];
  /** Members whose endpoints are already gone: they hold slots from the start, and do not wait for one. */
  gone: readonly string[];
}

/** The plan of a fleet. */
export interface FleetPlan {
  members: Map<string, MemberPlan>;
  /** In an order that satisfies the dependencies. */
  steps: PlaceStep[];
  refusals: Refused[];
  rollout?: Rollout | undefined;
}

/** Plans a fleet. Refusals are data in the plan; with any, the plan must not be applied. */
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
  return {
    members,
    steps: request.replaces === "engine" ? steps.slice(-1).map((step) => asOnly(step, request)) : steps,
    refusals: tooMany ? [...refusals, tooMany] : refusals,
  };
}

/** The step of a single endpoint: of one that is replaced the engine lets go itself, and nothing else is in the set. */
function asOnly(step: PlaceStep, { stored, wanted }: PlanRequest): PlaceStep {
  const isThere = wanted.has(step.key) && stored.has(step.key);
  return { ...step, part: isThere ? "change" : step.part, after: [] };
}

/** The keys of the members that a refusal concerns; none for the whole set. */
export function keysOf({ about }: Refused): string[] {
  return about.map((owner) => memberIn(owner)?.key ?? "");
}

/** True if the plan has a change. */
export function hasChanges({ members }: FleetPlan): boolean {
  return [...members.values()].some(({ change }) => change !== "same");
}

/** Default maximum of deletes and replacements in a plan: half of the members, or all of one or two. */
export function defaultMaxDeletions(members: number): number {
  return members < 3 ? members : Math.floor(members / 2);
}

/** Compares an existing or adopted member with its inputs; undefined for a created or leaving member. */
function compareMember(request: PlanRequest, key: string): DiffResult | undefined {
  const { ground, profile, moves, replaces, replaceOnChanges } = request;
  const [member, stored, found] = [request.wanted.get(key), request.stored.get(key), request.found.get(key)];
  if (!member) return undefined;
  if (found) return diffTakeover({ record: found.record, inputs: member.parsed, secret: member.secret, profile });
  if (!stored) return undefined;

  const { state } = stored;
  const shown = ground.find(String(state.projectId), String(state.endpointId));
  return diff({
    ...{ id: idOfState(state), state, inputs: member.parsed, oldInputs: request.oldInputs?.(key) },
    ...{ ignored: member.ignored, secret: member.secret, profile, moves, replaceOnChanges },
    ...(replaces === "set" && { deletesFirst: true }),
    standsOn: shown?.branchId,
  });
}

function wishOf(request: PlanRequest, key: string, compared: DiffResult | undefined): Wish {
  const { wanted, found, givenUp, ownerOf, replaced } = request;
  const member = wanted.get(key);
  const there = request.stored.get(key);
  const taken = found.get(key)?.record;
  const takes = taken ?? leftByReplacement(request, key, compared);
  const inputs = member?.parsed;
  const met = metOf(request, key);
  const { endpointId, from } = met;
  const stays = givenUp?.has(endpointId ?? "") ? "given_up" : met.stays;
  const isReplaced = replaced !== undefined;
  const isAtHome = compared !== undefined && !compared.replaces && compared.properties.branchId === undefined;
  const adopts = inputs?.adoptExisting === true || inputs?.adoptExisting === UNKNOWN;

  return {
    ...{ owner: ownerOf(key), key, endpointId, from, takes, stays },
    // On an unchanged branch a member stays in its state's place, even if the platform has moved it.
    to: isAtHome && !takes ? from : inputs && placeOf(inputs),
    change: changeOf({ member, there, takes: taken, compared, stays, isReplaced }),
    why: Object.values(compared?.properties ?? {}).find(({ replaces }) => replaces !== undefined)?.replaces,
    isProtected:
      there?.protect === true && stays !== "given_up" && (member === undefined || member.options.protect === true),
    // The new endpoint of a replacement adopts nothing.
    adopts: adopts && !isReplaced,
    importsUnknown: member?.options.importId === UNKNOWN,
  };
}

/** The endpoint of a member: from the state, else the endpoint to take over, else the replaced one. */
function metOf(request: PlanRequest, key: string): Met {
  const there = request.stored.get(key);
  if (!there) {
    const taken = request.found.get(key);
    return taken ? { endpointId: taken.record.id } : metBefore(request, key);
  }

  const { state, retainOnDelete } = there;
  const endpointId = typeof state.endpointId === "string" ? state.endpointId : undefined;
  return { endpointId, from: placeOf(state), stays: stayOf(state, retainOnDelete) };
}

/** What the engine replaces. Without a Diff its id is not known; one on its own branch counts as its own. */
export function metBefore(
  { replaced, wanted, ground }: Pick<PlanRequest, "replaced" | "wanted" | "ground">,
  key: string,
): Met {
  const to = placeOf(wanted.get(key)?.parsed ?? {});
  if (!replaced || !to) return { ...replaced };
  const { endpointId, from, stays } = replaced;
  const isAtHome = endpointId === undefined && isSameBranch(from, to) && isSole(from);
  const atHome = isAtHome ? ground.recordsOn(to).find(isSole)?.id : undefined;
  return { endpointId: endpointId ?? atHome, from: from ?? to, stays };
}

/** What an interrupted replacement has left, for the Diff that replaces again. */
function leftByReplacement(request: PlanRequest, key: string, compared: DiffResult | undefined) {
  const to = placeOf(request.wanted.get(key)?.parsed ?? {});
  if (request.replaces !== "engine" || !compared?.replaces || !to) return undefined;
  return takeUpAt(request.ground, request.ownerOf(key), to).takes;
}

/** Decides the kind of change from program, state and configuration alone. */
function changeOf(one: {
  member: Member | undefined;
  there: StoredMember | undefined;
  takes: EndpointRecord | undefined;
  compared: DiffResult | undefined;
  stays: Stay | undefined;
  isReplaced: boolean;
}): Change {
  const { member, there, takes, compared, stays, isReplaced } = one;
  if (!member) return stays ? "release" : "delete";
  if (takes) return "adopt";
  if (isReplaced) return "replace";
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
  const adopted: Takeover | undefined =
    occupant && change !== "replace" ? { record: occupant, as: "adopted" } : undefined;
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

/** True if the options differ from the state, which keeps them for members that leave the program. */
function changesOptions({ options }: Member, stored: StoredMember | undefined): boolean {
  const differs = (name: "protect" | "retainOnDelete") =>
    options[name] !== UNKNOWN && (options[name] === true) !== (stored?.[name] === true);
  return differs("protect") || differs("retainOnDelete");
}

/** Refuses to delete a member that was just imported: an import should change nothing. */
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

  // Not counted: a replacement for an unknown value, or of a replica that follows its primary.
  const isCertain = (key: string) => placeOf(members.get(key)?.member?.parsed ?? {}) !== undefined;
  const followers = followersIn(members);
  const deleted = changed("delete");
  const replaced = changed("replace").filter((key) => isCertain(key) && !followers.has(key));
  const limit = maxDeletions ?? defaultMaxDeletions(stored.size);
  if (deleted.length + replaced.length <= limit) return undefined;
  return { about: [], refusal: { kind: "too_many", deleted, replaced, limit, members: stored.size } };
}

/** The keys of replicas that follow their branch's read-write endpoint to another branch. */
function followersIn(members: ReadonlyMap<string, MemberPlan>): ReadonlySet<string> {
  const ways = new Set<string>();
  const followers = new Set<string>();
  for (const one of members.values()) if (isSole(one.to)) ways.add(wayOf(one) ?? "");
  for (const one of members.values())
    if (one.to && !isSole(one.to) && ways.has(wayOf(one) ?? "none")) followers.add(one.key);
  return followers;
}

/** A member's old and new branch as a key; undefined if its type changes. */
function wayOf({ to, stored }: MemberPlan): string | undefined {
  const from = stored && placeOf(stored.state);
  if (!from || !to || isSameBranch(from, to) || from.type !== to.type) return undefined;
  return `${branchKeyOf(from)} ${branchKeyOf(to)}`;
}
