/** The facts that places are decided from: the platform's lists, the memory of the run and the configuration. */
import type { BranchPlace, Place } from "../endpoint/identity";
import type { Owner } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { Owners } from "./owners";

/** The platform's endpoints, by project. */
export type Lists = ReadonlyMap<string, EndpointSnapshot>;

/** The configured rules for places. */
export interface PlaceRules {
  /** `adoptInterrupted`: an owner takes up what bears its own name and nobody has. */
  takesUp: boolean;
  /** A move needs a branch without any endpoint, not only one without a read-write endpoint. */
  needsEmptyBranch: boolean;
}

/** The ground of one decision: `urn` is the resource, or the fleet, that asks. */
export class Ground {
  constructor(
    readonly urn: Owner,
    readonly owners: Owners,
    readonly rules: PlaceRules,
    readonly lists: Lists = new Map(),
  ) {}

  /** The endpoints that the platform shows on a branch. */
  recordsOn({ projectId, branchId }: BranchPlace): EndpointRecord[] {
    return this.lists.get(projectId)?.onBranch(branchId) ?? [];
  }

  /** An endpoint, as far as the platform shows it. */
  find(projectId: string, endpointId: string): EndpointRecord | undefined {
    return this.lists.get(projectId)?.find(endpointId);
  }

  /** Another resource of the run that has an endpoint, or is to take it over. */
  otherOwnerOf(endpointId: string): Owner | undefined {
    return this.owners.otherOwnerOf(endpointId, this.urn);
  }

  /** Another resource of the run whose read-write endpoint the program puts on the branch of this place. */
  otherAt(place: Place): Owner | undefined {
    return this.owners.otherAt(place, this.urn);
  }
}
