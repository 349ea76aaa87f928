/**
 * The order of steps on a branch in one run. The engine begins steps before it has checked all resources, so a
 * replica's step waits for a read-write endpoint that moves to its branch and needs that branch empty.
 */
import { branchKeyOf, type Place } from "../endpoint/identity";
import { isSole } from "../endpoint/types";
import { boundSignal, type Clock, onAbort } from "../lib/clock";
import { type Owner, resourceOf } from "../lib/owner";
import { CancelledError } from "../platform/errors";
import type { RequestOptions } from "../platform/http/request";
import { primary as policy } from "../platform/policy";
import { untilAborted } from "../platform/project/shared";
import { noticed, until } from "../platform/until";

/** A read-write endpoint's step on its branch in this run, planned or begun. */
interface Arrival {
  owner: Owner;
  /** True for a move to a branch that must be empty until then. */
  isMove: boolean;
  /** Resolves when the step begins. */
  begun: Promise<void>;
  begin(): void;
  /** Set when the step begins. Resolves to true if the step succeeded. */
  ended?: Promise<boolean>;
}

/** A replica's step that waits for its branch's read-write endpoint. */
export interface ReplicaStep extends Pick<RequestOptions, "onWait"> {
  owner: Owner;
  to: Place;
  clock: Clock;
  signal: AbortSignal;
  /** True if a read-write endpoint may yet be declared that needs the branch empty. */
  mayFollow: boolean;
  /** True for a replica that comes from another branch, as beside a read-write endpoint that moves. */
  comesAlong: boolean;
}

/** The reason not to make a replica's step: its read-write endpoint, if it is known, has not come. */
export interface Missing {
  primary: Owner | undefined;
}

/** The read-write endpoints that come to branches in one run, and the replicas' waits for them. */
export class Arrivals {
  readonly #byBranch = new Map<string, Arrival>();
  /** Checked resources whose steps have not begun: as long as there is one, the engine has no free worker. */
  readonly #planned = new Set<Owner>();
  #checkedMs = 0;
  /** Ends the waits for a declaration, so that they look again. */
  #changed = new AbortController();

  /** Records the time of a Check. */
  checked(atMs: number): void {
    this.#checkedMs = atMs;
  }

  /** Records that a resource has passed its Check or Diff and that its step follows. */
  plan(owner: Owner): void {
    this.#planned.add(owner);
  }

  /** Records that a resource's step has begun. */
  begin(owner: Owner): void {
    this.#planned.delete(owner);
  }

  /** Records a branch's read-write endpoint that was not refused. A move needs the branch empty until then. */
  declare(owner: Owner, to: Place | undefined, isMove: boolean): void {
    if (!isSole(to)) return;
    const known = this.#byBranch.get(branchKeyOf(to));
    if (known?.owner === owner) known.isMove = isMove;
    else this.#byBranch.set(branchKeyOf(to), newArrival(owner, isMove));
    this.#wake();
  }

  /** Ends what a resource has declared and did not begin: its step has failed before. */
  withdraw(resource: Owner): void {
    for (const arrival of this.#byBranch.values()) {
      if (resourceOf(arrival.owner) !== resource || arrival.ended) continue;
      arrival.ended = Promise.resolve(false);
      arrival.begin();
    }
  }

  /**
   * Runs a read-write endpoint's step, for which replicas on its branch wait. A move with `waitsLong` counts as begun
   * when it ends, and no replica waits for another such step.
   */
  async asPrimary<T>(owner: Owner, to: Place, work: () => Promise<T>, waitsLong = false): Promise<T> {
    const key = branchKeyOf(to);
    const known = this.#byBranch.get(key);
    const arrival = known?.owner === owner ? known : newArrival(owner, false);
    if (waitsLong && !arrival.isMove) return work();

    this.#byBranch.set(key, arrival);
    const step = work();
    arrival.ended = step.then(
      () => true,
      () => false,
    );

    if (!waitsLong) arrival.begin();
    this.#wake();
    await arrival.ended;
    arrival.begin();
    return step;
  }

  /**
   * Waits until a replica's step may be made: for a declaration, 5 s at most from the run's last Check; for a move to
   * begin, 30 s at most; and for the end of a step under way. Throws a `CancelledError` on abort.
   */
  async awaitPrimary(step: ReplicaStep): Promise<Missing | undefined> {
    const { to, clock, signal, onWait } = step;
    const what = () =>
      this.#byBranch.has(branchKeyOf(to))
        ? `the read-write endpoint of branch ${to.branchId}`
        : `a read-write endpoint of branch ${to.branchId}, which the program may yet declare`;
    const missing = await noticed(clock, this.#awaitArrival(step), what, onWait);
    if (signal.aborted) throw new CancelledError();
    return missing;
  }

  async #awaitArrival(step: ReplicaStep): Promise<Missing | undefined> {
    const { owner, to, clock, signal, mayFollow, comesAlong } = step;
    const arrival = mayFollow ? await this.#awaitDeclared(step) : this.#byBranch.get(branchKeyOf(to));
    // A fleet orders its own members: one may have to leave the branch before its read-write endpoint comes.
    if (arrival && resourceOf(arrival.owner) === resourceOf(owner)) return undefined;
    // The engine checks nothing more while a step waits for a worker, and this one holds one.
    if (!arrival) return mayFollow && comesAlong && this.#planned.size > 0 ? { primary: undefined } : undefined;
    if (!arrival.isMove) {
      await arrival.ended;
      return undefined;
    }

    const bound = boundSignal(clock, { signal, deadlineMs: clock.now() + policy.beginMs });
    const isThere = await untilAborted(arrival.begun, bound.signal)
      .finally(() => bound.release())
      .then(
        () => arrival.ended,
        () => false,
      );
    return isThere || !arrival.isMove ? undefined : { primary: arrival.owner };
  }

  /** Waits until a read-write endpoint is declared for a branch. Undefined if the run has checked nothing for 5 s. */
  #awaitDeclared({ to, clock, signal }: ReplicaStep): Promise<Arrival | undefined> {
    const release = onAbort(signal, () => this.#wake());
    return until(
      { clock, signal },
      async () => this.#byBranch.get(branchKeyOf(to)),
      ({ value }) => {
        const ms = this.#checkedMs + policy.declareMs - clock.now();
        return value || ms <= 0 ? undefined : { ms, wake: this.#changed.signal };
      },
    ).finally(release);
  }

  #wake(): void {
    const changed = this.#changed;
    this.#changed = new AbortController();
    changed.abort();
  }
}

function newArrival(owner: Owner, isMove: boolean): Arrival {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { owner, isMove, begun, begin };
}
