/** What becomes of one endpoint's place: a set of one, whose order with all others is somebody else's. */
import type { Place } from "../endpoint/identity";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";
import { arrange } from "./arrange";
import { type Arranged, claimOf } from "./branch";
import type { Refusal } from "./refusal";
import type { Claim, World } from "./world";

interface EndpointWish {
  urn: Owner;
  /** Where its endpoint stood when the run began; absent for one that is new or replaced. */
  from?: Place | undefined;
  to?: Place | undefined;
  wantsToAdopt: boolean;
}

/** What becomes of it. */
export interface EndpointPlan {
  claim: Claim;
  refusal?: Refusal | undefined;
  adopts?: EndpointRecord | undefined;
  replacedBecause?: string | undefined;
}

/** Plans a resource's place, without taking note of it. */
export function planEndpoint(world: World, { urn, to, wantsToAdopt, ...wish }: EndpointWish): EndpointPlan {
  // The second Check of a replacement shows nothing old: what was there stays known.
  const from = wish.from ?? world.claimOf(urn)?.from;
  const known = world.known(urn);
  const isReleased = known.isReleased === true;
  const { members, refusals } = arrange(
    [
      {
        ...{ owner: urn, key: "", endpointId: world.endpointOf(urn), from, to, adopts: wantsToAdopt },
        ...{ isRemoved: false, isKept: isReleased, isReleased, isProtected: false, importsUnknown: false },
      },
    ],
    world,
    { ...known, isReplaced: wish.from === undefined && from !== undefined },
  );
  const arranged = members.get("") as Arranged;
  const { plannedAt, after } = world.turn;
  return {
    claim: { ...claimOf(arranged), after, ...(plannedAt !== undefined && { plannedAt }) },
    refusal: refusals[0]?.refusal,
    adopts: arranged.occupant,
    replacedBecause: arranged.why,
  };
}
