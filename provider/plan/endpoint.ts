/** What becomes of one endpoint's place: a set of one, whose order with all others is somebody else's. */
import { arrange } from "./arrange";
import { type Arranged, claimOf, type Wish } from "./branch";
import type { Refusal } from "./refusal";
import type { Claim, World } from "./world";

/** What becomes of it. */
export interface EndpointPlan extends Arranged {
  claim: Claim;
  refusal?: Refusal | undefined;
}

/** Plans a resource's place, without taking note of it. One that is new or replaced has no `from`. */
export function planEndpoint(world: World, wanted: Pick<Wish, "owner" | "from" | "to" | "adopts">): EndpointPlan {
  const { owner } = wanted;
  // The second Check of a replacement shows nothing old: what was there stays known.
  const from = wanted.from ?? world.ledger.claims.of(owner)?.from;
  const known = world.ledger.known(owner);
  const isReleased = known.isReleased === true;
  const wish: Wish = {
    ...{ ...wanted, key: "", endpointId: world.ledger.endpointOf(owner), from },
    ...{ isRemoved: false, isKept: isReleased, isReleased, isProtected: false, importsUnknown: false },
  };
  const isReplaced = wanted.from === undefined && from !== undefined;
  const { members, refusals } = arrange([wish], world, { ...known, isReplaced });
  const arranged = members.get(wish.key) as Arranged;
  const { plannedAt, after } = world.turn;
  const claim = { ...claimOf(arranged), after, ...(plannedAt !== undefined && { plannedAt }) };
  return { ...arranged, claim, refusal: refusals[0]?.refusal };
}
