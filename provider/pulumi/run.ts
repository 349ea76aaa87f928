/** The memory of one run: the resources that the engine has passed so far. */
import type { Place } from "../endpoint/identity";
import type { CheckedInputs } from "../endpoint/parse-inputs";
import type { EndpointState } from "../endpoint/state";
import type { Owner } from "../lib/owner";
import type { Maybe } from "../lib/unknown";
import { type OwnerRecord, Owners } from "../places/owners";
import { asOwnError, PartialError } from "../platform/errors";
import { Arrivals } from "./arrivals";
import { messageFor } from "./messages/errors";

/** An endpoint that a Read without a state found; `what` is its name in messages. */
export interface Imported {
  what: string;
  owner: Owner;
  state: EndpointState;
}

/** The run's record of a resource or a fleet's member. */
export interface ResourceRecord extends OwnerRecord {
  /** An endpoint's inputs from the last Check. */
  inputs?: CheckedInputs;
  /** The endpoint's place in the state, from Check's old inputs. */
  from?: Place | undefined;
  /** A fleet's maximum of deleted members at a time. */
  maxDeletions?: Maybe<number>;
  /** A member's `protect` in the program. */
  isProtected?: boolean;
  /** Diff's decision: in place or not. Absent for a forced replacement, which has no Diff. */
  compared?: { inPlace: boolean } | undefined;
  /** What a Read without a state found: an import's, until its Check. */
  imported?: readonly Imported[] | undefined;
  /** The endpoint that this run released and left in place. */
  releasedId?: string;
  /** The progress of a create or update that failed in this run. An onError hook may retry it. */
  unfinished?: Unfinished | undefined;
  /** True for a create or update that an onError hook repeats. */
  isRepeated?: boolean;
}

/** How far a create or an update came that failed. */
export type Unfinished = Pick<PartialError, "id" | "state" | "reasons">;

/** The memory of a run: its resources, and the order of their steps on a branch. */
export class RunRecords extends Owners<ResourceRecord> {
  /** True once the platform was named, by the stack's configuration or a log line. */
  isPlatformSaid = false;
  /** The read-write endpoints that come to branches, for which replicas wait. */
  readonly arrivals = new Arrivals();

  /**
   * The owner for whom a delete spares an endpoint: one that holds or claims it, was checked, and is not being
   * replaced.
   */
  keeperOf(endpointId: string): Owner | undefined {
    return this.ownersOf(endpointId).find((owner) => {
      const { phase, takes } = this.record(owner);
      return phase === "kept" || takes === endpointId;
    });
  }

  /**
   * Runs a create or an update and keeps its progress: if a retry fails earlier, its error still has the first
   * attempt's.
   */
  async remember<T extends { id: string }>(urn: Owner, work: () => Promise<T>): Promise<T> {
    const record = this.record(urn);
    try {
      const stored = await work();
      record.unfinished = undefined;
      return stored;
    } catch (error) {
      record.isRepeated = true;
      const furthest = record.unfinished ? asFarAs(record.unfinished, error) : error;
      if (furthest instanceof PartialError) record.unfinished = furthest;
      throw furthest;
    }
  }
}

function asFarAs({ id, state, reasons }: Unfinished, error: unknown): PartialError {
  if (error instanceof PartialError) return error;
  const cause = asOwnError(error);
  return new PartialError(id, state, cause, reasons && [messageFor(cause)]);
}
