/** The facts that decide places: the platform's lists, the run's memory and the configuration. */
import type { BranchPlace, Place } from "../endpoint/identity";
import type { Owner } from "../lib/owner";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { EndpointRecord } from "../platform/records";
import type { Owners } from "./owners";

/** The platform's endpoints, by project. */
export type Lists = ReadonlyMap<string, EndpointSnapshot>;

/** The configured rules for places. */
export interface PlaceRules {
  /** `adoptInterrupted`: an owner adopts its orphans. */
  takesUp: boolean;
  /** True if a move needs a branch without any endpoint; else one without a read-write endpoint is enough. */
  needsEmptyBranch: boolean;
}

/** The facts for one decision; `urn` is the resource or fleet to place. */
export class Ground {
  constructor(
    readonly urn: Owner,
    readonly owners: Owners,
    readonly rules: PlaceRules,
    readonly lists: Lists = new Map(),
  ) {}

  /** The endpoints on a branch. */
  recordsOn({ projectId, branchId }: BranchPlace): EndpointRecord[] {
    return this.lists.get(projectId)?.onBranch(branchId) ?? [];
  }

  /** The endpoint, if the lists have it. */
  find(projectId: string, endpointId: string): EndpointRecord | undefined {
    return this.lists.get(projectId)?.find(endpointId);
  }

  /** Another resource of the run that has or claims the endpoint. */
  otherOwnerOf(endpointId: string): Owner | undefined {
    return this.owners.otherOwnerOf(endpointId, this.urn);
  }

  /** The same, if it was met before this one: of two, the second is refused. */
  earlierOwnerOf(endpointId: string): Owner | undefined {
    return this.owners.earlierOwnerOf(endpointId, this.urn);
  }

  /** Another resource of the run, met before, that declares the read-write endpoint of this place's branch. */
  otherAt(place: Place): Owner | undefined {
    return this.owners.otherAt(place, this.urn);
  }
}
