/** What one run of the engine has shown of its resources, and when it asks for no more plans. A new one for each run. */
import { branchKeyOf, isReadWrite, type Place, parseId } from "../endpoint/identity";
import type { CheckedInputs } from "../endpoint/parse-inputs";
import { bookkeepingOf } from "../endpoint/state";
import type { StoredEndpoint } from "../endpoint/stored";
import type { Clock } from "../lib/clock";
import type { Owner } from "../lib/owner";
import type { Maybe } from "../lib/unknown";
import { Ledger, type OwnerRecord } from "../plan/ledger";
import { asOwnError, CancelledError, PartialError } from "../platform/errors";
import { messageFor } from "./messages/errors";

/** How long no Check and no Diff has to come, in milliseconds; the engine sends those that wait for nothing within less. */
export const QUIET_MS = 50;

/** The longest that it may be on a busy machine, where the engine needs longer as well. */
export const MAX_QUIET_MS = 300;

/** It grows by so many times what a wait here has ended late. */
const LATE_COUNTS = 8;

/** So late, in milliseconds, any wait may end. */
const USUALLY_LATE_MS = 2;

/** What is known of one resource, or of a member of a fleet. */
export interface ResourceRecord extends OwnerRecord {
  /** Of an endpoint, those of the last Check. */
  inputs?: CheckedInputs;
  /** Of a fleet, how many of its members may go at a time. */
  maxDeletions?: Maybe<number>;
  /** Of a member, as the program says now. */
  isProtected?: boolean;
  /** When its endpoint was taken over, by the state that it has now. */
  takenOverAt?: number | undefined;
  /** The endpoint that this run has let go of, which stays where it is. */
  releasedId?: string;
  /** True from a refresh's Read to the Diff that follows it, which plans nothing; of a fleet to the next Check. */
  isRefreshed?: boolean;
  /** Refuses what its Check has left open; absent where that left nothing open. */
  refuseLate?: (() => Promise<void>) | undefined;
  /** How far its create or update got in this run, where that failed. The engine may repeat it within the run. */
  unfinished?: Unfinished | undefined;
}

type Unfinished = Pick<PartialError, "id" | "state" | "reasons">;

/** What one run knows of its resources, and what is under way. */
export class RunRecords extends Ledger<ResourceRecord> {
  readonly planning = new PlanningCalls();
  /** Whether a preview has said which platform it is for: once is enough. */
  isPlatformSaid = false;
  /** By endpoint, the id of the fleet that it was last seen in, or taken up by. */
  readonly fleets = new Map<string, string>();
  /** By branch, the step that is under way for its read-write endpoint. */
  readonly #primaries = new Map<string, Promise<void>>();

  /** Refuses what its Check has left open, before anything of it is done; once that has passed, it is decided. */
  async refuseLate(urn: Owner): Promise<void> {
    const record = this.record(urn);
    await record.refuseLate?.();
    record.refuseLate = undefined;
  }

  recognize(urn: Owner, { id, state }: StoredEndpoint): void {
    this.identify(urn, parseId(id).endpointId);
    const { takenOverAt, adopted } = bookkeepingOf(state);
    Object.assign(this.record(urn), { takenOverAt, isReleased: adopted === true });
  }

  /** True for the delete of a state whose endpoint the resource has taken over since, by a replacement by force. */
  hasTakenOver(urn: Owner, { id, state }: StoredEndpoint): boolean {
    const { isDeclared, endpointId, takenOverAt } = this.record(urn);
    if (!isDeclared || endpointId !== parseId(id).endpointId) return false;
    return takenOverAt !== undefined && takenOverAt !== bookkeepingOf(state).takenOverAt;
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

  /** A replica's step waits for those of read-write endpoints under way at its branch; nobody waits for one that may wait long (`waits`). */
  async inTurn<T>(place: Place, work: () => Promise<T>, { waits = false } = {}): Promise<T> {
    if (waits) return work();
    const key = branchKeyOf(place);
    if (!isReadWrite(place)) {
      await this.#primaries.get(key);
      return work();
    }
    const step = work();
    const ended = step.then(
      () => {},
      () => {},
    );
    this.#primaries.set(key, ended);
    return step.finally(() => {
      if (this.#primaries.get(key) === ended) this.#primaries.delete(key);
    });
  }
}

function asFarAs({ id, state, reasons }: Unfinished, error: unknown): PartialError {
  if (error instanceof PartialError) return error;
  const cause = asOwnError(error);
  return new PartialError(id, state, cause, reasons && [messageFor(cause)]);
}

/** The Checks and Diffs of one run, which the engine asks for one after the other. */
export class PlanningCalls {
  #open = 0;
  #endedMs = Number.NEGATIVE_INFINITY;

  async during<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await work();
    } finally {
      this.#open -= 1;
      this.#endedMs = clock.now();
    }
  }

  /** Resolves once none has been under way for a moment; throws a `CancelledError` as soon as the signal is aborted. */
  async quiet(clock: Clock, signal: AbortSignal): Promise<void> {
    let quietMs = QUIET_MS;
    for (;;) {
      const nowMs = clock.now();
      const leftMs = this.#open > 0 ? quietMs : this.#endedMs + quietMs - nowMs;
      if (leftMs <= 0) return;
      await clock.sleep(leftMs, signal).catch((error: unknown) => {
        throw signal.aborted ? new CancelledError() : error;
      });
      const lateMs = clock.now() - nowMs - leftMs - USUALLY_LATE_MS;
      quietMs = Math.min(MAX_QUIET_MS, Math.max(quietMs, QUIET_MS + LATE_COUNTS * lateMs));
    }
  }
}
