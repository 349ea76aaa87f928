/** Waits for operations: when to poll, from the durations of earlier ones, and how waits end. */
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

/** Bounds of a wait. The deadline may end it sooner, the signal at once. */
export interface WaitOptions extends Pick<RequestOptions, "signal" | "deadlineMs"> {
  /** Bound on the wait, in milliseconds from this call. */
  timeoutMs: number;
  /** Called after each poll of an open operation, and after 2 s. */
  onProgress?: ((progress: WaitProgress) => void) | undefined;
}

/** The end of a wait. Without `error`, every operation succeeded. */
export interface WaitResult {
  /** The last state of all operations, including a vanished one, whose result is unknown. */
  seen: OperationRecord[];
  error?: PgComputeError;
}

/** An awaited operation. */
interface Entry {
  operation: OperationRecord;
  sinceMs: number;
  /** Duration of the wait when the operation was last seen open, in milliseconds. */
  openMs: number;
  /** Polls since the operation was due. */
  looks: number;
  dueAtMs: number;
  deadlineMs: number;
  onProgress: WaitOptions["onProgress"];
  finish(error?: PgComputeError): void;
}

/**
 * Waits for a project's operations (specification, sections 2.1, 3.1, 4.1, 4.2). All callers share its polls, the first
 * at the expected end.
 */
export class OperationWaiter {
  readonly #entries = new Set<Entry>();
  /** By action, the shortest duration seen in this run, in milliseconds. */
  readonly #shortest = new Map<string, number>();
  /** Earliest time of the next list; each list shows the ends of many operations. */
  #nextListMs = Number.NEGATIVE_INFINITY;
  /** The last poll's failure. */
  #failed: PgComputeError | undefined;
  #isRunning = false;
  /** Ends the current pause or poll. */
  #stop = new AbortController();
  /** The end of the current pause. */
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly api: Pick<Api, "getOperation" | "operationPages" | "platformNow">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** Waits until every operation has succeeded, one has failed, the time is over, or the signal aborts. */
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

    // The first failure decides; the others stay as last seen.
    const failed = operations.map((one) => failureOf(one, platformMs)).find((error) => error !== undefined);
    const open = entries.filter(({ operation }) => !hasSucceeded(operation));
    const error = failed ?? (await this.#ended(open, { timeoutMs, deadlineMs, signal: options.signal }));
    return { seen: entries.map(({ operation }) => operation), ...(error && { error }) };
  }

  /** Waits for entries until all succeed, one fails, or the time is over. */
  async #ended(entries: readonly Entry[], bounds: WaitOptions): Promise<PgComputeError | undefined> {
    if (entries.length === 0) return undefined;
    const open = new Set(entries);
    const bound = boundSignal(this.clock, bounds);
    const noticed = new AbortController();

    // A person asks after this time, even if the first poll comes later.
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
      // Only an operation due before the next poll wakes the waiter.
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

  /** Polls and pauses while callers wait. */
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

  /** Milliseconds until the next poll. Several operations are polled less often than a single one. */
  #nextMs(): number {
    const dueMs = Math.min(...[...this.#entries].map(({ dueAtMs }) => dueAtMs));
    return this.#entries.size === 1 ? dueMs : Math.max(this.#nextListMs, dueMs);
  }

  /** Polls the due operations; others are updated if the list shows them. */
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
      // The client has repeated what is safe to repeat; only a lasting failure ends the wait.
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
    // Shortly before the deadline, to catch a finished operation.
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

  /** Learns an operation's duration: the platform's, else from the polls between which it ended. */
  #learn({ operation, openMs }: Entry, seenMs: number): void {
    const { action, totalDurationMs: told = 0 } = operation;
    const seen = openMs > 0 ? (openMs + seenMs) / 2 : seenMs;
    const tookMs = told > 0 ? told : seen;
    this.#shortest.set(action, Math.min(tookMs, this.#shortest.get(action) ?? Number.POSITIVE_INFINITY));
  }
}
