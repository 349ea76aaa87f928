/** What the members of a fleet do with their places, claimed so that the other resources of the program know of it. */
import { type Place, placeOf } from "../../endpoint/identity";
import { type FleetPlan, hasChanges, type MemberPlan } from "../../fleet/plan";
import type { Owner } from "../../lib/owner";
import type { Arrival, Claim } from "../../plan/claims";
import type { PulumiFleetContext } from "./context";

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
  if (member.change === "replace") return "replace";
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
