/**
 * What becomes of the members' places: who moves, who has to be replaced, who comes where, and what has to wait for whom. All
 * members are known at once, so that their order is the fleet's own business (specification, section 1, rules 1 to 3; sections
 * 3.2 and 4.5).
 */
import { branchKeyOf, isSameBranch, type Place } from "../endpoint/place";
import { listed, plain, quoted } from "../lib/wording";
import type { EndpointRecord } from "../platform/records";
import { order } from "./order";
import { type PlaceStep, stepsOf } from "./place-steps";
import { type FleetRefusal, keysOf } from "./refusal";

/** A member's place, before and after. */
export interface Placed {
  key: string;
  /** The id of its endpoint in the state, as `importId` takes it; absent where it has none. */
  id?: string | undefined;
  /** Where its endpoint stands; absent where it has none. */
  from?: Place | undefined;
  /** Where the program puts it; absent where it leaves the fleet, or where that is not known yet. */
  to?: Place | undefined;
  /** Where the state and the program have it while its endpoint stands elsewhere, and so stays until a refresh tells. */
  movedFrom?: Place | undefined;
  /** True where it leaves the fleet; false with no `to` means that it is not known where it goes. */
  isRemoved: boolean;
  /** True where its endpoint stays on the platform when the member lets it go. */
  isKept: boolean;
  /** True where it must not be deleted or replaced. */
  isProtected: boolean;
  /** True where it may take over what is on its branch. */
  adopts: boolean;
  /** True where it takes over an endpoint that is not known yet: it may be the one on its branch. */
  importsUnknown: boolean;
}

/** How a member comes to its place. */
export type MemberArrival = "stay" | "move" | "replace" | "create" | "adopt" | "leave" | "unknown";

/** What becomes of a member. */
export interface Arranged {
  placed: Placed;
  arrival: MemberArrival;
  /** Why it is replaced. */
  why?: string | undefined;
  /** The endpoint without an owner that it takes over. */
  occupant?: EndpointRecord;
}

/** What the platform has besides the fleet. */
export interface Surroundings {
  /** The endpoints on a branch that are no member's and that do not leave before. */
  others(place: Place): readonly EndpointRecord[];
  /** True for a branch to which somebody else's endpoint comes before. */
  isComeTo(place: Place): boolean;
  /** True for an endpoint of nobody's that may be adopted. */
  mayAdopt(record: EndpointRecord): boolean;
  movesInPlace: boolean;
}

/** The members arranged, their steps in order, and what cannot be. */
export interface Arrangement {
  members: Map<string, Arranged>;
  steps: PlaceStep[];
  refusals: FleetRefusal[];
}

/** One branch and the members that have to do with it. */
export interface Branch {
  stay: Arranged[];
  leave: Arranged[];
  come: Arranged[];
  /** Who is there, and nobody knows where it goes: it may stay. */
  unsure: Arranged[];
}

/** Arranges the members. A refused member has no steps. */
export function arrange(all: readonly Placed[], surroundings: Surroundings): Arrangement {
  const members = new Map(all.map((placed) => [placed.key, { placed, arrival: firstArrival(placed) } as Arranged]));
  const branches = new Map<string, Branch>();
  for (const member of members.values()) enter(branches, member);
  // Whoever is replaced may leave behind what it had, so that a branch stays full which was thought empty.
  for (let again = true; again; ) again = [...branches.values()].some((branch) => decideMoves(branch, surroundings));
  const refusals = [...branches.values()].flatMap((branch) => refusalsOn(branch, surroundings));
  for (;;) {
    const refused = new Set(refusals.flatMap(keysOf));
    const steps = stepsOf(
      [...members.values()].filter(({ placed }) => !refused.has(placed.key)),
      branches,
    );
    const { ordered, circles } = order(steps);
    if (circles.length === 0) return { members, steps: ordered, refusals };
    for (const circle of circles) {
      const refusal = open(circle.map(({ key }) => members.get(key) as Arranged));
      if (refusal) refusals.push(refusal);
    }
  }
}

function firstArrival({ from, to, isRemoved }: Placed): MemberArrival {
  if (isRemoved) return "leave";
  if (!to) return "unknown";
  if (!from) return "create";
  if (from.projectId !== to.projectId || from.type !== to.type) return "replace";
  return from.branchId === to.branchId ? "stay" : "move";
}

function enter(branches: Map<string, Branch>, member: Arranged): void {
  const { placed, arrival } = member;
  const at = (place: Place): Branch => {
    const key = branchKeyOf(place);
    const branch = branches.get(key) ?? { stay: [], leave: [], come: [], unsure: [] };
    branches.set(key, branch);
    return branch;
  };
  if (placed.from && arrival === "stay") at(placed.from).stay.push(member);
  else if (placed.from) at(placed.from)[arrival === "unknown" ? "unsure" : "leave"].push(member);
  if (placed.to && arrival !== "stay") at(placed.to).come.push(member);
  // Where the program puts it, nobody else is planned in its stead.
  if (placed.movedFrom) at(placed.movedFrom).stay.push(member);
}

/**
 * Moves one member in place to a branch that is empty by then, its primary if there is one; the others are replaced. Who may stay
 * counts as staying: if it leaves after all, the change itself does the milder thing.
 */
function decideMoves(branch: Branch, { others, isComeTo, movesInPlace }: Surroundings): boolean {
  const movers = branch.come.filter(({ arrival }) => arrival === "move");
  const first = movers.find(isPrimary) ?? movers[0];
  const to = first?.placed.to;
  if (!first || !to) return false;
  const isEmpty =
    others(to).length === 0 &&
    !isComeTo(to) &&
    branch.stay.length === 0 &&
    !branch.leave.some(staysBehind) &&
    !branch.come.some(comesToItsOwn);
  const unsure = isEmpty ? branch.unsure.find((one) => canStayBeside(one, first)) : undefined;
  const inPlace = isEmpty && !unsure && movesInPlace ? first : undefined;
  const replaced = movers.filter((one) => one !== inPlace);
  const why = movesInPlace
    ? `${neighbourMessage(to, unsure)}, and an endpoint moves in place only to a branch without any`
    : "the platform is configured to have no moves";
  for (const member of replaced) Object.assign(member, { arrival: "replace", why });
  return replaced.length > 0;
}

/** A primary cannot stay where another one comes: that is refused once it is known. */
function canStayBeside({ placed }: Arranged, comer: Arranged): boolean {
  return !(placed.from?.type === "read_write" && isPrimary(comer));
}

function neighbourMessage({ branchId }: Place, unsure: Arranged | undefined): string {
  if (!unsure) return `branch ${plain(branchId)} has another endpoint by then`;
  return `member ${quoted(unsure.placed.key)}, of which it is not known yet where it goes, may stay on branch ${plain(branchId)}`;
}

/** Refuses the second read-write endpoint of a branch, and replacements of what is protected. */
function refusalsOn(branch: Branch, { others, mayAdopt }: Surroundings): FleetRefusal[] {
  const refusals: FleetRefusal[] = [];
  const holder = branch.stay.find(isPrimary) ?? branch.come.find(isPrimary);
  for (const member of branch.come.filter(isPrimary)) {
    const { key, from, to, adopts, importsUnknown } = member.placed;
    const occupant = to && others(to).find(({ type }) => type === "read_write");
    const leftBehind = branch.leave.find((one) => staysBehind(one) && one.placed.from?.type === "read_write");
    if (holder && holder !== member) refusals.push(heldRefusal(key, holder.placed, to));
    else if (occupant && !from && adopts && mayAdopt(occupant)) Object.assign(member, { arrival: "adopt", occupant });
    else if (occupant && (from || !importsUnknown)) refusals.push({ kind: "occupied", key, occupant, isNew: !from });
    else if (leftBehind)
      refusals.push({ kind: "left_behind", key, other: leftBehind.placed.key, id: leftBehind.placed.id, isNew: !from });
  }
  const unwanted = branch.come.filter(({ arrival, placed }) => arrival === "replace" && placed.isProtected);
  return [
    ...refusals,
    ...unwanted.map(({ placed: { key }, why }) => ({ kind: "protected", key, change: "replaced", why }) as const),
  ];
}

/** Another member has the branch's read-write endpoint: by the program, or because it was moved there. */
function heldRefusal(key: string, holder: Placed, to: Place | undefined): FleetRefusal {
  const { key: other, movedFrom } = holder;
  if (!movedFrom || movedFrom.branchId === to?.branchId) return { kind: "declared_twice", key, other };
  return { kind: "moved_there", key, other, movedFrom: movedFrom.branchId };
}

function isPrimary({ placed }: Arranged): boolean {
  return placed.to?.type === "read_write";
}

/** One that changes its type where it is does not leave the branch empty. */
function comesToItsOwn({ placed: { from, to } }: Arranged): boolean {
  return isSameBranch(from, to);
}

/** Members that change places in a circle: one of them makes room, and is created anew at the end. */
function open(circle: readonly Arranged[]): FleetRefusal | undefined {
  const keys = circle.map(({ placed }) => placed.key);
  const mayGo = circle.filter(({ placed }) => !placed.isProtected && !placed.isKept);
  const first = mayGo.find(({ placed }) => placed.to?.type !== "read_write") ?? mayGo[0];
  if (!first) return { kind: "circle", keys };
  first.arrival = "replace";
  first.why = `members ${listed(keys)} change places, and one of them has to make room for the others`;
  return undefined;
}

/** True where the endpoint is let go, and stays where it is. */
function staysBehind({ placed, arrival }: Arranged): boolean {
  return placed.isKept && arrival !== "move";
}
