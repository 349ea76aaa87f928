/** One branch in a plan: which members stay, leave and come, and what others do there. */
import { formatId, isReadWrite, isSameBranch, type Place } from "../endpoint/identity";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";
import type { Change, Claim } from "./ledger";
import type { Refusal } from "./refusal";
import type { BranchView } from "./world";

/** What the program wants of one endpoint's place, and where that is now. */
export interface Wish {
  owner: Owner;
  key: string;
  /** The id of its endpoint; absent where it has none, or where that is not known. */
  endpointId?: string | undefined;
  from?: Place | undefined;
  /** Where the program puts it; absent where it goes, or where that is not known yet. */
  to?: Place | undefined;
  /** Set where its endpoint stands on another branch than both the state and the program say: it is left there until a refresh records it. */
  movedFrom?: Place | undefined;
  /** True where the program no longer has it. False without a `to`: its branch is not known yet. */
  isRemoved?: boolean;
  /** True where its endpoint is not deleted when it goes: released, or another one's by now. */
  isKept: boolean;
  /** True where that is because it was taken over (adoptExisting), or has retainOnDelete. */
  isReleased: boolean;
  isProtected?: boolean;
  /** True where it may take over what is on its branch. */
  adopts: boolean;
  /** True where its importId is not known yet: that may be the endpoint on its branch. */
  importsUnknown?: boolean;
}

/** What becomes of a place. */
export interface Arranged extends Wish {
  change: Change;
  why?: string | undefined;
  occupant?: EndpointRecord;
  /** True where its old branch is free for another in the same run: it moves in place, or is deleted before the other comes. */
  leavesInTime: boolean;
  isRefused: boolean;
}

/** One branch, and the members that have to do with it. */
export interface Branch extends BranchView {
  stay: Arranged[];
  leave: Arranged[];
  come: Arranged[];
  /** Members that are there, and whose new branch is not known yet: they may stay. */
  unsure: Arranged[];
}

/** What others see of it. */
export function claimOf({ owner, from, to, movedFrom, change, occupant, leavesInTime }: Arranged): Claim {
  const comes = change === "create" || change === "move" || change === "replace" || change === "adopt";
  return {
    ...{ urn: owner, from: movedFrom ?? from, to: movedFrom ?? to, leavesInTime },
    ...(comes && { arrival: change }),
    ...(occupant && { adopts: occupant.id }),
  };
}

/** Another member has the branch's read-write endpoint: by the program, or because it was moved there. */
export function heldRefusal({ owner, movedFrom }: Wish, { branchId }: Place): Refusal {
  if (!movedFrom || movedFrom.branchId === branchId) return { kind: "declared_twice", branchId, first: owner };
  return { kind: "moved_there", other: owner, movedFrom: movedFrom.branchId };
}

/** A member of the same fleet lets its endpoint go, which stays where this one comes to. */
export function leftBehindRefusal(member: Arranged, { leave, present }: Branch): Refusal | undefined {
  const { from, to } = member;
  if (!to || !isReadWrite(to) || present.some(isReadWrite)) return undefined;
  const other = leave.find((one) => one !== member && staysBehind(one) && isReadWrite(one.from));
  if (!other?.from) return undefined;
  const { projectId } = other.from;
  const id = other.endpointId && formatId({ projectId, endpointId: other.endpointId });
  return { kind: "left_behind", branchId: to.branchId, id, other: other.owner, isNew: !from };
}

/** True where endpoints of others are on a branch for certain. */
export function sharesOutside({ arrivals, present, leaving }: Branch): boolean {
  return arrivals.length > 0 || present.some(({ id }) => !leaving.has(id));
}

/** True where members of the same plan are there. One that changes its type on its branch counts, since it does not leave it. */
export function sharesInside({ stay, leave, come }: Branch): boolean {
  return stay.length > 0 || leave.some(staysBehind) || come.some(({ from, to }) => isSameBranch(from, to));
}

/** True where nobody else is on a branch, nor comes. */
export function isFree({ present, arrivals }: Branch): boolean {
  return present.length === 0 && arrivals.length === 0;
}

/** False for two read-write endpoints: should the one stay, the other is refused then. */
export function canStayBeside({ from }: Arranged, comer: Arranged): boolean {
  return !(isReadWrite(from) && isReadWrite(comer.to));
}

function staysBehind({ isKept, change }: Arranged): boolean {
  return isKept && change !== "move";
}
