/**
 * What becomes of a resource's place in this run: it stays, moves, is replaced, created or taken over, or it cannot. A plan is
 * the same in preview and up, or it is refused: two changes whose result depends on their order need one that is known.
 */
import { NO_MOVES, notEmptyReason } from "../../endpoint/diff";
import { isSameBranch, type Place } from "../../endpoint/place";
import type { Owner } from "../../lib/owner";
import { decideTakeUp } from "../../plan/take-up";
import type { EndpointSnapshot } from "../../platform/project/snapshot";
import type { EndpointRecord } from "../../platform/records";
import type { Claim } from "./claims";
import { takeUpOn } from "./orphaned-endpoints";
import type { Refusal } from "./refusal";
import { createdForOther, isOwn, type RunRecords } from "./run";
import { lookAt, type Sight, staysWithout } from "./sight";

/** Why no endpoint moves in place, with the setting that says so. */
export const NO_MOVES_CONFIGURED = `${NO_MOVES} (pgcompute:moves)`;

/** One resource's wish, as Check knows it. */
export interface PlaceRequest {
  urn: Owner;
  /** Where its endpoint stood when the run began; absent for one that is new or replaced. */
  from?: Place | undefined;
  /** Where the program puts it; absent while that is not known. */
  to?: Place | undefined;
  /** True where the program may take over what is there. */
  wantsToAdopt: boolean;
  /** True where what an interrupted run made for this resource is to be taken up. */
  takesUp: boolean;
  /** False where the platform has no moves: another branch is another endpoint. */
  movesInPlace: boolean;
  /** Whether it leaves its old place early enough for another, where whoever asks knows that already, as a fleet does of a member. */
  leavesInTime?: boolean | undefined;
  /** True for a branch on which others of its own fleet, which the snapshot leaves out, stay for certain. */
  hasStaying?: ((branch: Place) => boolean) | undefined;
  /** The resources that it waits for, where the host tells. */
  after?: ReadonlySet<string> | undefined;
  /** When it was checked, as a moment of the run; absent where that is now. */
  plannedAt?: number | undefined;
  snapshot: EndpointSnapshot;
}

/** What becomes of it. */
export interface PlacePlan {
  claim: Claim;
  refusal?: Refusal | undefined;
  /** The endpoint that is taken over. */
  adopts?: EndpointRecord | undefined;
  /** Why a new branch means a new endpoint. */
  replacedBecause?: string | undefined;
}

/** Plans a resource's place, without taking note of it (specification, section 1, rules 1 to 3; sections 3.2 and 4.5). */
export function planPlace(run: RunRecords, request: PlaceRequest): PlacePlan {
  const { urn, to } = request;
  const known = run.claims.of(urn);
  // The second Check of a replacement shows nothing old: what was there stays known.
  const from = request.from ?? known?.from;
  const isReplaced = request.from === undefined && from !== undefined;
  const { after, plannedAt, leavesInTime = false } = request;
  const claim: Claim = { urn, from, to, after, leavesInTime, ...(plannedAt !== undefined && { plannedAt }) };
  const contested = from && contestedOrigin(run, request, claim, from);
  if (!to || (isSameBranch(from, to) && from?.type === to.type)) {
    const refusal = isReplaced && to ? staysRefusal(run, request, claim, to) : undefined;
    return { claim, refusal: contested ?? refusal ?? departureRefusal(run, request, claim) };
  }
  // What Diff would have moved, an option of the program may replace.
  const moves = isMove(claim) && !isReplaced;
  const plan = moves ? planMove(run, request, claim, to) : planArrival(run, request, claim, to);
  // A move is done in place, and a change of type deletes first what is not let go, which the Check after the Diff knows; all else
  // goes at the end of the run.
  const changesType = from?.type === "read_write" && from.projectId === to.projectId && to.type !== "read_write";
  claim.leavesInTime =
    request.leavesInTime ?? (claim.arrival === "move" || (changesType && run.record(urn).isReleased === false));
  return { ...plan, refusal: contested ?? plan.refusal ?? departureRefusal(run, request, claim) };
}

/** Two resources of a run that have one read-write endpoint, in the state already or because one is about to take it over. */
function contestedOrigin(run: RunRecords, { urn, to }: PlaceRequest, claim: Claim, from: Place): Refusal | undefined {
  if (from.type !== "read_write") return undefined;
  const stays = isSameBranch(from, to);
  for (const other of run.claims.on(from, urn)) {
    const { branchId } = from;
    // A member that leaves its fleet is no owner: who has its endpoint by then is told by its id.
    const isOwner = run.record(other.urn).isDeclared === true && !haveTwo(run, urn, other.urn);
    if (isOwner && other.from?.type === "read_write" && isSameBranch(other.from, from)) {
      return { kind: "two_owners", branchId, urns: [other.urn, urn] };
    }
    // What a fleet takes over may be a replica.
    if (other.arrival !== "adopt" || other.to?.type !== "read_write" || !isSameBranch(other.to, from)) continue;
    if (run.claims.areOrdered(claim, other)) continue;
    return stays
      ? { kind: "two_owners", branchId, urns: [other.urn, urn] }
      : { kind: "order", branchId, first: urn, second: other.urn };
  }
  return undefined;
}

/** A new branch for an endpoint that is there: in place to a branch without any, else as a new one where that is legal. */
function planMove(run: RunRecords, request: PlaceRequest, claim: Claim, to: Place): PlacePlan {
  const { urn } = request;
  const seen = lookAt(run, request, to);
  const own = seen.present.find((record) => record.id === run.endpointOf(urn) || isLeftBehind(request, claim, record));
  const others = seen.present.filter((record) => record !== own);
  claim.arrival = "move";
  // An interrupted run has moved it here already.
  if (own && others.length === 0 && seen.arrivals.length === 0) return { claim };
  const blocking =
    to.type === "read_write" ? readWriteRefusal(run, request, claim, { ...seen, present: others }) : undefined;
  if (blocking) return { claim, refusal: blocking };
  // Who comes or goes without a known order decides whether it can move; unless somebody is there for certain.
  const stays = request.hasStaying?.(to) === true || others.some(({ id }) => !seen.leaving.has(id));
  const isShared = stays || seen.arrivals.length > 0;
  if (!isShared && request.movesInPlace) {
    return seen.unordered ? { claim, refusal: orderOf(seen.unordered, urn, to) } : { claim };
  }
  claim.arrival = "replacement";
  const why = isShared ? notEmptyReason(to.branchId) : NO_MOVES_CONFIGURED;
  return { claim, replacedBecause: `replaced: ${why}` };
}

/** An endpoint that is new on its branch. */
function planArrival(run: RunRecords, request: PlaceRequest, claim: Claim, to: Place): PlacePlan {
  claim.arrival = claim.from ? "replacement" : "create";
  const seen = lookAt(run, request, to);
  const mover = seen.claims.find((other) => other.arrival === "move" && isSameBranch(other.to, to));
  if (mover && !run.claims.areOrdered(mover, claim)) {
    return { claim, refusal: { kind: "order", branchId: to.branchId, first: request.urn, second: mover.urn } };
  }
  if (to.type !== "read_write") return takesUpReplica(run, request, claim, to);
  // Its own endpoint goes before it comes; unless it was taken over, or nobody has compared it, as in a replacement by force.
  const { isCompared, isReleased } = run.record(request.urn);
  const isOwnId = ({ id }: EndpointRecord) => isCompared && !isReleased && id === run.endpointOf(request.urn);
  seen.present = seen.present.filter((record) => !isOwnId(record));
  const occupant = seen.present.find(({ type }) => type === "read_write");
  const canAdopt = request.wantsToAdopt && !claim.from;
  const refusal = readWriteRefusal(run, request, claim, seen, canAdopt);
  if (refusal || !occupant) return { claim, refusal };
  claim.arrival = "adopt";
  claim.adopts = occupant.id;
  return { claim, adopts: occupant };
}

/** A read replica comes to any branch; where what an interrupted run left there is to be taken up, it is the newest. */
function takesUpReplica(run: RunRecords, request: PlaceRequest, claim: Claim, to: Place): PlacePlan {
  const onBranch = request.snapshot.onBranch(to.branchId);
  const { takes: adopts, left } = takeUpOn(run, request, { onBranch, type: to.type, isSaid: request.takesUp });
  // Without the word for it, what may be there from before is only named, which a second replica does not harm.
  const isRefused = request.takesUp && left.length > 0;
  if (isRefused)
    return { claim, refusal: { kind: "left", left: left.map((record) => ({ record })), isNew: !claim.from } };
  if (!adopts) return { claim };
  claim.arrival = "adopt";
  claim.adopts = adopts.id;
  return { claim, adopts };
}

/** Why a read-write endpoint cannot come to a branch; undefined where it can, or may take over what is there. */
function readWriteRefusal(
  run: RunRecords,
  request: PlaceRequest,
  claim: Claim,
  { present, claims, branch }: Sight,
  canAdopt = false,
): Refusal | undefined {
  const { urn } = request;
  const { branchId } = branch;
  const rival = claims.find((other) => other.to?.type === "read_write" && isSameBranch(other.to, branch));
  if (rival) return { kind: "declared_twice", branchId, first: rival.urn };
  const occupant = present.find(({ type }) => type === "read_write");
  if (!occupant) return undefined;
  // Whose endpoint was here goes, or changes its type: it is no rival.
  const gone = claims.find((other) => other.from?.type === "read_write" && isSameBranch(other.from, branch));
  const goneId = gone && run.endpointOf(gone.urn);
  // Where another endpoint stands there by now, that of the one who leaves is not in the way.
  if (gone && (goneId === undefined || goneId === occupant.id)) {
    if (!gone.leavesInTime) {
      const late = { branchId, occupant, other: gone.urn };
      const isKept = gone.isKept ?? run.record(gone.urn).isReleased === true;
      return isKept ? { kind: "left_behind", ...late, isNew: !claim.from } : { kind: "leaves_late", ...late };
    }
    const isExchange = isSameBranch(gone.to, claim.from) && !isSameBranch(gone.to, branch);
    if (!isExchange && !run.claims.areOrdered(gone, claim))
      return { kind: "order", branchId, first: gone.urn, second: urn };
  }
  const owner = run.otherOwnerOf(occupant.id, urn);
  if (owner === undefined && isOwn(urn)(occupant)) {
    const { takes } = decideTakeUp({ made: [occupant], isSaid: request.takesUp });
    return takes ? undefined : { kind: "left", left: [{ record: occupant }], isNew: !claim.from };
  }
  const other = owner === undefined ? createdForOther(occupant, urn) : { urn: owner };
  if (canAdopt && !other) return undefined;
  const leftBranchId = leftBranchOf(claim, request);
  const { from } = claim;
  const isOnItsWay = claim.arrival === "move" && leftBranchId === undefined;
  const leaves = from && isOnItsWay ? { branchId: from.branchId, inTime: request.movesInPlace } : undefined;
  return { kind: "occupied", occupant, isNew: !claim.from, other, leftBranchId, leaves };
}

/**
 * Whoever leaves a branch to which another has planned to come, as a replacement since it was there: the order decides what
 * becomes of that one, unless somebody else is there for certain.
 */
function departureRefusal(run: RunRecords, request: PlaceRequest, claim: Claim): Refusal | undefined {
  const { from, urn } = claim;
  if (!from || !claim.leavesInTime || !request.movesInPlace || request.hasStaying?.(from)) return undefined;
  const claims = run.claims.on(from, urn);
  if (staysWithout(run, [claim, ...claims], request.snapshot.onBranch(from.branchId), from)) return undefined;
  for (const other of claims) {
    if (other.arrival !== "replacement" || !isMove(other) || !isSameBranch(other.to, from)) continue;
    const comesAfter = (one: Claim) => one.arrival && isSameBranch(one.to, from) && run.claims.areOrdered(one, other);
    if (run.claims.areOrdered(other, claim) || claims.some((one) => one !== other && comesAfter(one))) continue;
    return { kind: "order", branchId: from.branchId, first: urn, second: other.urn };
  }
  return undefined;
}

/** Why an endpoint cannot be replaced where it stands: its own goes first, but what was taken over is let go, and stays. */
function staysRefusal(run: RunRecords, request: PlaceRequest, claim: Claim, to: Place): Refusal | undefined {
  const { isCompared, isReleased } = run.record(request.urn);
  if (to.type !== "read_write") return undefined;
  const seen = lookAt(run, request, to);
  const own = seen.present.find(({ id }) => id === run.endpointOf(request.urn));
  if (own && isReleased) return { kind: "released", occupant: own };
  // Which one is its own, only a Diff tells; and whether that goes first without one, an option that no provider is shown.
  if (!isCompared) return undefined;
  return readWriteRefusal(run, request, claim, { ...seen, present: seen.present.filter((record) => record !== own) });
}

/** True where one of two resources that had the same place is known to have another endpoint by now. */
function haveTwo(run: RunRecords, one: Owner, other: Owner): boolean {
  const [first, second] = [run.endpointOf(one), run.endpointOf(other)];
  return first !== undefined && second !== undefined && first !== second;
}

/** True where another branch is all that changes of a place. */
function isMove({ from, to }: Pick<Claim, "from" | "to">): boolean {
  return from !== undefined && from.projectId === to?.projectId && from.type === to.type;
}

/** True for the resource's own endpoint, by its name, where it is no longer on the branch that the state says. */
function isLeftBehind(request: PlaceRequest, claim: Claim, record: EndpointRecord): boolean {
  return isOwn(request.urn)(record) && leftBranchOf(claim, request) !== undefined;
}

/** The branch that a read-write endpoint is to leave, where the platform shows that it is gone from there. */
function leftBranchOf({ from }: Claim, { snapshot }: PlaceRequest): string | undefined {
  if (from?.type !== "read_write") return undefined;
  return snapshot.onBranch(from.branchId).some(({ type }) => type === "read_write") ? undefined : from.branchId;
}

function orderOf(other: Claim, urn: Owner, { branchId }: Place): Refusal {
  return { kind: "order", branchId, first: other.urn, second: urn };
}
