/**
 * Decides the places of endpoints (specification, section 1, rules 1 to 3; sections 3.2 and 4.5) from one list of the
 * platform and the program's declarations. A fleet's members are one set, whose order the fleet decides; a single
 * endpoint is a set of one. No decision relies on changes of resources outside the set.
 */
import { branchKeyOf, idOf, isSameBranch, type Place } from "../endpoint/identity";
import { ownerNameIn } from "../endpoint/ownership-name";
import { isSole } from "../endpoint/types";
import type { EndpointRecord } from "../platform/records";
import type { Ground } from "./ground";
import { occupiedRefusal } from "./occupied";
import type { Refusal, Refused } from "./refusal";
import { order, type PlaceStep, stepsOf } from "./steps";
import { isMadeFor } from "./take-over";
import { comes, goes, type Placed, staysBehind, type Wish } from "./wish";

/** The decision on a set: the outcome by key, the ordered steps, and the refusals. A refused endpoint has no step. */
export interface Places {
  members: Map<string, Placed>;
  steps: PlaceStep[];
  refusals: Refused[];
}

/** Decides the places of a set. */
export function decidePlaces(wishes: readonly Wish[], ground: Ground): Places {
  const all = wishes.map((wish): Placed => ({ ...wish, at: placeNow(wish, ground), isRefused: false }));
  const set: SetOfWishes = {
    ground,
    byEndpoint: new Map(all.flatMap((one) => (one.endpointId === undefined ? [] : [[one.endpointId, one] as const]))),
    declared: declaredOn(all),
  };
  const refusals: Refused[] = [];

  for (const one of all) {
    const { refusal, occupant } = verdictOn(one, set);
    if (occupant) Object.assign(one, { occupant, change: one.change === "create" ? "adopt" : one.change });
    if (!refusal) continue;

    one.isRefused = true;
    refusals.push({ about: [one.owner], refusal });
  }

  const { steps, circles } = stepsWithoutCircles(all);
  return { members: new Map(all.map((one) => [one.key, one])), steps, refusals: [...refusals, ...circles] };
}

/** The decision on one endpoint: its refusal, or the endpoint that it adopts. Empty if nothing is in its way. */
interface Verdict {
  refusal?: Refusal | undefined;
  occupant?: EndpointRecord | undefined;
}

/** The input for the decision on one endpoint of a set. */
interface SetOfWishes {
  ground: Ground;
  byEndpoint: ReadonlyMap<string, Placed>;
  /**
   * By branch, the wish that declares its read-write endpoint first. An endpoint already there precedes one that comes.
   */
  declared: ReadonlyMap<string, Declared>;
}

/** An owner, and the place that the program gives it. */
type Declared = Pick<Wish, "owner" | "to">;

function placeNow({ from, endpointId }: Wish, ground: Ground): Place | undefined {
  const shown = from && endpointId !== undefined ? ground.find(from.projectId, endpointId) : undefined;
  if (!shown) return from;
  const { projectId, branchId, type } = shown;
  return { projectId, branchId, type };
}

function declaredOn(all: readonly Placed[]): Map<string, Declared> {
  const isThere = (one: Placed) => !comes(one) || one.change === "adopt";
  return firstOn([...all.filter(isThere), ...all.filter((one) => !isThere(one))]);
}

/** By branch, the first that the program gives its read-write place. */
function firstOn(all: readonly Declared[]): Map<string, Declared> {
  const declared = new Map<string, Declared>();
  for (const one of all) {
    if (!isSole(one.to)) continue;
    const key = branchKeyOf(one.to);
    if (!declared.has(key)) declared.set(key, one);
  }
  return declared;
}

/**
 * The refusal of an endpoint with two owners, or of adopting another owner's endpoint. A retained endpoint may have
 * another owner.
 */
function ownershipRefusal(one: Placed, { ground }: SetOfWishes): Refusal | undefined {
  const { endpointId, from, at, change } = one;
  if (endpointId === undefined || !from || change === "release") return undefined;
  const first = ground.earlierOwnerOf(endpointId);
  if (first === undefined) return undefined;
  const other = ground.owners.record(first);
  // A takeover that has begun is not taken off the program any more.
  const takes = other.takes === endpointId && other.endpointId !== endpointId;
  const { branchId } = at ?? from;
  return { kind: takes ? "taken" : "two_owners", branchId, id: `${from.projectId}/${endpointId}`, first };
}

function verdictOn(one: Placed, set: SetOfWishes): Verdict {
  const refusal = ownershipRefusal(one, set) ?? declaredTwiceRefusal(one, set);
  if (refusal) return { refusal };

  const verdict = one.to && comes(one) ? verdictOnArrival(one, one.to, set) : {};
  return verdict.refusal ? verdict : { ...verdict, refusal: protectedRefusal(one) };
}

/** The refusal of a read-write endpoint for a branch that the program gives to another one. */
function declaredTwiceRefusal(
  one: Declared,
  { ground, declared }: Pick<SetOfWishes, "ground" | "declared">,
): Refusal | undefined {
  const { to } = one;
  if (!isSole(to)) return undefined;
  const twin = declared.get(branchKeyOf(to));
  const first = twin && twin !== one ? twin.owner : ground.otherAt(to);
  return first === undefined ? undefined : { kind: "declared_twice", branchId: to.branchId, first };
}

/** The refusals of read-write places that the program gives twice, for a program that cannot be planned. */
export function declaredTwice(all: readonly Declared[], ground: Ground): Refused[] {
  const declared = firstOn(all);
  return all.flatMap((one) => {
    const refusal = declaredTwiceRefusal(one, { ground, declared });
    return refusal ? [{ about: [one.owner], refusal }] : [];
  });
}

/** The verdict on an endpoint that comes to a branch. Any number of replicas may come. */
function verdictOnArrival(one: Placed, to: Place, set: SetOfWishes): Verdict {
  if (!isSole(to)) return { occupant: one.change === "adopt" ? one.takes : undefined };

  const there = set.ground.recordsOn(to);
  const occupant = there.find(isSole);
  const verdict = occupant ? verdictOnOccupied(one, to, occupant, set) : {};
  return verdict.refusal ? verdict : { ...verdict, refusal: notEmptyRefusal(one, to, there, set) };
}

/** The verdict on an endpoint that comes to an occupied branch. Empty if the occupant is its own, or leaves first. */
function verdictOnOccupied(one: Placed, to: Place, occupant: EndpointRecord, set: SetOfWishes): Verdict {
  const isNew = one.change === "create";
  const its = set.byEndpoint.get(occupant.id);
  if (its && its !== one) return { refusal: memberRefusal(its, to, occupant, isNew) };
  if (its && one.change !== "adopt") {
    return one.stays && goes(one) ? { refusal: { kind: "released", occupant } } : {};
  }

  // What nobody in this run has, a setting may take.
  if (set.ground.otherOwnerOf(occupant.id) === undefined) {
    if (one.takes?.id === occupant.id) return { occupant };
    if (isNew && one.importsUnknown) return {};
    // A move takes up nothing.
    const mayTakeUp = one.change !== "move" && isMadeFor(one.owner)(occupant);
    if (mayTakeUp) return { refusal: { kind: "left", left: [occupant] } };
    if (isNew && one.adopts && ownerNameIn(occupant) === undefined) return { occupant };
  }

  const leaves = one.from && goes(one) && !isSameBranch(one.from, to) ? one.from : undefined;
  return { refusal: occupiedRefusal(set.ground.owners, occupant, { owner: one.owner, isNew, leaves }) };
}

/** The refusal if another member has the branch's endpoint and leaves it there; undefined if that member goes first. */
function memberRefusal(its: Placed, to: Place, occupant: EndpointRecord, isNew: boolean): Refusal | undefined {
  const { branchId } = to;
  if (!goes(its)) return { kind: "moved_there", other: its.owner, movedFrom: its.to?.branchId ?? branchId };
  if (!staysBehind(its)) return undefined;
  const what = { branchId, other: its.owner };
  return isNew ? { kind: "left_for_importing", ...what, id: idOf(occupant) } : { kind: "left_behind", ...what };
}

/** The refusal of a move to a branch where any endpoint stays. */
function notEmptyRefusal(
  one: Placed,
  to: Place,
  there: readonly EndpointRecord[],
  { ground, byEndpoint }: SetOfWishes,
): Refusal | undefined {
  if (one.change !== "move" || !one.at || !ground.rules.needsEmptyBranch) return undefined;
  const left = there.filter(({ id }) => {
    const its = byEndpoint.get(id);
    return !(its && goes(its) && !staysBehind(its));
  });
  if (left.length === 0) return undefined;
  return { kind: "not_empty", branchId: to.branchId, from: one.at.branchId, there: left };
}

function protectedRefusal({ isProtected, change, why }: Placed): Refusal | undefined {
  if (!isProtected) return undefined;
  if (change === "replace") return { kind: "replace_protected", why };
  return change === "delete" || change === "release" ? { kind: "delete_protected" } : undefined;
}

/** Orders the steps. Members that wait for each other are refused, one refusal per circle. */
function stepsWithoutCircles(all: readonly Placed[]): { steps: PlaceStep[]; circles: Refused[] } {
  const byKey = new Map(all.map((one) => [one.key, one]));
  const refused: Refused[] = [];
  for (;;) {
    const left = all.filter(({ isRefused }) => !isRefused);
    const { ordered, circles } = order(stepsOf(left));
    if (circles.length === 0) return { steps: ordered, circles: refused };

    for (const steps of circles) {
      const circle = steps.flatMap(({ key }) => byKey.get(key) ?? []);
      for (const one of circle) one.isRefused = true;
      refused.push({ about: circle.map(({ owner }) => owner), refusal: { kind: "circle" } });
    }
  }
}
