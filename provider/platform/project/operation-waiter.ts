/** Waits for operations: when to look at them, by how long those of their action took, and how waits end. */
import { boundSignal, type Clock, onAbort } from "../../lib/clock";
import type { Api } from "../api";
import { asOwnError, CancelledError, isTransient, type PgComputeError } from "../errors";
import type { RequestOptions } from "../http/request";
import { gapMs, gaps, shown } from "../policy";
import type { OperationRecord } from "../records";
import { type Again, until } from "../until";
import { failureOf, hasSucceeded, timeoutOf, vanishedOf } from "./outcome";
import { findOperations } from "./recent-operations";

/** Progress of a wait: the last known operation and the time waited, in milliseconds. */
export interface WaitProgress {
  operation: OperationRecord;
  elapsedMs: number;
}

/** How to wait. The deadline may end it sooner, the signal at once. */
export interface WaitOptions extends Pick<RequestOptions, "signal" | "deadlineMs"> {
  /** Bound on the wait, in milliseconds from this call. */
  timeoutMs: number;
  /** Called after every look at an operation that is still open, and after 2 s. */
  onProgress?: ((progress: WaitProgress) => void) | undefined;
}

/** How a wait ended. Without `error`, every operation ended well. */
export interface WaitResult {
  /** The last known state of all operations. A vanished operation is included: its result is unknown. */
  seen: OperationRecord[];
  error?: PgComputeError;
}

/** An operation that somebody waits for. */
interface Entry {
  operation: OperationRecord;
  sinceMs: number;
  /** How long it had been waited on when it was last seen open, in milliseconds. */
  openMs: number;
  /** Looks since it was due. */
  looks: number;
  dueAtMs: number;
  deadlineMs: number;
  onProgress: WaitOptions["onProgress"];
  finish(error?: PgComputeError): void;
}

/**
 * Waits for the operations of one project (specification, sections 2.1, 3.1, 4.1, 4.2). All callers share its polls: a
 * single operation is read by id, several from one list. The first poll comes at the expected end of an operation of
 * this kind; later pauses grow. Without callers it is idle.
 */
export class OperationWaiter {
  readonly #entries = new Set<Entry>();
  /** By action, the shortest time that an operation of this run took, in milliseconds. */
  readonly #shortest = new Map<string, number>();
  /** The earliest time of the next list, so that one list covers the ends of many operations. */
  #nextListMs = Number.NEGATIVE_INFINITY;
  /** Why the last look failed. */
  #failed: PgComputeError | undefined;
  #isRunning = false;
  /** Ends the pause or the look that is under way. */
  #stop = new AbortController();
  /** The end of that pause. */
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly api: Pick<Api, "getOperation" | "operationPages" | "platformNow">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** Waits until every operation has ended well, one has ended badly, the time is over, or the signal is aborted. */
  async wait(operations: readonly OperationRecord[], options: WaitOptions): Promise<WaitResult> {
    const sinceMs = this.clock.now();
    const { timeoutMs, onProgress } = options;
    const deadlineMs = Math.min(sinceMs + timeoutMs, options.deadlineMs ?? Number.POSITIVE_INFINITY);
    const platformMs = this.api.platformNow();
    const entries = operations.map((operation): Entry => {
      const entry: Entry = {
        operation,
        sinceMs,
        openMs: 0,
        looks: 0,
        dueAtMs: 0,
        deadlineMs,
        onProgress,
        finish: () => {},
      };
      this.#schedule(entry, sinceMs);
      return entry;
    });
    // The first bad end decides; the others stay as they were last seen.
    const failed = operations.map((one) => failureOf(one, platformMs)).find((error) => error !== undefined);
    const open = entries.filter(({ operation }) => !hasSucceeded(operation));
    const error = failed ?? (await this.#ended(open, { timeoutMs, deadlineMs, signal: options.signal }));
    return { seen: entries.map(({ operation }) => operation), ...(error && { error }) };
  }

  /** Waits for entries until one has ended badly, all of them well, or the time is over. */
  async #ended(entries: readonly Entry[], bounds: WaitOptions): Promise<PgComputeError | undefined> {
    if (entries.length === 0) return undefined;
    const open = new Set(entries);
    const bound = boundSignal(this.clock, bounds);
    const noticed = new AbortController();
    // A person asks from then on, though the first look may come later.
    const notice = () => {
      for (const { operation, sinceMs, onProgress } of open)
        onProgress?.({ operation, elapsedMs: this.clock.now() - sinceMs });
    };
    this.clock.sleep(shown.noticedMs, noticed.signal).then(notice, () => {});
    const error = await new Promise<PgComputeError | undefined>((resolve) => {
      for (const entry of entries) {
        entry.finish = (how) => {
          this.#entries.delete(entry);
          open.delete(entry);
          if (how || open.size === 0) resolve(how);
        };
      }
      const stop = () => resolve(this.#overOf(open, bounds));
      if (bound.signal.aborted) return stop();
      onAbort(bound.signal, stop);
      for (const entry of entries) this.#entries.add(entry);
      if (!this.#isRunning) void this.#run();
      // A caller whose operation is due after the next poll need not wake the waiter.
      else if (entries.some(({ dueAtMs }) => dueAtMs < this.#pausedUntilMs)) this.#stop.abort();
    });
    bound.release();
    noticed.abort("ended");
    for (const entry of open) this.#entries.delete(entry);
    if (this.#entries.size === 0) this.#stop.abort();
    return error;
  }

  #overOf(open: ReadonlySet<Entry>, { timeoutMs, signal }: WaitOptions): PgComputeError {
    const [first] = open;
    if (first === undefined || signal?.aborted) return new CancelledError();
    const { operation, openMs, deadlineMs, sinceMs } = first;
    return timeoutOf(operation, { timeoutMs, openMs, waitedMs: deadlineMs - sinceMs, failed: this.#failed });
  }

  /** Looks, and pauses until the next look, as long as somebody waits. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#failed = undefined;
    await until(
      { clock: this.clock },
      () => this.#lookWhereDue(),
      () => this.#nextLook(),
    );
  }

  async #lookWhereDue(): Promise<void> {
    this.#stop = new AbortController();
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
    const nowMs = this.clock.now();
    if (this.#entries.size === 0 || this.#nextMs() > nowMs) return;
    this.#nextListMs = nowMs + gaps.listMs;
    const due = [...this.#entries].filter((entry) => entry.dueAtMs <= nowMs);
    await this.#look(due, this.#stop.signal);
  }

  #nextLook(): Again | undefined {
    if (this.#entries.size === 0) {
      this.#isRunning = false;
      return undefined;
    }
    this.#stop = new AbortController();
    this.#pausedUntilMs = this.#nextMs();
    return { ms: this.#pausedUntilMs - this.clock.now(), wake: this.#stop.signal };
  }

  /** When something is due; several operations are looked at less often than a lone one. */
  #nextMs(): number {
    const dueMs = Math.min(...[...this.#entries].map(({ dueAtMs }) => dueAtMs));
    return this.#entries.size === 1 ? dueMs : Math.max(this.#nextListMs, dueMs);
  }

  /** One poll: of the due operations, and of others that the list shows anyway. */
  async #look(due: readonly Entry[], signal: AbortSignal): Promise<void> {
    const entries = [...this.#entries];
    const wanted = entries.map((entry) => entry.operation);
    const found = await findOperations(this.api, this.projectId, wanted, {
      due: new Set(due.map(({ operation }) => operation.id)),
      signal,
      isLook: true,
    }).catch((error: unknown) => error);
    const nowMs = this.clock.now();
    const platformMs = this.api.platformNow();
    this.#failed = found instanceof Map || signal.aborted ? undefined : asOwnError(found);
    for (const entry of due) this.#schedule(entry, nowMs);
    for (const entry of entries) {
      if (!this.#entries.has(entry)) continue;
      if (found instanceof Map) this.#note(entry, found.get(entry.operation.id), platformMs);
      // The API client has repeated what is safe to repeat; only what cannot heal by itself ends the wait.
      else if (!isTransient(found)) entry.finish(asOwnError(found));
    }
  }

  /** Schedules the next poll of an operation: at its expected end, then after growing pauses. */
  #schedule(entry: Entry, nowMs: number): void {
    const shortestMs = this.#shortest.get(entry.operation.action);
    const dueMs = entry.sinceMs + (shortestMs === undefined ? gaps.unseenMs : shortestMs + gaps.marginMs);
    const isDue = nowMs >= dueMs;
    const pauseMs = isDue ? gapMs(entry.looks) : Math.min(gaps.longestMs, dueMs - nowMs);
    if (isDue) entry.looks += 1;
    // The last poll comes shortly before the deadline, so that a finished operation is not reported as open.
    const lastMs = entry.deadlineMs - gaps.lastMs;
    entry.dueAtMs = nowMs < lastMs ? Math.min(nowMs + pauseMs, lastMs) : nowMs + pauseMs;
  }

  /** Records the result of a poll for an operation. */
  #note(entry: Entry, seen: OperationRecord | "vanished" | undefined, platformMs: number): void {
    const ageMs = this.clock.now() - entry.sinceMs;
    if (seen === undefined) return;
    if (seen === "vanished") {
      if (ageMs >= gaps.unknownMs) entry.finish(vanishedOf(entry.operation));
      return;
    }
    entry.operation = seen;
    const failure = failureOf(seen, platformMs);
    if (failure || hasSucceeded(seen)) {
      this.#learn(entry, ageMs);
      entry.finish(failure);
    } else {
      entry.openMs = ageMs;
      entry.onProgress?.({ operation: seen, elapsedMs: ageMs });
    }
  }

  /**
   * Learns an operation's duration, from the platform if it returns one. Otherwise the operation ended between two
   * polls, or before the only one.
   */
  #learn({ operation, openMs }: Entry, seenMs: number): void {
    const { action, totalDurationMs: told = 0 } = operation;
    const seen = openMs > 0 ? (openMs + seenMs) / 2 : seenMs;
    const tookMs = told > 0 ? told : seen;
    this.#shortest.set(action, Math.min(tookMs, this.#shortest.get(action) ?? Number.POSITIVE_INFINITY));
  }
}
