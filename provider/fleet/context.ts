/** What a fleet's verbs work with. It belongs to no host, so that anything can call them. */
import type { Context } from "../endpoint/context";
import type { MadeFor } from "../endpoint/ownership-name";
import type { EndpointRecord } from "../platform/records";

/** One call about a fleet: what the fleet's own lines and bounds are, and what its host knows of the world around it. */
export interface FleetContext extends Context {
  /** The context of one member: its own place for lines, everything else as the fleet's. */
  member(key: string): Context;
  /** Whom a member's endpoints are made for. */
  madeFor(key: string): MadeFor;
  /** The id of a member's endpoint, where the host has been shown it in this run. */
  endpointOf(key: string): string | undefined;
  /** Who else has an endpoint by what the host has seen, by a name for people; undefined where nobody has. */
  otherOwnerOf(endpointId: string): string | undefined;
  /** True for an endpoint that is somebody else's before this fleet's turn, whatever the run's order. */
  isTakenBefore(endpointId: string): boolean;
  /** True for an endpoint that is somebody else's and leaves its branch before this fleet's turn. */
  leavesBefore(record: EndpointRecord): boolean;
  /** True for a branch to which somebody else's endpoint comes before this fleet's turn. */
  isComeTo(branch: { projectId: string; branchId: string }): boolean;
}
