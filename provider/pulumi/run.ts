/** The memory of one run: the resources that the engine has passed so far. */
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
import type { Imported } from "./imports";
import { messageFor } from "./messages/errors";

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
}

type Unfinished = Pick<PartialError, "id" | "state" | "reasons">;

/** A read-write endpoint's step on a branch. */
interface PrimaryStep {
  owner: Owner;
  /** True for a move, which needs an empty branch. */
  isMove: boolean;
  /** Resolves when the step begins. */
  begun: Promise<void>;
  begin(): void;
  /** Set when the step begins. Resolves to true if the step succeeded. */
  ended?: Promise<boolean>;
}

/** The memory of a run: its resources and their pending steps. */
export class RunRecords extends Owners<ResourceRecord> {
  /** True once the platform was named, by the stack's configuration or a log line. */
  isPlatformSaid = false;
  /** Steps of read-write endpoints, by branch. */
  readonly #primaries = new Map<string, PrimaryStep>();

  /** Records the endpoint of a state. */
  recognize(urn: Owner, { id, state }: Pick<StoredEndpoint, "id" | "state">): void {
    this.identify(urn, parseId(id).endpointId);
    this.record(urn).stays = stayOf(state);
  }

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
      const furthest = record.unfinished ? asFarAs(record.unfinished, error) : error;
      if (furthest instanceof PartialError) record.unfinished = furthest;
      throw furthest;
    }
  }

  /** Records that a read-write endpoint will move to a branch, which must be empty until then. */
  expectMove(owner: Owner, to: Place): void {
    const key = branchKeyOf(to);
    if (this.#primaries.get(key)?.owner !== owner) this.#primaries.set(key, primaryStep(owner, true));
  }

  /**
   * Runs a read-write endpoint's step, for which replicas on its branch wait. With `waitsLong` it counts as begun only
   * when it ends; unless it was expected to move there, no replica waits for it.
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
   * Waits for the primary's step on a replica's branch: 30 s at most until it begins, then until it ends. Returns its
   * owner if it was to move there and did not; a create that fails stops no replica. Throws a `CancelledError` on abort.
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
