/** Waits for operations: when to look at them, by how long those of their action took and by what the account allows, and how waits end. */
import { boundSignal, type Clock, onAbort } from "../../lib/clock";
import type { Api, RequestOptions } from "../api";
import { asOwnError, CancelledError, isTransient, type PgComputeError } from "../errors";
import type { OperationRecord } from "../records";
import { failureOf, hasSucceeded, MAX_POLL_GAP_MS, timeoutOf, vanishedOf } from "./outcome";
import { findOperations } from "./recent-operations";

/** What a caller sees while it waits: the operation as last seen and how long it has been waited on, in milliseconds. */
export interface WaitProgress {
  operation: OperationRecord;
  elapsedMs: number;
}

/** How to wait. The deadline may end it sooner, the signal at once. */
export interface WaitOptions extends Pick<RequestOptions, "signal" | "deadlineMs"> {
  /** Bound on the wait, in milliseconds from this call. */
  timeoutMs: number;
  /** Called after every look at an operation that is still open. */
  onProgress?: ((progress: WaitProgress) => void) | undefined;
}

/** How a wait ended. Without `error`, every operation ended well. */
export interface WaitResult {
  /** All operations as they were last seen; of one that has vanished too, since nobody can tell whether its change was made. */
  seen: OperationRecord[];
  error?: PgComputeError;
}

/** For so many milliseconds, a 404 for an operation that was just returned is not believed. */
const UNKNOWN_AT_FIRST_MS = 5_000;

/** An operation that somebody waits for. */
interface Entry {
  operation: OperationRecord;
  sinceMs: number;
  /** How long it had been waited on when it was last seen open, in milliseconds. */
  openMs: number;
  dueAtMs: number;
  deadlineMs: number;
  onProgress: WaitOptions["onProgress"];
  finish(error?: PgComputeError): void;
}

const LOOKS_PER_SECOND = 8;

/** How much longer the gap grows for each millisecond that an operation has taken longer than anybody could know. */
const GAP_PER_AGE = 0.15;

/** The least looks a second, where the account's limit is used up. */
const LEAST_PER_SECOND = 0.5;

/** The share of the account's limit from which on looks become fewer. */
const FREE_SHARE = 0.5;

/** While an operation may end at any moment, in milliseconds. */
const SHORT_GAP_MS = 1_000 / LOOKS_PER_SECOND;

const REMEMBERED = 32;

/** The last look is so long before the end of the wait, in milliseconds. */
const LAST_LOOK_MS = 500;

/**
 * Waits for the operations of one project (specification, sections 2.1, 3.1, 4.1, 4.2). All callers share its looks: a
 * lone operation is fetched by id, several are read from one list. It learns how long the operations of an action take and
 * looks when one is due, backs off to 5 seconds, and runs only while somebody waits.
 */
export class OperationWaiter {
  readonly #entries = new Set<Entry>();
  readonly #durations = new Durations();
  /** When the next look may be made. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** Why the last look failed. */
  #failed: PgComputeError | undefined;
  #isRunning = false;
  /** Ends the pause or the look that is under way. */
  #stop = new AbortController();
  /** The end of that pause. */
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly api: Pick<Api, "getOperation" | "operationPages" | "limitUsed" | "platformNow">,
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
      const dueAtMs = lookAtMs(sinceMs, this.#durations.gapMs(operation.action, 0), deadlineMs);
      return { operation, sinceMs, openMs: 0, dueAtMs, deadlineMs, onProgress, finish: () => {} };
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
      // Who comes later than it looks up by itself anyway need not wake it.
      else if (entries.some(({ dueAtMs }) => dueAtMs < this.#pausedUntilMs)) this.#stop.abort();
    });
    bound.release();
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

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#failed = undefined;
    while (this.#entries.size > 0) {
      this.#stop = new AbortController();
      const nowMs = this.clock.now();
      const nextMs = Math.max(this.#nextMs, Math.min(...[...this.#entries].map(({ dueAtMs }) => dueAtMs)));
      if (nextMs > nowMs) {
        this.#pausedUntilMs = nextMs;
        await this.clock.sleep(nextMs - nowMs, this.#stop.signal).catch(() => {});
        this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
      } else {
        this.#nextMs = nowMs + lookGapMs(this.api.limitUsed());
        const due = [...this.#entries].filter((entry) => entry.dueAtMs <= nowMs);
        await this.#look(due, this.#stop.signal);
      }
    }
    this.#isRunning = false;
  }

  /** One look: at the entries that are due, and at the others where the list shows them anyway. */
  async #look(due: readonly Entry[], signal: AbortSignal): Promise<void> {
    const entries = [...this.#entries];
    const wanted = entries.map((entry) => entry.operation);
    const found = await findOperations(this.api, this.projectId, wanted, {
      due: new Set(due.map(({ operation }) => operation.id)),
      signal,
      isLook: true,
    }).catch((error: unknown) => error);
    const now = this.clock.now();
    const platformMs = this.api.platformNow();
    this.#failed = found instanceof Map || signal.aborted ? undefined : asOwnError(found);
    for (const entry of entries) {
      if (!this.#entries.has(entry)) continue;
      const ageMs = now - entry.sinceMs;
      const restMs = this.#durations.gapMs(entry.operation.action, ageMs);
      if (!(found instanceof Map)) {
        entry.dueAtMs = lookAtMs(now, restMs, entry.deadlineMs);
        // The API client has repeated what is safe to repeat; only what cannot heal by itself ends the wait.
        if (!isTransient(found)) entry.finish(asOwnError(found));
        continue;
      }
      const seen = found.get(entry.operation.id) as OperationRecord | "vanished" | undefined;
      if (seen === undefined) continue;
      entry.dueAtMs = lookAtMs(now, restMs, entry.deadlineMs);
      if (seen === "vanished") {
        // What has only begun may not have reached every place where the platform looks.
        if (now - entry.sinceMs >= UNKNOWN_AT_FIRST_MS) entry.finish(vanishedOf(entry.operation));
        continue;
      }
      entry.operation = seen;
      const failure = failureOf(entry.operation, platformMs);
      if (failure || hasSucceeded(entry.operation)) {
        this.#learn(entry, ageMs);
        entry.finish(failure);
      } else {
        entry.openMs = ageMs;
        entry.onProgress?.({ operation: entry.operation, elapsedMs: ageMs });
      }
    }
  }

  /** The platform may tell how long it took; the looks know from when to when it ended. */
  #learn({ operation, openMs }: Entry, seenMs: number): void {
    const told = operation.totalDurationMs;
    const tookMs = told === undefined || told <= 0 ? (openMs + seenMs) / 2 : Math.min(seenMs, Math.max(openMs, told));
    this.#durations.add(operation.action, tookMs);
  }
}

/**
 * Milliseconds to wait before the next look at an operation of an action that nothing is known of, and that has been waited on
 * for `ageMs`. Grows with the age, so that an operation of D seconds is seen to have ended within 0.13 s + 0.15 D.
 */
export function pollGapMs(ageMs: number): number {
  return Math.min(MAX_POLL_GAP_MS, SHORT_GAP_MS + GAP_PER_AGE * ageMs);
}

/** When to look next: for the last time shortly before the deadline, so that what has ended by then is not said to be open. */
export function lookAtMs(nowMs: number, gapMs: number, deadlineMs: number): number {
  const lastMs = deadlineMs - LAST_LOOK_MS;
  return nowMs < lastMs ? Math.min(nowMs + gapMs, lastMs) : nowMs + gapMs;
}

/** How long the operations of each action took lately. */
export class Durations {
  readonly #byAction = new Map<string, number[]>();

  /** Takes note of an operation that took so many milliseconds. */
  add(action: string, ms: number): void {
    const known = this.#byAction.get(action) ?? [];
    this.#byAction.set(action, [...known.slice(1 - REMEMBERED), ms]);
  }

  /** Milliseconds to the next look after `ageMs` of waiting: when it may end, then often, and once it is late more and more seldom. */
  gapMs(action: string, ageMs: number): number {
    const known = this.#byAction.get(action);
    if (known === undefined) return pollGapMs(ageMs);
    // The fewer are known, the further the next one may be from all of them.
    const margin = 0.25 / known.length;
    const fromMs = Math.min(...known) * (1 - margin);
    const toMs = Math.max(...known) * (1 + 2 * margin);
    if (ageMs >= toMs) return pollGapMs(ageMs - toMs);
    const nextMs = Math.min(toMs, Math.max(ageMs, fromMs) + SHORT_GAP_MS);
    return Math.min(MAX_POLL_GAP_MS, Math.max(1, nextMs - ageMs));
  }
}

/** Milliseconds between two looks: several a second while the account's limit is hardly used, and few when it is nearly met. `used` is a share of the limit. */
export function lookGapMs(used: number): number {
  const share = Math.min(1, (1 - used) / (1 - FREE_SHARE));
  return 1_000 / Math.max(LEAST_PER_SECOND, LOOKS_PER_SECOND * share);
}
