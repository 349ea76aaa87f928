/** What a fleet's verbs work with. It belongs to no host, so that anything can call them. */
import type { Context } from "../endpoint/context";
import type { Owner } from "../lib/owner";
import type { World, WorldParts } from "../plan/world";

/** One call about a fleet: what the fleet's own lines and bounds are, and what its host knows of the world around it. */
export interface FleetContext extends Context {
  /** The context of one member: its own place for lines, everything else as the fleet's. */
  member(key: string): Context;
  /** A member as an owner. */
  ownerOf(key: string): Owner;
  /** The world as the fleet sees it, with the endpoints of these projects. */
  world(lists?: WorldParts["lists"]): World;
}
