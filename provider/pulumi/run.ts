/** What one run of the engine has shown of its resources, and when it asks for no more plans. A new one for each run. */
import { branchKeyOf, isReadWrite, type Place, parseId } from "../endpoint/identity";
import type { CheckedInputs } from "../endpoint/parse-inputs";
import { bookkeepingOf } from "../endpoint/state";
import type { StoredEndpoint } from "../endpoint/stored";
import type { Clock } from "../lib/clock";
import type { Owner } from "../lib/owner";
import type { Maybe } from "../lib/unknown";
import { type Claim, Claims, type Known, type Ledger } from "../plan/world";
import { asOwnError, CancelledError, PartialError } from "../platform/errors";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import { messageFor } from "./messages/errors";

/** How long no Check and no Diff has to come, in milliseconds; the engine sends those that wait for nothing within less. */
export const QUIET_MS = 50;

/** The longest that it may be on a busy machine, where the engine needs longer as well. */
export const MAX_QUIET_MS = 300;

/** It grows by so many times what a wait here has ended late. */
const LATE_COUNTS = 8;

/** So late, in milliseconds, any wait may end. */
const USUALLY_LATE_MS = 2;

/** How far the run has come with a resource, or with a member of a fleet: what the last Check was shown of it. */
export type Phase =
  /** No Check has met it. */
  | { kind: "unmet" }
  /** Nothing that it had before: it is new, or replaced by force without a word. */
  | { kind: "new"; inputs: Partial<CheckedInputs> }
  /** What it had before. */
  | { kind: "there"; inputs: Partial<CheckedInputs> }
  /** Nothing any more, after a Check that was shown it: it is replaced, and gives up what it has. */
  | { kind: "replaced"; inputs: Partial<CheckedInputs> }
  /** Its replacement is being created: from now on it has that one. */
  | { kind: "recreated"; inputs: Partial<CheckedInputs> }
  /** A fleet, and how many of its members may go at a time. */
  | { kind: "fleet"; maxDeletions: Maybe<number> }
  /** A member that the program has. */
  | { kind: "member"; isProtected: boolean }
  /** A member that it no longer has. While the fleet is still to delete the endpoint, nobody else can have it. */
  | { kind: "leaving"; isDeleted: boolean };

/** What is known of one resource, or of a member of a fleet. */
export interface ResourceRecord {
  readonly urn: Owner;
  phase: Phase;
  /** The endpoint behind it, once Diff, Read, Create or Update has shown it. */
  endpointId?: string;
  /** When its endpoint was taken over, by the state that it has now. */
  takenOverAt?: number | undefined;
  /** True where its endpoint was taken over: a replacement lets it go, and it stays where it is. Absent until a state has shown it. */
  isReleased?: boolean;
  /** The endpoint that this run has let go of, which stays where it is. */
  releasedId?: string;
  /** What Diff has announced for a plan: a change in place, or not. Absent for a replacement by force, which comes without. */
  compared?: { inPlace: boolean };
  /** True from a refresh's Read to the Diff that follows it, which plans nothing; of a fleet to the next Check. */
  isRefreshed?: boolean;
  /** Refuses what its Check has left open; absent where that left nothing open. */
  refuseLate?: (() => Promise<void>) | undefined;
  /** How far its create or update got in this run, where that failed. The engine may repeat it within the run. */
  unfinished?: Unfinished | undefined;
}

type Unfinished = Pick<PartialError, "id" | "state" | "reasons">;

/** The records of one run, and what its resources claim. */
export class RunRecords implements Ledger {
  readonly claims = new Claims();
  readonly planning = new PlanningCalls();
  /** Whether a preview has said which platform it is for: once is enough. */
  isPlatformSaid = false;
  /** By branch, the step that is under way for its read-write endpoint. */
  readonly #primaries = new Map<string, Promise<void>>();
  readonly #records = new Map<Owner, ResourceRecord>();
  /** By endpoint, the fleet that it was last seen in. */
  readonly #fleets = new Map<string, string>();
  /** By endpoint, the resources that have it. More than one is refused. */
  readonly #owners = new Map<string, Set<Owner>>();

  record(urn: Owner): ResourceRecord {
    let record = this.#records.get(urn);
    if (!record) {
      record = { urn, phase: { kind: "unmet" } };
      this.#records.set(urn, record);
    }
    return record;
  }

  /** Refuses what its Check has left open, before anything of it is done; once that has passed, it is decided. */
  async refuseLate(urn: Owner): Promise<void> {
    const record = this.record(urn);
    await record.refuseLate?.();
    record.refuseLate = undefined;
  }

  identify(urn: Owner, endpointId: string): void {
    const record = this.record(urn);
    if (record.endpointId !== undefined) this.#owners.get(record.endpointId)?.delete(urn);
    record.endpointId = endpointId;
    this.#owners.set(endpointId, (this.#owners.get(endpointId) ?? new Set()).add(urn));
  }

  recognize(urn: Owner, { id, state }: StoredEndpoint): void {
    this.identify(urn, parseId(id).endpointId);
    const { takenOverAt, adopted } = bookkeepingOf(state);
    Object.assign(this.record(urn), { takenOverAt, isReleased: adopted === true });
  }

  /** True for the delete of a state whose endpoint the resource has taken over since, by a replacement by force. */
  hasTakenOver(urn: Owner, { id, state }: StoredEndpoint): boolean {
    const { phase, endpointId, takenOverAt } = this.record(urn);
    if (!isDeclaredIn(phase) || endpointId !== parseId(id).endpointId) return false;
    return takenOverAt !== undefined && takenOverAt !== bookkeepingOf(state).takenOverAt;
  }

  endpointOf(urn: Owner): string | undefined {
    return this.#records.get(urn)?.endpointId;
  }

  /** Another resource that has this endpoint, and that the program declares or a fleet's update deletes. */
  otherOwnerOf(endpointId: string, urn: Owner): Owner | undefined {
    return this.ownersOf(endpointId).find((owner) => owner !== urn);
  }

  known(urn: Owner): Known {
    const { phase, isReleased, compared } = this.#records.get(urn) ?? {};
    if (!phase) return {};
    return { isDeclared: isDeclaredIn(phase), hadOne: hadOne(phase), isCompared: compared !== undefined, isReleased };
  }

  /** Takes note of the fleet, by its id, that has an endpoint in its state or has taken it up. The last one counts. */
  seeInFleet(fleetId: string, endpointId: string): void {
    this.#fleets.set(endpointId, fleetId);
  }

  fleetOf(endpointId: string): string | undefined {
    return this.#fleets.get(endpointId);
  }

  /** Who has an endpoint by the program, or is to take it over; of those that leave only a fleet that will delete it. */
  ownersOf(endpointId: string): Owner[] {
    const declared = this.#met(endpointId).filter((urn) => {
      const { phase } = this.record(urn);
      return isDeclaredIn(phase) || (phase.kind === "leaving" && phase.isDeleted);
    });
    return [...new Set([...declared, ...this.claims.takersOf(endpointId)])];
  }

  /** True where this run has met a resource that has this endpoint. */
  hasOwner(endpointId: string): boolean {
    return this.#met(endpointId).length > 0;
  }

  /** True where a resource that has this endpoint has been checked; a refresh has shown every endpoint before. */
  isPlanned(endpointId: string): boolean {
    return this.#met(endpointId).some((urn) => this.claims.of(urn) !== undefined);
  }

  #met(endpointId: string): Owner[] {
    return [...(this.#owners.get(endpointId) ?? [])];
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

/** True for what the program declares. */
function isDeclaredIn({ kind }: Phase): boolean {
  return kind !== "unmet" && kind !== "leaving";
}

/** True for a resource that a Check was shown with what it had before. */
function hadOne({ kind }: Phase): boolean {
  return kind === "there" || kind === "replaced" || kind === "recreated";
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

/** True where one that was not checked yet may become something else if this step is answered first: then the answer waits. */
export function mayContend(
  { arrival, to, leavesInTime }: Claim,
  snapshot: EndpointSnapshot,
  isPlanned: (endpointId: string) => boolean,
): boolean {
  if (leavesInTime) return true;
  // An endpoint that is taken over is on the branch before and after.
  if (arrival === undefined || arrival === "adopt") return false;
  if (arrival !== "create") return true;
  // A new endpoint matters only to one that may still move to its branch; two read-write endpoints are refused in any order.
  return snapshot.all().some(({ id, branchId, type }) => {
    const mayCome = branchId !== to?.branchId && !(isReadWrite(to) && isReadWrite({ type }));
    return mayCome && !isPlanned(id);
  });
}
