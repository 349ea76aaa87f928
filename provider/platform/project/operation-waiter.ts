/** Waits for operations: when to look at them, by how long those of their action took and by what the account allows, and how waits end. */
import { type Clock, onAbort } from "../../lib/clock";
import type { Api } from "../api";
import { asOwnError, CancelledError, isTransient, type PgComputeError } from "../errors";
import type { OperationRecord } from "../records";
import { failureOf, hasSucceeded, MAX_POLL_GAP_MS, platformNow, timeoutOf, vanishedOf } from "./outcome";
import { findOperations } from "./recent-operations";

/** What a caller sees while it waits: the operation as last seen and how long it has been waited on, in milliseconds. */
export interface WaitProgress {
  operation: OperationRecord;
  elapsedMs: number;
}

/** How to wait. */
export interface WaitOptions {
  /** Bound on the wait, in milliseconds from this call. */
  timeoutMs: number;
  /** The moment of the clock, in milliseconds, that ends it sooner. */
  deadlineMs?: number | undefined;
  /** Ends the wait at once. */
  signal?: AbortSignal | undefined;
  /** Told all operations as they were last seen, when the wait is over. */
  onEnded?: ((operations: readonly OperationRecord[]) => void) | undefined;
  /** Called after every look at an operation that is still open. */
  onProgress?: ((progress: WaitProgress) => void) | undefined;
}

/** How a wait ended. Without `error`, every operation ended well. */
export interface WaitResult {
  /** Operations that must be looked at again by a later run: still open, ended badly, or vanished. */
  kept: OperationRecord[];
  error?: PgComputeError;
}

/** For so many milliseconds, a 404 for an operation that was just returned is not believed. */
const UNKNOWN_AT_FIRST_MS = 5_000;

interface Entry {
  operation: OperationRecord;
  sinceMs: number;
  /** How long it had been waited on when it was last seen open, in milliseconds. */
  openMs: number;
  dueAtMs: number;
  deadlineMs: number;
  timeoutMs: number;
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

/** One look may take many requests; the next does not wait for more than these, so that it comes before those who wait have timed out. */
const MAX_DEBT = 16;

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
  readonly #budget: LookBudget;
  readonly #durations = new Durations();
  /** Why the last look failed. */
  #failed: PgComputeError | undefined;
  #running = false;
  #wake: AbortController | undefined;
  #asleepUntilMs = 0;

  constructor(
    private readonly api: Pick<Api, "getOperation" | "listOperations" | "limitUsed" | "platformTime">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {
    this.#budget = new LookBudget(clock, () => api.limitUsed());
  }

  /** Waits until every operation has ended well, one has ended badly, the time is over, or the signal is aborted. */
  async wait(operations: readonly OperationRecord[], options: WaitOptions): Promise<WaitResult> {
    const sinceMs = this.clock.now();
    const { timeoutMs, onProgress } = options;
    const deadlineMs = Math.min(sinceMs + timeoutMs, options.deadlineMs ?? Number.POSITIVE_INFINITY);
    const platformMs = platformNow(this.api, this.clock);
    const entries = operations.map((operation): Entry => {
      const dueAtMs = lookAtMs(sinceMs, this.#durations.gapMs(operation.action, 0), deadlineMs);
      return { operation, sinceMs, openMs: 0, dueAtMs, deadlineMs, timeoutMs, onProgress, finish: () => {} };
    });
    // The first bad end decides; the others are kept as they were last seen.
    const failed = operations.map((one) => failureOf(one, platformMs)).find((error) => error !== undefined);
    const open = entries.filter(({ operation }) => !hasSucceeded(operation));
    const error = failed ?? (await this.#ended(open, options.signal));
    const seen = entries.map(({ operation }) => operation);
    options.onEnded?.(seen);
    // One that has vanished is kept, too: nobody can tell whether its change was made.
    const kept = seen.filter((one) => !hasSucceeded(one));
    return error ? { kept, error } : { kept };
  }

  /** Waits for entries until one has ended badly, or all of them well. */
  async #ended(entries: readonly Entry[], signal: AbortSignal | undefined): Promise<PgComputeError | undefined> {
    if (entries.length === 0) return undefined;
    let release = () => {};
    const leave = () => {
      for (const entry of entries) this.#entries.delete(entry);
    };
    const error = await new Promise<PgComputeError | undefined>((resolve) => {
      let open = entries.length;
      for (const entry of entries) {
        entry.finish = (how) => {
          this.#entries.delete(entry);
          open -= 1;
          if (how || open === 0) resolve(how);
        };
      }
      const stop = () => {
        leave();
        resolve(new CancelledError());
        this.#wake?.abort("woken");
      };
      if (signal?.aborted) return stop();
      release = onAbort(signal, stop);
      for (const entry of entries) this.#entries.add(entry);
      this.#start(earliest(entries, ({ dueAtMs, deadlineMs }) => Math.min(dueAtMs, deadlineMs)));
    });
    release();
    leave();
    return error;
  }

  #start(neededMs: number): void {
    if (this.#running) {
      // Who comes later than it looks up by itself anyway need not wake it.
      if (neededMs < this.#asleepUntilMs) this.#wake?.abort("woken");
    } else if (this.#entries.size > 0) {
      this.#running = true;
      this.#failed = undefined;
      void this.#run().finally(() => {
        this.#running = false;
        this.#start(0);
      });
    }
  }

  async #run(): Promise<void> {
    while (this.#entries.size > 0) {
      await this.#pause();
      this.#expire();
      const now = this.clock.now();
      if (this.#nextLookMs() > now) continue;
      await this.#lookInTime([...this.#entries].filter((entry) => entry.dueAtMs <= now));
    }
  }

  /** Sleeps until the next look or deadline, or until somebody starts or stops waiting. */
  async #pause(): Promise<void> {
    const firstDeadlineMs = earliest(this.#entries, ({ deadlineMs }) => deadlineMs);
    const ms = Math.min(this.#nextLookMs(), firstDeadlineMs) - this.clock.now();
    if (ms > 0) await this.#sleep(ms);
  }

  #nextLookMs(): number {
    return Math.max(
      this.#budget.nextMs(),
      earliest(this.#entries, ({ dueAtMs }) => dueAtMs),
    );
  }

  async #sleep(ms: number): Promise<void> {
    this.#wake = new AbortController();
    this.#asleepUntilMs = this.clock.now() + ms;
    await this.clock.sleep(ms, this.#wake.signal).catch(() => {});
    this.#wake = undefined;
  }

  #expire(): void {
    const now = this.clock.now();
    for (const entry of [...this.#entries]) {
      if (entry.deadlineMs > now) continue;
      const waitedMs = entry.deadlineMs - entry.sinceMs;
      entry.finish(timeoutOf(entry.operation, { ...entry, waitedMs, failed: this.#failed }));
    }
  }

  /** A look that ends with the deadline of those who wait, and when nobody waits any more. */
  async #lookInTime(due: readonly Entry[]): Promise<void> {
    const stop = new AbortController();
    let looking = true;
    const looked = this.#look(due, stop.signal).finally(() => {
      looking = false;
      this.#wake?.abort("woken");
    });
    while (looking && this.#entries.size > 0) {
      const firstDeadlineMs = earliest(this.#entries, ({ deadlineMs }) => deadlineMs);
      await this.#sleep(Math.max(0, firstDeadlineMs - this.clock.now()));
      this.#expire();
    }
    if (looking) stop.abort();
    await looked;
  }

  /** One look: at the entries that are due, and at the others where the list shows them anyway. */
  async #look(due: readonly Entry[], signal: AbortSignal): Promise<void> {
    const entries = [...this.#entries];
    const wanted = entries.map((entry) => entry.operation);
    const found = await findOperations(this.api, this.projectId, wanted, {
      due: new Set(due.map(({ operation }) => operation.id)),
      onCall: () => this.#budget.spend(),
      signal,
      isLook: true,
    }).catch((error: unknown) => error);
    const now = this.clock.now();
    const platformMs = platformNow(this.api, this.clock);
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

/** The least of the moments. There may be more of them than a call takes arguments. */
export function earliest<T>(all: Iterable<T>, momentOf: (one: T) => number): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (const one of all) leastMs = Math.min(leastMs, momentOf(one));
  return leastMs;
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

/** Bounds a waiter's looks: several a second while the account's limit is hardly used, and few when it is nearly met. */
export class LookBudget {
  #tokens = 1;
  #atMs: number;

  /** `used` gives the share of the account's limit that the last minute's requests have used. */
  constructor(
    private readonly clock: Clock,
    private readonly used: () => number,
  ) {
    this.#atMs = clock.now();
  }

  /** The moment at which the next look may be made. */
  nextMs(): number {
    const perSecond = this.#refill();
    return this.#atMs + Math.ceil(((1 - this.#tokens) * 1_000) / perSecond);
  }

  /** Takes note of a request that was made for a look. */
  spend(): void {
    this.#refill();
    this.#tokens = Math.max(-MAX_DEBT, this.#tokens - 1);
  }

  #refill(): number {
    const nowMs = this.clock.now();
    const share = Math.min(1, (1 - this.used()) / (1 - FREE_SHARE));
    const perSecond = Math.max(LEAST_PER_SECOND, LOOKS_PER_SECOND * share);
    this.#tokens = Math.min(1, this.#tokens + (Math.max(0, nowMs - this.#atMs) * perSecond) / 1_000);
    this.#atMs = nowMs;
    return perSecond;
  }
}
