/** What becomes of one endpoint's place: a set of one, whose order with all others is somebody else's. */
import type { Place } from "../endpoint/identity";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";
import { arrange } from "./arrange";
import type { Refusal } from "./refusal";
import type { Claim, World } from "./world";

/** One resource's wish, as Check knows it. */
interface EndpointWish {
  urn: Owner;
  /** Where its endpoint stood when the run began; absent for one that is new or replaced. */
  from?: Place | undefined;
  /** Where the program puts it; absent while that is not known. */
  to?: Place | undefined;
  /** True where the program may take over what is there. */
  wantsToAdopt: boolean;
}

/** What becomes of it. */
export interface EndpointPlan {
  claim: Claim;
  refusal?: Refusal | undefined;
  /** The endpoint that is taken over. */
  adopts?: EndpointRecord | undefined;
  /** Why a new branch means a new endpoint. */
  replacedBecause?: string | undefined;
}

/** Plans a resource's place, without taking note of it. */
export function planEndpoint(world: World, { urn, to, wantsToAdopt, ...wish }: EndpointWish): EndpointPlan {
  // The second Check of a replacement shows nothing old: what was there stays known.
  const from = wish.from ?? world.claimOf(urn)?.from;
  const { isReleased, isCompared = false, hadOne = false } = world.known(urn);
  const { members, refusals } = arrange(
    [
      {
        ...{ owner: urn, key: "", endpointId: world.endpointOf(urn), from, to },
        ...{ isRemoved: false, isKept: isReleased === true, isReleased: isReleased === true, isProtected: false },
        ...{ adopts: wantsToAdopt, importsUnknown: false },
      },
    ],
    world,
    {
      isReplaced: wish.from === undefined && from !== undefined,
      ...{ isCompared, hadOne, isOwned: isReleased === false },
    },
  );
  const [{ change = "same", why, occupant, leavesInTime = false } = {}] = members.values();
  const { plannedAt, after } = world.turn;
  const comes = change === "create" || change === "move" || change === "replace" || change === "adopt";
  return {
    claim: {
      ...{ urn, from, to, after, leavesInTime },
      ...(plannedAt !== undefined && { plannedAt }),
      ...(comes && { arrival: change }),
      ...(occupant && { adopts: occupant.id }),
    },
    refusal: refusals[0]?.refusal,
    adopts: occupant,
    replacedBecause: why,
  };
}
