/** The memory of one run: what the engine has shown of its resources. */
import { branchKeyOf, type Place, parseId } from "../endpoint/identity";
import type { CheckedInputs } from "../endpoint/parse-inputs";
import type { StoredEndpoint } from "../endpoint/stored";
import { boundSignal, type Clock } from "../lib/clock";
import type { Owner } from "../lib/owner";
import type { Maybe } from "../lib/unknown";
import { type OwnerRecord, Owners } from "../places/owners";
import { stayOf } from "../places/wish";
import { asOwnError, CancelledError, PartialError } from "../platform/errors";
import type { RequestOptions } from "../platform/http/request";
import { primary as policy } from "../platform/policy";
import { untilAborted } from "../platform/project/shared";
import { noticed } from "../platform/until";
import { messageFor } from "./messages/errors";

/** The run's knowledge of a resource, or of a member of a fleet. */
export interface ResourceRecord extends OwnerRecord {
  /** Of an endpoint, those of the last Check. */
  inputs?: CheckedInputs;
  /** The endpoint's place in the state, from Check's old inputs. */
  from?: Place | undefined;
  /** Of a fleet, how many of its members may go at a time. */
  maxDeletions?: Maybe<number>;
  /** Of a member, as the program says now. */
  isProtected?: boolean;
  /** The announcement of Diff: a change in place, or not. Absent for a replacement by force, which has no Diff. */
  compared?: { inPlace: boolean } | undefined;
  /** The endpoint that this run has let go of, which stays where it is. */
  releasedId?: string;
  /** The progress of a create or update that failed in this run. The engine may retry it within the run. */
  unfinished?: Unfinished | undefined;
}

type Unfinished = Pick<PartialError, "id" | "state" | "reasons">;

/** The step of a read-write endpoint on a branch. */
interface PrimaryStep {
  owner: Owner;
  /** It moves there, for which the branch has to be empty. */
  isMove: boolean;
  /** Ends when the step has begun. */
  begun: Promise<void>;
  begin(): void;
  /** Set when the step begins. Resolves to true if the step succeeded. */
  ended?: Promise<boolean>;
}

/** The memory of a run: its resources and their pending steps. */
export class RunRecords extends Owners<ResourceRecord> {
  /** True once the platform was named: by the stack's configuration, or by a line of this run. */
  isPlatformSaid = false;
  /** By endpoint, the id of the fleet that it was last seen in, or taken up by. */
  readonly fleets = new Map<string, string>();
  /** By branch. */
  readonly #primaries = new Map<string, PrimaryStep>();

  /** Notes which endpoint a state has. */
  recognize(urn: Owner, { id, state }: Pick<StoredEndpoint, "id" | "state">): void {
    this.identify(urn, parseId(id).endpointId);
    this.record(urn).stays = stayOf(state);
  }

  /** The checked owner for whom a delete spares an endpoint: who has it, or was to take it, and is not about to be replaced. */
  keeperOf(endpointId: string): Owner | undefined {
    return this.ownersOf(endpointId).find((owner) => {
      const { phase, takes } = this.record(owner);
      return phase === "kept" || takes === endpointId;
    });
  }

  /** Runs a create or an update. The engine keeps only the last error, so a repeat that fails earlier tells how far the first try got. */
  async remember<T extends { id: string }>(urn: Owner, work: () => Promise<T>): Promise<T> {
    const record = this.record(urn);
    try {
      const stored = await work();
      record.unfinished = undefined;
      return stored;
    } catch (error) {
      const furthest = record.unfinished ? asFarAs(record.unfinished, error) : error;
      if (furthest instanceof PartialError) record.unfinished = furthest;
      throw furthest;
    }
  }

  /** Notes that a read-write endpoint will move to a branch, which has to be empty until then. */
  expectMove(owner: Owner, to: Place): void {
    const key = branchKeyOf(to);
    if (this.#primaries.get(key)?.owner !== owner) this.#primaries.set(key, primaryStep(owner, true));
  }

  /**
   * Runs a step of a read-write endpoint, for which the steps of replicas on its branch wait. One that waits for an idle moment (`waitsLong`)
   * counts as begun only when it ends.
   */
  async asPrimary<T>(owner: Owner, to: Place, work: () => Promise<T>, waitsLong = false): Promise<T> {
    const key = branchKeyOf(to);
    const known = this.#primaries.get(key);
    const primary = known?.owner === owner ? known : primaryStep(owner, false);
    if (primary !== known && waitsLong) return work();
    this.#primaries.set(key, primary);
    const step = work();
    primary.ended = step.then(
      () => true,
      () => false,
    );
    if (!waitsLong) primary.begin();
    const isThere = await primary.ended;
    primary.begin();
    if ((isThere || !primary.isMove) && this.#primaries.get(key) === primary) this.#primaries.delete(key);
    return step;
  }

  /**
   * Waits for the read-write endpoint of a replica's branch. Gives its owner where it was to move there and did not come: its step failed, or
   * did not begin in time. Throws a `CancelledError` as soon as the signal is aborted.
   */
  async awaitPrimary(
    to: Place,
    { clock, signal, onWait }: { clock: Clock } & Pick<RequestOptions, "onWait"> & Record<"signal", AbortSignal>,
  ): Promise<Owner | undefined> {
    const primary = this.#primaries.get(branchKeyOf(to));
    if (!primary) return undefined;

    const bound = boundSignal(clock, { signal, deadlineMs: clock.now() + policy.waitMs });
    const begins = untilAborted(primary.begun, bound.signal).finally(() => bound.release());
    const ends = begins.then(
      () => primary.ended,
      () => false,
    );
    const what = `the read-write endpoint of branch ${to.branchId}`;
    const isThere = await noticed(clock, ends, what, onWait);
    if (signal.aborted) throw new CancelledError();
    return isThere || !primary.isMove ? undefined : primary.owner;
  }
}

function primaryStep(owner: Owner, isMove: boolean): PrimaryStep {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { owner, isMove, begun, begin };
}

function asFarAs({ id, state, reasons }: Unfinished, error: unknown): PartialError {
  if (error instanceof PartialError) return error;
  const cause = asOwnError(error);
  return new PartialError(id, state, cause, reasons && [messageFor(cause)]);
}
