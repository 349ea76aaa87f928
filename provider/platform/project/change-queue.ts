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

/** Bounds of one pass through the changes. At the deadline all of it is over, turns included: then nothing more is sent. */
export interface ChangeOptions extends Pick<RequestOptions, "signal" | "deadlineMs" | "onWait"> {
  /** How long a refused change waits for the blocking operation, in milliseconds. The time in the queue does not count. */
  timeoutMs: number;
}

/**
 * Lets changes of one project through (specification, section 7). Changes run side by side until the platform refuses
 * one because an operation is in the way (423, or 422 while the branch has open operations): then the operations are
 * waited for and the change is repeated. Where a change is refused again and only operations elsewhere are there to be in its way, the
 * platform locks the whole project: from then on changes go one at a time, each until its operations have ended.
 */
export class ChangeQueue {
  /** The end of the last turn, from when on changes go one at a time. */
  #tail: Promise<unknown> | undefined;

  constructor(
    private readonly operations: RecentOperations,
    private readonly waiter: OperationWaiter,
    private readonly clock: Clock,
    private readonly api: Pick<Api, "platformNow">,
  ) {}

  /**
   * Runs `attempt`, which sends the change and waits for its operations. Where it throws "not now", the change was not
   * made: what is in its way is waited for, and `attempt` is called again until the time is over. Other errors, and one
   * that knows of an endpoint, are passed on. Throws `timeout` where the deadline comes before any attempt, and `locked` where it comes
   * after one that was refused.
   */
  async run<R>(target: ChangeTarget, attempt: () => Promise<R>, options: ChangeOptions): Promise<R> {
    const bound = boundSignal(this.clock, options);
    const { signal } = bound;
    const { onWait } = options;
    let refused: PgComputeError | undefined;
    let leftMs = options.timeoutMs;
    /** Whether the last try was refused for now, and its blockers were waited for. */
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
        // An error that knows an endpoint's id comes after the change was made: it must not be made twice.
        if (!isKind(error, "locked", "not_ready") || error instanceof PartialError) throw error;
        if (leftMs <= 0) throw asLocked(error);
        const isFirst = refused === undefined;
        refused = error;
        const beganMs = this.clock.now();
        const look = this.#blockers(target, { error, isFirst, sentMs }, signal);
        const blockers = await noticed(this.clock, look, "a look at what is in the way of this change", onWait);
        isBlocked = blockers.length > 0;
        // How they end is not this change's business, only that they have.
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

  /** Waits for this change's turn where changes go one at a time; gives the function that ends it. */
  async #turn(signal: AbortSignal): Promise<() => void> {
    const previous = this.#tail;
    let end = () => {};
    if (previous === undefined) return end;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // If this change gives up, the next one still waits for the one before.
    this.#tail = previous.then(() => ended);
    await untilAborted(previous, signal, end);
    return end;
  }

  /** The open operations to wait for before the next attempt, none for a short pause. Throws the refusal where it is the platform's last word. */
  async #blockers(
    target: ChangeTarget,
    /** `sentMs` is the platform's time before the attempt. */
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
    // Its own has ended since the attempt: what is open beside it need not be in the way.
    if (near.some((one) => isOwn(one) && hasMoved(one))) return [];
    if (open.length > 0) return open;
    if (near.some(hasMoved)) return [];
    // 422 with nothing under way.
    if (error.kind !== "locked") throw error;
    // The blocking operation may have ended before the list was read. A second refusal will show it.
    if (isFirst) return [];
    const all = seen.filter((operation) => isOpen(operation, nowMs));
    if (all.length > 0) this.#tail ??= Promise.resolve();
    return all;
  }
}

/** The last refusal of a change whose time is over, as that of a lock: a 422 for any other reason is not waited for. */
function asLocked(error: PgComputeError): PgComputeError {
  return error instanceof HttpError ? new HttpError("locked", error.summary, error) : error;
}
