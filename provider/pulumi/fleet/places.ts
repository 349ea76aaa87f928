/**
 * A fleet among the other resources of a program: what each member does with its place is claimed under the member's URN, and
 * must not depend on an order with others that nobody knows.
 */
import { isSameBranch, type Place, placeOf } from "../../endpoint/place";
import { bookkeepingOf } from "../../endpoint/state";
import { type FleetPlan, hasChanges, type MemberPlan } from "../../fleet/plan";
import { keysOf } from "../../fleet/refusal";
import type { Owner } from "../../lib/owner";
import { UNKNOWN } from "../../lib/unknown";
import { EndpointSnapshot } from "../../platform/project/snapshot";
import type { Arrival, Claim } from "../run/claims";
import { planPlace } from "../run/place";
import type { Refusal } from "../run/refusal";
import type { PulumiFleetContext } from "./context";

/** A member that cannot stand where the program puts it, because of another resource. */
export interface OutsideRefusal {
  key: string;
  refusal: Refusal;
}

/** What the members' places have against them in the rest of the program. */
export async function outsideRefusals(context: PulumiFleetContext, plan: FleetPlan): Promise<OutsideRefusal[]> {
  const { run, isMember, account, signal, after } = context;
  const others = run.without(isMember);
  const refusals: OutsideRefusal[] = [];
  const snapshots = new Map<string, EndpointSnapshot>();
  const own = new Set(
    [...plan.members.values()].flatMap(({ stored, found }) => [String(stored?.state.endpointId), found?.record.id]),
  );
  const staying = [...plan.members.values()].flatMap((one) =>
    leavesInTime(one) ? [] : (one.found?.record ?? fromOf(one) ?? []),
  );
  // Who is in the way may be known here by what it does in this run.
  const refused = new Set(plan.refusals.flatMap((one) => (one.kind === "occupied" ? [] : keysOf(one))));
  for (const member of plan.members.values()) {
    const [from, to] = [fromOf(member), toOf(member)];
    if (refused.has(member.key)) continue;
    const contested = contestedEndpoint(context, member);
    if (contested) {
      if (contested !== "released")
        refusals.push({ key: member.key, refusal: asFleet(context, member.key, contested) });
      continue;
    }
    if (![from, to].some((place) => place && others.claims.on(place, undefined).length > 0)) continue;
    const { projectId } = (to ?? from) as Place;
    let snapshot = snapshots.get(projectId);
    if (!snapshot) {
      const all = (await account.project(projectId).cache.snapshot({ signal })).all();
      // What its members do among themselves is the fleet's own business.
      snapshot = new EndpointSnapshot(all.filter(({ id }) => !own.has(id)));
      snapshots.set(projectId, snapshot);
    }
    const inputs = member.member?.inputs;
    const endpointId = member.stored?.state.endpointId;
    if (typeof endpointId === "string") others.identify(context.ownerOf(member.key), endpointId);
    const { refusal } = planPlace(others, {
      urn: context.ownerOf(member.key),
      from,
      to,
      wantsToAdopt: !from && (inputs?.adoptExisting === true || inputs?.adoptExisting === UNKNOWN),
      takesUp: account.settings.adoptInterrupted,
      movesInPlace: account.settings.moves !== "replace",
      leavesInTime: leavesInTime(member),
      hasStaying: (branch) => staying.some((place) => isSameBranch(place, branch)),
      after,
      snapshot,
    });
    // What is not known yet may be the very endpoint that is there.
    const mayImport =
      refusal?.kind === "occupied" &&
      refusal.isNew &&
      member.member?.options.importId === UNKNOWN &&
      context.otherOwnerOf(refusal.occupant.id) === undefined;
    if (refusal && !mayImport) refusals.push({ key: member.key, refusal: asFleet(context, member.key, refusal) });
  }
  return refusals;
}

/**
 * A member's endpoint that another resource has, or takes over, as well. A fleet deletes in its update, not at the end of the run: so
 * only an order that is known makes it certain that the other one has it by then, and that it is released.
 */
function contestedEndpoint(
  context: PulumiFleetContext,
  { key, member, stored }: MemberPlan,
): Refusal | "released" | undefined {
  const { run, after, ownerOf, isMember } = context;
  const endpointId = String(stored?.state.endpointId);
  const other = run.ownersOf(endpointId, { isDeclared: true }).find((owner) => !isMember(owner));
  if (other === undefined) return undefined;
  const branchId = String(stored?.state.branchId);
  const claim = run.claims.of(other);
  const own = ownerOf(key);
  if (!member && stored && (stored.retainOnDelete || bookkeepingOf(stored.state).adopted)) return "released";
  // Who is replaced has it no longer by then.
  const keepsIt = claim && claim.arrival !== "replacement";
  if (!member && keepsIt && run.claims.areOrdered(claim, { after })) return "released";
  if (!member && claim?.arrival === "adopt") return { kind: "order", branchId, first: other, second: own };
  return { kind: "two_owners", branchId, endpointId, urns: [other, own] };
}

/** Claims what the members do, so that other resources know of it. */
export function claimPlaces(context: PulumiFleetContext, plan: FleetPlan): void {
  const { run, after, urn } = context;
  run.claims.put({ urn, after });
  run.record(urn).isDeclared = true;
  for (const member of plan.members.values()) {
    const owner = context.ownerOf(member.key);
    const claim = claimOf(member, owner);
    run.claims.put({ ...claim, after, leavesInTime: leavesInTime(member), isKept: member.isKept });
    const record = run.record(owner);
    if (member.member) record.isDeclared = true;
    record.isProtected = member.member?.options.protect === true;
    record.isDeletedEarly = !member.member && leaves(member);
    const endpointId = member.found?.record.id ?? member.stored?.state.endpointId;
    if (typeof endpointId === "string") run.identify(owner, endpointId);
  }
  if (!hasChanges(plan)) claimsDone(context, plan);
}

/** Takes note that what was planned for the fleet was answered. */
export function claimsDone({ run, urn, ownerOf }: PulumiFleetContext, plan: FleetPlan): void {
  run.claims.done(urn);
  for (const key of plan.members.keys()) run.claims.done(ownerOf(key));
}

function claimOf(member: MemberPlan, urn: Owner): Claim {
  const to = toOf(member);
  if (member.change === "take") return { urn, to, arrival: "adopt", adopts: member.found?.record.id };
  return { urn, from: fromOf(member), to, arrival: arrivalOf(member) };
}

function arrivalOf(member: MemberPlan): Arrival | undefined {
  if (member.change === "create") return "create";
  if (member.change === "replace") return "replacement";
  const [from, to] = [fromOf(member), toOf(member)];
  return member.change !== "take" && from && to && from.branchId !== to.branchId ? "move" : undefined;
}

/** What a fleet deletes, it deletes in its own update, not at the end of the run. What goes nobody knows where may yet stay. */
function leaves(member: MemberPlan): boolean {
  const { change, isKept } = member;
  return !isKept && (change === "delete" || (change === "replace" && toOf(member) !== undefined));
}

/** True where it makes room within the fleet's update. */
function leavesInTime(member: MemberPlan): boolean {
  return leaves(member) || arrivalOf(member) === "move";
}

function fromOf({ stored, found }: MemberPlan): Place | undefined {
  if (found?.as === "adopted") return undefined;
  return found ? placeOf(found.record) : stored && placeOf(stored.state);
}

function toOf({ member }: MemberPlan): Place | undefined {
  return member && placeOf(member.parsed);
}

/** The engine knows the fleet, not its members: to those it is the fleet that waits, or is waited for. */
function asFleet({ urn, ownerOf }: PulumiFleetContext, key: string, refusal: Refusal): Refusal {
  if (refusal.kind !== "order") return refusal;
  const own = ownerOf(key);
  return {
    ...refusal,
    first: refusal.first === own ? urn : refusal.first,
    second: refusal.second === own ? urn : refusal.second,
  };
}
