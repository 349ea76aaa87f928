/** How the kinds of a resource differ: how a state is read and written, and where a difference or a failure is shown. */
import type { Applied } from "../fleet/apply";
import type { FleetPlan } from "../fleet/plan";
import type { PreparedPlan } from "../fleet/prepare";
import type { StoredMembers } from "../fleet/state";
import type { Owner } from "../lib/owner";
import type { Values } from "../lib/unknown";
import type { PgComputeError } from "../platform/errors";
import type { LifecycleContext, PulumiFleetContext } from "./call";
import type { WantedSet } from "./fleet/plan";
import type { Imported, Unfinished } from "./run";
import type { Difference } from "./wanted";

/** What the engine keeps of a resource. */
export interface Stored {
  id: string;
  state: Values;
}

/** A resource to read: without a state to import it. */
export interface ReadStored extends Stored {
  inputs: Values;
}

/** What a read has found; of an import also each endpoint. */
export interface Found extends ReadStored {
  imported?: readonly Imported[];
}

/** The endpoints of a resource in the state. */
export interface There {
  id: string;
  members: StoredMembers;
}

/** A set to bring about, and what is there of it. */
export interface Change {
  /** Undefined while the program's members are unknown. */
  set: WantedSet | undefined;
  there?: There | undefined;
}

/** A plan that was applied to what was there. */
export interface Outcome {
  id: string | undefined;
  before: StoredMembers;
  plan: FleetPlan;
  applied: Applied;
}

/** An endpoint that a delete leaves to another owner. */
export interface Spared {
  key: string;
  state: Values;
  owner: Owner;
}

/** How the kinds differ: how a state is read and written, and where a difference or a failure is shown. */
export interface Border {
  contextOf(call: LifecycleContext): PulumiFleetContext;
  decode(state: Values, id: string, call: LifecycleContext): StoredMembers;
  encode(id: string | undefined, members: StoredMembers, plan: PreparedPlan): Stored;
  /** The id of a new set; none where its endpoint has one. */
  newId(): string | undefined;
  /** True if a create can go on with what an earlier try of this run has made. */
  resumes(context: PulumiFleetContext, unfinished: Unfinished, set: WantedSet): Promise<boolean>;
  /** The difference where the engine is to make the resource anew. */
  anew(context: PulumiFleetContext, there: There): Promise<Difference | undefined>;
  /** Shows a plan, and returns it as the engine's difference. */
  planned(context: PulumiFleetContext, plan: PreparedPlan): Difference;
  /** Shows a comparison that plans nothing. No plan: the program's members are unknown. */
  compared(context: PulumiFleetContext, plan: FleetPlan | undefined, isRefresh: boolean): Difference;
  /** Reads what the state has, or what an import names. Undefined if it is gone. */
  find(context: PulumiFleetContext, request: ReadStored): Promise<Found | undefined>;
  tellTakeovers(context: PulumiFleetContext, plan: PreparedPlan): void;
  tellDone(context: PulumiFleetContext, outcome: Outcome): void;
  /** The error of a create or an update that failed. */
  failure(context: PulumiFleetContext, outcome: Outcome, stored: Stored): PgComputeError;
  /** Looks whether the new place is free before the delete of a replacement. Throws `refused` otherwise. */
  checkRoom(context: PulumiFleetContext, there: There): Promise<void>;
  tellSpared(context: PulumiFleetContext, spared: readonly Spared[]): void;
  /** The error of a delete that failed, with how to leave the endpoints where they are. */
  leftOver(context: PulumiFleetContext, outcome: Outcome): PgComputeError;
}
