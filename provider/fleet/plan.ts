/** A fleet's plan: from state, inputs and what the platform has to a change for each member. Pure, so that preview and update agree. */
import { isDeepStrictEqual } from "node:util";
import { type DiffResult, diffTakeover } from "../endpoint/diff";
import { formatId, idOfState, placeOf } from "../endpoint/identity";
import { areImported } from "../endpoint/input-notes";
import { toState } from "../endpoint/mapping";
import { bookkeepingOf } from "../endpoint/state";
import { memberIn, type Owner } from "../lib/owner";
import { type Maybe, UNKNOWN } from "../lib/unknown";
import { arrange } from "../plan/arrange";
import { type Arranged, claimOf, type Wish } from "../plan/branch";
import { compareEndpoint } from "../plan/endpoint";
import type { Change, Claim } from "../plan/ledger";
import type { Refusal, Refused } from "../plan/refusal";
import type { PlaceStep } from "../plan/steps";
import type { World } from "../plan/world";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointRecord } from "../platform/records";
import { byKey } from "./model";
import type { Member } from "./parse-fleet";
import type { Rollout } from "./rollout";
import type { StoredMember, StoredMembers } from "./state";

/** An endpoint to take over: what an interrupted run made for the member, what `importId` names, or what `adoptExisting` finds. */
export interface Takeover {
  record: EndpointRecord;
  as: "interrupted" | "imported" | "adopted";
}

/** What the plan is made of. */
export interface PlanRequest {
  stored: StoredMembers;
  wanted: ReadonlyMap<string, Member>;
  /** What is to be taken over instead of being created, by key. */
  found: ReadonlyMap<string, Takeover>;
  maxDeletions: Maybe<number>;
  oldInputs?: ((key: string) => Readonly<Record<string, unknown>> | undefined) | undefined;
  ownerOf(key: string): Owner;
  world: World;
  /** Members' endpoints that somebody else has by now, where that is not for the world to tell. */
  givenUp?: ReadonlySet<string>;
  profile?: Profile | undefined;
}

/** What becomes of a member. A move is an update, which may change more than the branch; what is not known yet is planned as if it stayed. */
export type MemberChange = Exclude<Change, "move" | "unknown">;

/** What becomes of a member, with all that it takes to do it. */
export interface MemberPlan {
  key: string;
  change: MemberChange;
  claim: Claim;
  /** True where the endpoint that it lets go stays on the platform: taken over, kept on purpose, or somebody else's by now. */
  isKept: boolean;
  /** The branch on which its endpoint stands, where the state and the program both have another. */
  movedTo?: string | undefined;
  member?: Member | undefined;
  stored?: StoredMember | undefined;
  found?: Takeover | undefined;
  /** Of what is there: what differs, and what changing it does to the endpoint. */
  diff?: DiffResult | undefined;
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
  const wishes = keys.map((key) => wishOf(request, key));
  const arranged = arrange(wishes, request.world);
  const members = new Map<string, MemberPlan>();
  const refusals = [...arranged.refusals];
  for (const one of arranged.members.values()) {
    const planned = planMember(request, one);
    members.set(planned.key, planned);
    const refusal = refusalOf(request, one, planned);
    if (refusal) refusals.push({ about: [one.owner], refusal });
  }
  const tooMany = checkDeletions(request, members, new Set(refusals.flatMap(keysOf)));
  const steps = arranged.steps.filter(({ key }) => members.get(key)?.change !== "same");
  return { members, steps, refusals: tooMany ? [...refusals, tooMany] : refusals };
}

/** The keys of the members that a refusal is about. */
export function keysOf({ about }: Refused): string[] {
  return about.flatMap((owner) => memberIn(owner)?.key ?? []);
}

/** True where the plan changes something. */
export function hasChanges({ members }: FleetPlan): boolean {
  return [...members.values()].some(({ change }) => change !== "same");
}

/** How many endpoints a plan may delete or replace where the program does not say: half of them, or all of one or two. */
export function defaultMaxDeletions(members: number): number {
  return members < 3 ? members : Math.floor(members / 2);
}

function wishOf(request: PlanRequest, key: string): Wish {
  const { stored, wanted, found, world, givenUp, ownerOf } = request;
  const member = wanted.get(key);
  const there = stored.get(key);
  const record = found.get(key)?.record;
  const inputs = member?.parsed;
  const state = there?.state;
  const endpointId = typeof state?.endpointId === "string" ? state.endpointId : "";
  const isGivenUp = givenUp?.has(endpointId) ?? world.otherOwnerOf(endpointId) !== undefined;
  const isReleased = there?.retainOnDelete === true || (state !== undefined && bookkeepingOf(state).adopted === true);
  // For an endpoint that is not deleted anyway, its protection still counts unless another one has it before by the program's own order.
  const isAnothers = isReleased && !givenUp ? world.isTakenBefore(endpointId) : isGivenUp;
  const stated = state && placeOf(state);
  const from = record
    ? placeOf(record)
    : stated && { ...stated, branchId: world.find(stated.projectId, endpointId)?.branchId ?? stated.branchId };
  const to = inputs && placeOf(inputs);
  // An endpoint that somebody, or a killed run, has moved is left where it is until a refresh records it.
  const isMoved = from?.branchId !== stated?.branchId && !record && isDeepStrictEqual(stated, to);
  return {
    ...{ owner: ownerOf(key), key, endpointId: record?.id ?? (endpointId || undefined), from },
    ...(isMoved ? { to: from, movedFrom: to } : { to }),
    isRemoved: member === undefined,
    isKept: isReleased || isGivenUp,
    isReleased,
    isProtected: there?.protect === true && !isAnothers && (member === undefined || member.options.protect === true),
    adopts: inputs?.adoptExisting === true || inputs?.adoptExisting === UNKNOWN,
    importsUnknown: member?.options.importId === UNKNOWN,
  };
}

function planMember(request: PlanRequest, arranged: Arranged): MemberPlan {
  const { key, from, to, movedFrom, isKept, change, why, occupant } = arranged;
  const claim = { ...claimOf(arranged), isKept };
  const { profile } = request;
  const member = request.wanted.get(key);
  const stored = request.stored.get(key);
  const found: Takeover | undefined = occupant ? { record: occupant, as: "adopted" } : request.found.get(key);
  const base = { key, claim, member, stored, found, isKept, movedTo: movedFrom && to?.branchId };
  if (!member) return { ...base, change: change === "release" ? change : "delete" };
  if (found && change !== "replace") {
    return {
      ...base,
      change: "adopt",
      claim: { ...claim, from: undefined, arrival: "adopt", adopts: found.record.id },
      diff: diffTakeover({ record: found.record, inputs: member.parsed, secret: member.secret, profile }),
    };
  }
  if (!stored && !found) return { ...base, change: "create" };
  const state = stored?.state ?? toState((found as Takeover).record);
  const oldInputs = stored && request.oldInputs?.(key);
  const values = { id: idOfState(state), state, inputs: member.inputs, oldInputs, ignoreChanges: member.ignored };
  const compared = compareEndpoint(
    { ...values, standsOn: from?.branchId, secret: member.secret, deletesFirst: true, profile },
    { noMoves: request.world.noMoves, why },
  );
  // The comparison may replace it too, such as for a project that is not known yet.
  if (change === "replace" || compared.change === "replace") {
    return { ...base, change: "replace", claim: { ...claim, arrival: "replace" }, diff: compared.diff };
  }
  // An update that repairs what failed brings it back.
  const movedTo = compared.diff.properties.branchId ? undefined : base.movedTo;
  return { ...base, ...compared, movedTo, ...(changesOptions(member, stored) && { change: "update" }) };
}

/** The options are kept in the state, for the day when the program no longer has the member. */
function changesOptions({ options }: Member, stored: StoredMember | undefined): boolean {
  const differs = (name: "protect" | "retainOnDelete") =>
    options[name] !== UNKNOWN && (options[name] === true) !== (stored?.[name] === true);
  return differs("protect") || differs("retainOnDelete");
}

function refusalOf(
  { oldInputs }: PlanRequest,
  { key, from, endpointId, isRemoved, isProtected, isKept, change }: Arranged,
  { diff }: MemberPlan,
): Refusal | undefined {
  if (isRemoved) {
    if (isProtected) return { kind: "protected", change: "deleted" };
    // One that was just imported is not deleted: an import is expected to change nothing.
    if (isKept || !areImported(oldInputs?.(key))) return undefined;
    return { kind: "undeclared", id: from && endpointId && formatId({ projectId: from.projectId, endpointId }) };
  }
  // One whose branch is not known yet is refused as soon as another property replaces it for certain.
  if (change !== "unknown" || !isProtected) return undefined;
  const differences = Object.values(diff?.properties ?? {});
  const why = differences.find(({ replaces, after }) => replaces !== undefined && after !== UNKNOWN)?.replaces;
  return why === undefined ? undefined : { kind: "protected", change: "replaced", why: why.replace(/^replaced: /, "") };
}

function checkDeletions(
  request: PlanRequest,
  members: ReadonlyMap<string, MemberPlan>,
  refused: ReadonlySet<string>,
): Refused | undefined {
  const { stored, maxDeletions } = request;
  if (maxDeletions === UNKNOWN) return undefined;
  const counted = [...members.values()].filter((one) => one.stored && !one.isKept && !refused.has(one.key));
  const changed = (change: MemberChange) => counted.filter((one) => one.change === change).map(({ key }) => key);
  // A replacement that depends on an unknown value is not counted.
  const isCertain = (key: string) => placeOf(members.get(key)?.member?.parsed ?? {}) !== undefined;
  const [deleted, replaced] = [changed("delete"), changed("replace").filter(isCertain)];
  const limit = maxDeletions ?? defaultMaxDeletions(stored.size);
  if (deleted.length + replaced.length <= limit) return undefined;
  return { about: [], refusal: { kind: "too_many", deleted, replaced, limit, members: stored.size } };
}
