import { boundSignal, type Clock, wholeSecond } from "../../lib/clock";
import type { Api } from "../api";
import { CancelledError, HttpError, isKind, PartialError, PgComputeError } from "../errors";
import type { OperationRecord } from "../records";
import { untilAborted } from "../shared";
import type { OperationWaiter } from "./operation-waiter";
import { isOpen, platformNow } from "./outcome";
import { type ChangeTarget, isOn, type RecentOperations } from "./recent-operations";

/** Bounds of one pass through the changes. */
export interface ChangeOptions {
  /** How long a refused change waits for what is in its way, in milliseconds; waiting for its turn does not count. */
  timeoutMs: number;
  /** The moment of the clock, in milliseconds, at which all of it is over, turns included: then nothing more is sent. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The place that stands for a whole project. */
const PROJECT = "";

/** A refusal of one attempt. */
interface Refusal {
  error: PgComputeError;
  /** How many came before it, and how many of them showed nothing that was in the way. */
  refusals: number;
  inVain: number;
  /** The platform's time before the attempt, in milliseconds. */
  sentMs: number;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;

/**
 * Lets changes of one project through (specification, section 7). Changes run side by side until the platform refuses
 * one because an operation is in the way (423, or 422 while the branch has open operations): then the operations are
 * waited for and the change is repeated. When a change is refused again, the changes of its branch go one at a time from then on, each
 * until its operations have ended; and where only operations elsewhere are there to be in its way, the platform locks the whole
 * project, and all changes do.
 */
export class ChangeQueue {
  /** The branches, and `PROJECT` for all of it, of which changes go one at a time; with the end of the last turn of each. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(
    private readonly operations: RecentOperations,
    private readonly waiter: OperationWaiter,
    private readonly clock: Clock,
    private readonly api: Pick<Api, "platformTime">,
  ) {}

  /**
   * Runs `attempt`, which sends the change and waits for its operations. Where it throws "not now", the change was not
   * made: what is in its way is waited for, and `attempt` is called again until the time is over. Other errors, and one
   * that knows of an endpoint, are passed on. Throws `timeout` where the deadline comes before any attempt, and `locked` where it comes
   * after one that was refused.
   */
  async run<R>(target: ChangeTarget, attempt: () => Promise<R>, options: ChangeOptions): Promise<R> {
    const bound = boundSignal(this.clock, options);
    let refused: PgComputeError | undefined;
    let leftMs = options.timeoutMs;
    try {
      for (let refusals = 0, inVain = 0; ; refusals += 1) {
        const release = await this.#turns(target, bound.signal);
        const sentMs = platformNow(this.api, this.clock);
        try {
          if (bound.signal.aborted) throw new CancelledError();
          return await attempt();
        } catch (error) {
          // An error that knows an endpoint's id comes after the change was made: it must not be made twice.
          if (!isKind(error, "locked", "not_ready") || error instanceof PartialError) throw error;
          if (leftMs <= 0) throw asLocked(error);
          refused = error;
          const refusal = { error, refusals, inVain, sentMs };
          const waited = await this.#waitForBlockers(target, refusal, { timeoutMs: leftMs, signal: bound.signal });
          leftMs -= waited.ms;
          if (!waited.isExplained) inVain += 1;
        } finally {
          release();
        }
      }
    } catch (error) {
      const isTooLate = bound.signal.aborted && !options.signal?.aborted && isKind(error, "cancelled");
      if (!isTooLate) throw error;
      if (refused) throw asLocked(refused);
      throw new PgComputeError("timeout", "the time that this change had was over before it could be sent");
    } finally {
      bound.release();
    }
  }

  /** Waits for what a refused change has in its way. Gives for how long, and whether anything on its branches explains the refusal. */
  async #waitForBlockers(
    target: ChangeTarget,
    refusal: Refusal,
    { timeoutMs, signal }: ChangeOptions,
  ): Promise<{ ms: number; isExplained: boolean }> {
    const beganMs = this.clock.now();
    const { blockers, isExplained } = await this.#blockers(target, refusal, signal);
    // 422 with nothing under way is the platform's last word.
    if (!isExplained && refusal.error.kind !== "locked") throw refusal.error;
    if (blockers.length > 0) {
      // How they end is not this change's business, only that they have.
      await this.waiter.wait(blockers, { timeoutMs, signal });
    } else {
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** refusal.inVain, timeoutMs);
      await this.clock.sleep(pauseMs, signal).catch(() => {});
    }
    if (signal?.aborted) throw new CancelledError();
    return { ms: this.clock.now() - beganMs, isExplained };
  }

  /** Waits until it is this change's turn wherever changes go one at a time; gives the function that ends its turns. */
  async #turns({ branchIds }: ChangeTarget, signal: AbortSignal): Promise<() => void> {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      // Always in one order, so that no two wait for each other.
      for (const place of [PROJECT, ...[...new Set(branchIds)].sort()]) {
        const previous = this.#tails.get(place);
        if (previous === undefined) continue;
        // Where this one leaves, the next in line still waits for the one before.
        this.#tails.set(
          place,
          previous.then(() => ended),
        );
        await untilAborted(previous, signal);
      }
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** From now on changes there go one at a time. */
  #line(place: string): void {
    if (!this.#tails.has(place)) this.#tails.set(place, Promise.resolve());
  }

  /** The open operations to wait for before the next attempt. Lines changes up where a second refusal shows a lock of a branch, or of the project. */
  async #blockers(
    target: ChangeTarget,
    { error, refusals, inVain, sentMs }: Refusal,
    signal: AbortSignal | undefined,
  ): Promise<{ blockers: OperationRecord[]; isExplained: boolean }> {
    const seen = await this.operations.look(target, signal);
    const nowMs = platformNow(this.api, this.clock);
    const near = seen.filter((operation) => isOn(target, operation));
    const open = near.filter((operation) => isOpen(operation, nowMs));
    const isOwn = ({ endpointId }: OperationRecord) => endpointId !== undefined && endpointId === target.endpointId;
    const hasMoved = ({ updatedAt }: OperationRecord) => Date.parse(updatedAt) >= wholeSecond(sentMs);
    const own = open.filter(isOwn);
    if (own.length > 0) return { blockers: own, isExplained: true };
    // Its own has ended since the attempt: what is open beside it need not be in the way.
    if (near.some((one) => isOwn(one) && hasMoved(one))) return { blockers: [], isExplained: true };
    if (open.length > 0) {
      if (refusals > 0)
        for (const { branchId } of open) if (branchId && target.branchIds.includes(branchId)) this.#line(branchId);
      return { blockers: open, isExplained: true };
    }
    // What was in the way may have ended before the look; a second refusal tells.
    if (error.kind !== "locked" || inVain === 0) {
      return { blockers: [], isExplained: near.some(hasMoved) };
    }
    const all = seen.filter((operation) => isOpen(operation, nowMs));
    if (all.length > 0) this.#line(PROJECT);
    return { blockers: all, isExplained: false };
  }
}

/** The last refusal of a change whose time is over, as that of a lock: a 422 for any other reason is not waited for. */
function asLocked(error: PgComputeError): PgComputeError {
  return error instanceof HttpError ? new HttpError("locked", error.summary, error) : error;
}
