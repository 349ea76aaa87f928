/** The kind of refusal of an endpoint for a branch that has another owner's read-write endpoint, or nobody's. */
import { isSameBranch, type Place } from "../endpoint/identity";
import { isSole } from "../endpoint/types";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";
import type { Owners } from "./owners";
import type { Refusal } from "./refusal";
import { madeForOther } from "./take-over";

/** The refused endpoint. */
interface Comer {
  owner: Owner;
  /** True without an endpoint of its own in the state. */
  isNew: boolean;
  /** The place that it leaves, on another branch. */
  leaves?: Place | undefined;
}

/** Decides by what the run has met, then by the name of the endpoint in the way. */
export function occupiedRefusal(owners: Owners, occupant: EndpointRecord, { owner, isNew, leaves }: Comer): Refusal {
  const other = owners.otherOwnerOf(occupant.id, owner);
  if (other !== undefined) {
    const { to } = owners.record(other);
    const isExchange = leaves && isSole(to) && isSameBranch(to, leaves);
    return isExchange
      ? { kind: "exchange", occupant, other, leaves: leaves.branchId }
      : { kind: "in_the_way", occupant, other };
  }

  const maker = madeForOther(occupant, owner);
  if (maker) return { kind: isNew ? "renamed" : "made_for_another", occupant, other: maker };
  return { kind: isNew ? "of_nobody" : "unclaimed", occupant };
}
