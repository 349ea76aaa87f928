/**
 * Plans the places of endpoints: which of them stay, move, are replaced, created or taken over, which has to wait for which, and what is
 * refused (specification, section 1, rules 1 to 3; sections 3.2 and 4.5). A fleet is planned as a set of members whose order it decides; a
 * single endpoint as a set of one, whose order the engine decides. Where the result would depend on an order that nobody knows, it is
 * refused: else the preview and the update could come to different results.
 */
import { notEmptyReason } from "../endpoint/diff";
import { branchKeyOf, isMove, isReadWrite, isSameBranch, type Place } from "../endpoint/identity";
import type { Owner } from "../lib/owner";
import { listed } from "../lib/wording";
import type { EndpointRecord } from "../platform/records";
import { decideTakeUp, isAdoptable, isMadeFor, madeForOther, takeUpAt, withOwners } from "./adopt";
import {
  type Arranged,
  type Branch,
  canStayBeside,
  heldRefusal,
  isFree,
  leftBehindRefusal,
  sharesInside,
  sharesOutside,
  type Wish,
} from "./branch";
import type { Change, Claim, OwnerRecord } from "./ledger";
import type { Refusal, Refused } from "./refusal";
import { order, type PlaceStep, stepsOf } from "./steps";
import type { World } from "./world";

/**
 * Arranges the members. A refused member has no steps. `alone` is what is known of a single endpoint, whose steps the engine does: it deletes
 * what is replaced at the end of the run. The second Check of a replacement shows nothing old; one by force had no Diff, and may create its new
 * endpoint before the old one goes.
 */
export function arrange(wishes: readonly Wish[], world: World, alone?: OwnerRecord) {
  return new Arranging(wishes, world, alone).run();
}

class Arranging {
  readonly #members: Map<string, Arranged>;
  readonly #branches = new Map<string, Branch>();
  readonly #refusals: Refused[] = [];
  readonly #own: ReadonlySet<string | undefined>;

  constructor(
    wishes: readonly Wish[],
    private readonly world: World,
    private readonly alone: OwnerRecord | undefined,
  ) {
    this.#own = new Set(wishes.map(({ endpointId }) => endpointId));
    const all = wishes.map((wish): Arranged => {
      return { ...wish, change: this.#firstChange(wish), leavesInTime: false, isRefused: false };
    });
    this.#members = new Map(all.map((member) => [member.key, member]));
    for (const member of all) this.#enter(member);
  }

  /** The members arranged, their steps in order, and what cannot be. */
  run() {
    const members = [...this.#members.values()];
    const branches = [...this.#branches.values()];
    for (const member of members) this.#refuse(member, this.#contestedRefusal(member));
    for (const branch of branches)
      for (const member of branch.come) this.#refuse(member, this.#placeComer(member, branch));
    // Once a member is replaced instead of moved, its old endpoint may stay on its branch (retainOnDelete), which then is not empty for the
    // next one: so this is repeated until nothing changes.
    for (let again = true; again; ) again = branches.some((branch) => this.#decideMoves(branch));
    for (const member of members) member.leavesInTime = this.#leavesInTime(member);
    for (const branch of branches) {
      for (const member of branch.come)
        this.#refuse(member, this.#moverRefusal(member, branch) ?? leftBehindRefusal(member, branch));
      for (const { owner, isProtected, change, why } of branch.come) {
        if (change === "replace" && isProtected)
          this.#refusals.push({ about: [owner], refusal: { kind: "protected", change: "replaced", why } });
      }
    }
    for (const member of members) this.#refuse(member, this.#staysRefusal(member) ?? this.#departureRefusal(member));
    return { members: this.#members, steps: this.#steps(), refusals: this.#refusals };
  }

  #firstChange({ from, to, isRemoved, isKept }: Wish): Change {
    if (isRemoved) return isKept ? "release" : "delete";
    if (!to) return "unknown";
    if (!from) return "create";
    if (from.projectId !== to.projectId || from.type !== to.type) return "replace";
    if (from.branchId === to.branchId) return "same";
    // Diff would move it, but the engine replaces it for an option such as replaceOnChanges.
    return this.alone?.isReplaced ? "replace" : "move";
  }

  #enter(member: Arranged): void {
    const { change, from, to, movedFrom } = member;
    const at = (place: Place): Branch => {
      const key = branchKeyOf(place);
      const known = this.#branches.get(key);
      if (known) return known;
      const view = this.world.view(place, (record) => this.#isOwn(member, record));
      const branch = { stay: [], leave: [], come: [], unsure: [], ...view };
      this.#branches.set(key, branch);
      return branch;
    };
    if (from && change === "same") at(from).stay.push(member);
    else if (from) at(from)[change === "unknown" ? "unsure" : "leave"].push(member);
    if (to && change !== "same") at(to).come.push(member);
    // Its endpoint was moved elsewhere, but a refresh will bring it back: no other one may be planned on its branch meanwhile.
    if (movedFrom) at(movedFrom).stay.push(member);
  }

  #isOwn(member: Arranged, record: EndpointRecord): boolean {
    if (!this.alone) return this.#own.has(record.id);
    const { owner, endpointId, isKept, change } = member;
    const isIts = record.id === endpointId;
    // The old endpoint of a replacement is in the way if it stays (it was taken over), or if it may go last (there was no Diff).
    if (change === "replace" || change === "create") return isIts && this.alone.compared !== undefined && !isKept;
    return isIts || (this.#leftBranchOf(member) !== undefined && isMadeFor(owner)(record));
  }

  /** The branch that a read-write endpoint alone is to leave, where the platform shows that it is gone from there. */
  #leftBranchOf({ from }: Wish): string | undefined {
    if (!this.alone || !isReadWrite(from)) return undefined;
    return this.world.recordsOn(from).some(isReadWrite) ? undefined : from.branchId;
  }

  #refuse(member: Arranged, refusal: Refusal | undefined): void {
    if (!refusal || member.isRefused) return;
    member.isRefused = true;
    this.#refusals.push({ about: [member.owner], refusal });
  }

  /** Two that have one endpoint, in the state already or because one is about to take it over. */
  #contestedRefusal(member: Arranged): Refusal | undefined {
    const { owner, from, to, endpointId } = member;
    const other = this.alone || endpointId === undefined ? undefined : this.world.otherOwnerOf(endpointId);
    // If the other one is only about to take the endpoint over, the order decides: that is looked at below, by the claims on the branch.
    if (other !== undefined && !(isReadWrite(from) && this.world.ledger.record(other).endpointId !== endpointId))
      return this.#sharedRefusal(member, other);
    if (!isReadWrite(from) || (member.isRemoved && member.isReleased)) return undefined;
    const { branchId } = from;
    for (const claim of this.world.claimsOn(from)) {
      // A member that leaves its fleet still claims its branch, but is no owner any more.
      const its = this.world.ledger.record(claim.urn);
      const isAnother = endpointId !== undefined && its.endpointId !== undefined && endpointId !== its.endpointId;
      const isOwner = its.isDeclared && !isAnother;
      if (isOwner && isReadWrite(claim.from) && isSameBranch(claim.from, from)) {
        return { kind: "two_owners", branchId, urns: [claim.urn, owner] };
      }
      // Only who takes over a read-write endpoint takes this one: a fleet may take over a replica.
      if (claim.arrival !== "adopt" || !isReadWrite(claim.to) || !isSameBranch(claim.to, from)) continue;
      return isSameBranch(from, to)
        ? { kind: "two_owners", branchId, urns: [claim.urn, owner] }
        : { kind: "order", branchId, first: owner, second: claim.urn };
    }
    return undefined;
  }

  /**
   * A fleet deletes in its update, so a member that leaves is let go only where the other one comes first in every run. In a preview the plugin
   * answers a takeover late, so what comes after one waits for it; another step is answered at once, and may come first by chance.
   */
  #sharedRefusal({ owner, from, endpointId = "", isRemoved, isReleased }: Wish, other: Owner): Refusal | undefined {
    const branchId = from?.branchId ?? "";
    const claim = this.world.ledger.record(other).claim;
    // If the other one is replaced, it has another endpoint by then.
    const isInOrder = claim !== undefined && claim.arrival !== "replace" && this.world.isDeclaredBefore(claim);
    const isTakenBefore = claim?.arrival === "adopt" && this.world.isBefore(claim);
    if (isRemoved && (isReleased || isInOrder || isTakenBefore)) return undefined;
    if (isRemoved && claim?.arrival === "adopt") return { kind: "order", branchId, first: other, second: owner };
    return { kind: "two_owners", branchId, endpointId, urns: [other, owner] };
  }

  /** Places one that comes to a branch, or says what speaks against it, as far as that does not depend on whether it moves in place. */
  #placeComer(member: Arranged, branch: Branch): Refusal | undefined {
    const { to, change } = member;
    if (!to) return undefined;
    const holder = isReadWrite(to) ? [...branch.stay, ...branch.come].find(comesToWrite) : undefined;
    if (holder && holder !== member) return heldRefusal(holder, to);
    if (isReadWrite(to)) return this.#placePrimary(member, branch, to);
    return this.alone && change !== "move" ? this.#placeReplica(member, to) : undefined;
  }

  /** A read replica alone comes to any branch; where what an interrupted run left there is to be taken up, it is the newest. */
  #placeReplica(member: Arranged, to: Place): Refusal | undefined {
    const { takes, left } = takeUpAt(this.world, to);
    if (takes) takeOver(member, takes);
    // Without adoptInterrupted a leftover replica is only named in a warning: a second one beside it does no harm.
    const isRefused = this.world.takesUp && left.length > 0;
    return isRefused ? { kind: "left", left: withOwners(this.world, left), isNew: !member.from } : undefined;
  }

  /** Has a read-write endpoint take over what is on a branch, where it may; else why it cannot come, undefined where it can. */
  #placePrimary(member: Arranged, { claims, present }: Branch, to: Place): Refusal | undefined {
    const { owner, from, adopts, change } = member;
    const { branchId } = to;
    const isNew = !from;
    const rival = claims.find((other) => isReadWrite(other.to) && isSameBranch(other.to, to));
    if (rival) return { kind: "declared_twice", branchId, first: rival.urn };
    const occupant = present.find(isReadWrite);
    if (!occupant) return undefined;
    // A resource that had the read-write endpoint of the branch leaves it, or changes its type.
    const gone = claims.find((other) => isReadWrite(other.from) && isSameBranch(other.from, to));
    const goneId = gone && this.world.ledger.record(gone.urn).endpointId;
    // If its endpoint is another than the occupant, it is not the one in the way.
    if (gone && (goneId === undefined || goneId === occupant.id)) {
      if (gone.leavesInTime) {
        const isExchange = isSameBranch(gone.to, from) && !isSameBranch(gone.to, to);
        if (!isExchange && !this.world.isBefore(gone))
          return { kind: "order", branchId, first: gone.urn, second: owner };
      } else if (!(gone.isKept === true && !gone.to && adopts && isNew)) {
        // A member that its fleet lets go costs no request: who adopts it may come before or after.
        const late = { branchId, occupant, other: gone.urn };
        const isLeftBehind = gone.isKept ?? this.world.ledger.record(gone.urn).isReleased === true;
        return isLeftBehind ? { kind: "left_behind", ...late, isNew } : { kind: "leaves_late", ...late };
      }
    }
    const its = this.world.otherOwnerOf(occupant.id);
    const mayTake = change === "create" || change === "replace";
    // For members of a fleet this was decided before (fleet/prepare.ts).
    if (this.alone && its === undefined && isMadeFor(owner)(occupant)) {
      const { takes } = decideTakeUp(this.world, [occupant]);
      if (takes && mayTake) takeOver(member, takes);
      return takes ? undefined : { kind: "left", left: [{ record: occupant }], isNew };
    }
    if (adopts && isNew && isAdoptable(this.world, occupant)) {
      takeOver(member, occupant);
      return undefined;
    }
    if (member.importsUnknown && isNew && its === undefined) return undefined;
    const leftBranchId = this.#leftBranchOf(member);
    const leaves =
      this.alone && from && change === "move" && leftBranchId === undefined
        ? { branchId: from.branchId, inTime: this.world.noMoves === undefined }
        : undefined;
    const other = its === undefined ? madeForOther(occupant, owner) : { urn: its };
    return { kind: "occupied", occupant, isNew, other, leftBranchId, leaves };
  }

  /**
   * Moves one member in place to a branch that is empty by then, its primary if there is one; the others are replaced. One of which it is
   * not known where it goes counts as staying: should it leave after all, the other one moves in place instead, which disrupts less.
   */
  #decideMoves(branch: Branch): boolean {
    const movers = branch.come.filter(({ change, isRefused }) => change === "move" && !isRefused);
    const first = movers.find(comesToWrite) ?? movers[0];
    const to = first?.to;
    if (!first || !to) return false;
    const isShared = sharesOutside(branch) || sharesInside(branch);
    const unsure = isShared ? undefined : branch.unsure.find((one) => canStayBeside(one, first));
    const isPossible = this.world.noMoves === undefined || (this.#isThere(first, to) && isFree(branch));
    const inPlace = isShared || unsure || !isPossible ? undefined : first;
    const replaced = movers.filter((one) => one !== inPlace);
    const why = isPossible || isShared ? notEmptyReason(to.branchId, unsure?.key) : this.world.noMoves;
    for (const member of replaced) Object.assign(member, { change: "replace", why });
    return replaced.length > 0;
  }

  /** True where an interrupted run has moved it to its branch already. */
  #isThere(member: Arranged, to: Place): boolean {
    return this.alone !== undefined && this.world.recordsOn(to).some((record) => this.#isOwn(member, record));
  }

  /** On an empty branch it moves in place, else it is replaced: so the order of whoever comes or leaves has to be known. */
  #moverRefusal(member: Arranged, branch: Branch): Refusal | undefined {
    const { owner, to, change } = member;
    if (!to) return undefined;
    const isPlaced = change === "move" && this.#isThere(member, to) && isFree(branch);
    const mover = branch.claims.find(
      (one) => one.arrival === "move" && isSameBranch(one.to, to) && !this.world.isBefore(one),
    );
    const other = change === "move" ? branch.unordered : mover;
    if (isPlaced || !other || sharesOutside(branch)) return undefined;
    const [first, second] = change === "move" ? [other.urn, owner] : [owner, other.urn];
    return { kind: "order", branchId: to.branchId, first, second };
  }

  #leavesInTime({ from, to, isKept, change }: Arranged): boolean {
    if (change === "move") return true;
    if (!this.alone) return !isKept && (change === "delete" || change === "replace");
    // A change of type deletes the old endpoint first, unless that was taken over; any other replacement deletes it at the end of the run.
    const changesType = isReadWrite(from) && from.projectId === to?.projectId && !isReadWrite(to);
    return changesType && this.alone.isReleased === false;
  }

  /** Why an endpoint cannot be replaced on its own branch: the old one is deleted first, unless it was taken over and so stays. */
  #staysRefusal(member: Arranged): Refusal | undefined {
    const { to, endpointId, isKept } = member;
    if (!this.alone?.isReplaced || member.change !== "same" || !isReadWrite(to)) return undefined;
    const own = this.world.recordsOn(to).find(({ id }) => id === endpointId);
    if (own && isKept) return { kind: "released", occupant: own };
    // Without a Diff it is not known which endpoint is its own, nor whether deleteBeforeReplace is set: then nothing is refused here.
    const branch = this.#branches.get(branchKeyOf(to));
    return this.alone.compared && branch ? this.#placePrimary(member, branch, to) : undefined;
  }

  /** `b` replaces its endpoint on the branch that `a` leaves; if `a` left first, `b` would move there. Without an order `a` is refused. */
  #departureRefusal({ owner, from, leavesInTime }: Arranged): Refusal | undefined {
    if (!from || !leavesInTime || this.world.noMoves !== undefined) return undefined;
    const claims = this.world.claimsOn(from);
    const comers = claims.filter((one) => one.arrival === "replace" && isMove(one) && isSameBranch(one.to, from));
    if (comers.length === 0) return undefined;
    const there = [...this.#members.values()].filter((one) => isSameBranch(one.from, from));
    if (!there.every((one) => one.leavesInTime)) return undefined;
    const others = claims.filter((one) => one.leavesInTime && isSameBranch(one.from, from));
    if (this.world.staysWithout([...there.map((one) => ({ urn: one.owner, from })), ...others], from)) return undefined;
    const arrivals = claims.filter((one) => one.arrival !== undefined && isSameBranch(one.to, from));
    const isFirst = (comer: Claim) => !arrivals.some((one) => one !== comer && this.world.ledger.isBefore(one, comer));
    const comer = comers.find((one) => isFirst(one) && !this.world.isBefore(one));
    return comer && { kind: "order", branchId: from.branchId, first: owner, second: comer.urn };
  }

  #steps(): PlaceStep[] {
    if (this.alone) return [];
    for (;;) {
      const members = [...this.#members.values()].filter(({ isRefused }) => !isRefused);
      const { ordered, circles } = order(stepsOf(members, this.#branches));
      if (circles.length === 0) return ordered;
      for (const steps of circles) {
        const circle = steps.map(({ key }) => this.#members.get(key) as Arranged);
        if (makeRoom(circle)) continue;
        for (const member of circle) member.isRefused = true;
        const keys = circle.map(({ key }) => key);
        this.#refusals.push({ about: circle.map(({ owner }) => owner), refusal: { kind: "circle", keys } });
      }
    }
  }
}

/** True for one that is to be the read-write endpoint of its branch. */
function comesToWrite({ to }: Arranged): boolean {
  return isReadWrite(to);
}

function takeOver(member: Arranged, occupant: EndpointRecord): void {
  Object.assign(member, { change: "adopt", occupant });
}

/** `a` goes from branch 1 to 2 and `b` from 2 to 1: one makes room, and is created anew at the end. False where none can. */
function makeRoom(circle: readonly Arranged[]): boolean {
  const mayGo = circle.filter(({ isProtected, isKept }) => !isProtected && !isKept);
  const first = mayGo.find((member) => !comesToWrite(member)) ?? mayGo[0];
  if (!first) return false;
  first.change = "replace";
  first.why = `members ${listed(circle.map(({ key }) => key))} change places, and one of them has to make room for the others`;
  return true;
}
