import { boundSignal, type Clock, wholeSecond } from "../../lib/clock";
import type { Api } from "../api";
import { CancelledError, HttpError, isKind, PartialError, PgComputeError } from "../errors";
import type { RequestOptions } from "../http/request";
import { gapMs } from "../policy";
import type { OperationRecord } from "../records";
import { noticed, type Outcome, until } from "../until";
import type { OperationWaiter } from "./operation-waiter";
import { isOpen } from "./outcome";
import { type ChangeTarget, isOn, type RecentOperations } from "./recent-operations";
import { untilAborted } from "./shared";

/** Bounds of one change, including its time in the queue. After the deadline no request is sent. */
export interface ChangeOptions extends Pick<RequestOptions, "signal" | "deadlineMs" | "onWait"> {
  /** How long a refused change waits for blocking operations, in milliseconds, without its time in the queue. */
  timeoutMs: number;
}

/**
 * Admits a project's changes (specification, section 7): in parallel, after blocking operations, or one at a time once
 * the platform locks whole projects.
 */
export class ChangeQueue {
  /** The end of the last turn; set once changes run one at a time. */
  #tail: Promise<unknown> | undefined;

  constructor(
    private readonly operations: RecentOperations,
    private readonly waiter: OperationWaiter,
    private readonly clock: Clock,
    private readonly api: Pick<Api, "platformNow">,
  ) {}

  /**
   * Runs `attempt`, and repeats it after the blocking operations if the platform answers "not now". Throws `timeout`,
   * or `locked` after a refusal.
   */
  async run<R>(target: ChangeTarget, attempt: () => Promise<R>, options: ChangeOptions): Promise<R> {
    const bound = boundSignal(this.clock, options);
    const { signal } = bound;
    const { onWait } = options;
    let refused: PgComputeError | undefined;
    let leftMs = options.timeoutMs;

    /** True if the last attempt was refused for now, and if its blockers were awaited. */
    let isForNow = false;
    let isBlocked = false;

    const tryOnce = async () => {
      isForNow = false;
      const release = await noticed(this.clock, this.#turn(signal), "another change of the project", onWait);
      const sentMs = this.api.platformNow();

      try {
        if (signal.aborted) throw new CancelledError();
        return await attempt();
      } catch (error) {
        // An error with an endpoint's id means that the change was made: no repeat.
        if (!isKind(error, "locked", "not_ready") || error instanceof PartialError) throw error;
        if (leftMs <= 0) throw asLocked(error);

        const isFirst = refused === undefined;
        refused = error;
        const beganMs = this.clock.now();
        const look = this.#blockers(target, { error, isFirst, sentMs }, signal);
        const blockers = await noticed(this.clock, look, "a look at what is in the way of this change", onWait);
        isBlocked = blockers.length > 0;

        // Only their end matters, not their result.
        const what = `${blockers[0]?.action} of another change, which locks this one`;
        const ended = isBlocked && this.waiter.wait(blockers, { timeoutMs: leftMs, signal });
        if (ended) await noticed(this.clock, ended, what, onWait);
        leftMs -= this.clock.now() - beganMs;
        isForNow = true;
        throw error;
      } finally {
        release();
      }
    };

    const again = (_: Outcome<R>, tries: number) => {
      if (refused === undefined || !isForNow) return undefined;
      const ms = isBlocked ? 0 : Math.max(0, Math.min(gapMs(tries - 1), leftMs));
      leftMs -= ms;
      return { ms, reason: refused.summary };
    };

    try {
      return await until({ clock: this.clock, signal, onWait }, tryOnce, again);
    } catch (error) {
      const isOver = signal.aborted && (isForNow || isKind(error, "cancelled"));
      if (!isOver) throw error;
      if (options.signal?.aborted) throw new CancelledError();
      if (refused) throw asLocked(refused);
      throw new PgComputeError("timeout", "the time that this change had was over before it could be sent");
    } finally {
      bound.release();
    }
  }

  /** Waits for this change's turn if changes run one at a time. Returns the function that ends the turn. */
  async #turn(signal: AbortSignal): Promise<() => void> {
    const previous = this.#tail;
    let end = () => {};
    if (previous === undefined) return end;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });

    // If this change gives up, the next still waits for the previous one.
    this.#tail = previous.then(() => ended);
    await untilAborted(previous, signal, end);
    return end;
  }

  /** The open operations to await before the next attempt; empty for a short pause. Throws a final refusal. */
  async #blockers(
    target: ChangeTarget,
    /** `sentMs`: the platform's time before the attempt. */
    { error, isFirst, sentMs }: { error: PgComputeError; isFirst: boolean; sentMs: number },
    signal: AbortSignal,
  ): Promise<OperationRecord[]> {
    const seen = await this.operations.look(target, signal);
    const nowMs = this.api.platformNow();
    const near = seen.filter((operation) => isOn(target, operation));
    const open = near.filter((operation) => isOpen(operation, nowMs));
    const isOwn = ({ endpointId }: OperationRecord) => endpointId !== undefined && endpointId === target.endpointId;
    const hasMoved = ({ updatedAt }: OperationRecord) => Date.parse(updatedAt) >= wholeSecond(sentMs);
    const own = open.filter(isOwn);
    if (own.length > 0) return own;

    // The change's own operations ended since the attempt, so others need not be blocking.
    if (near.some((one) => isOwn(one) && hasMoved(one))) return [];
    if (open.length > 0) return open;
    if (near.some(hasMoved)) return [];

    // A 422 without open operations is final.
    if (error.kind !== "locked") throw error;
    // The blocker may have ended before the list was read; a second refusal would show it.
    if (isFirst) return [];
    const all = seen.filter((operation) => isOpen(operation, nowMs));
    // Only operations elsewhere are open, so the platform locks the whole project: from now on one change at a time.
    if (all.length > 0) this.#tail ??= Promise.resolve();
    return all;
  }
}

/** The refusal of a change whose time is over, as `locked`: a 422 for any other reason is not waited for. */
function asLocked(error: PgComputeError): PgComputeError {
  return error instanceof HttpError ? new HttpError("locked", error.summary, error) : error;
}
