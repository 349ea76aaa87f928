/** Steps in an order in which each comes after those that it waits for, and the circles in which steps wait for each other. */

/** Something to do, and what has to be done before it. */
export interface Ordered<S> {
  /** The lower, the earlier, as far as nothing has to wait. */
  rank: number;
  after: readonly S[];
}

/** The steps in order, as far as there is one, and one circle for each that stands in the way. */
export interface Order<S> {
  ordered: S[];
  circles: S[][];
}

/** Orders steps by what they wait for, then by rank, then as they are given. */
export function order<S extends Ordered<S>>(steps: readonly S[]): Order<S> {
  const open = new Map(steps.map((step) => [step, new Set(step.after).size]));
  const waiting = new Map<S, S[]>();
  for (const step of steps) {
    for (const before of new Set(step.after)) waiting.set(before, [...(waiting.get(before) ?? []), step]);
  }
  const ready = new Ranks<S>();
  for (const step of steps) if (open.get(step) === 0) ready.put(step);
  const ordered: S[] = [];
  for (let step = ready.take(); step !== undefined; step = ready.take()) {
    ordered.push(step);
    for (const next of waiting.get(step) ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) ready.put(next);
    }
  }
  const done = new Set(ordered);
  return {
    ordered,
    circles: circlesAmong(
      steps.filter((step) => !done.has(step)),
      done,
    ),
  };
}

/** From each step along what it waits for, until a step comes again: disjoint circles, at least one where there is any. */
function circlesAmong<S extends Ordered<S>>(stuck: readonly S[], done: ReadonlySet<S>): S[][] {
  const seen = new Set<S>();
  const circles: S[][] = [];
  for (const start of stuck) {
    const path = new Map<S, number>();
    let step: S | undefined = start;
    while (step !== undefined && !seen.has(step)) {
      seen.add(step);
      path.set(step, path.size);
      step = step.after.find((one) => !done.has(one));
    }
    const from = step && path.get(step);
    if (from !== undefined) circles.push([...path.keys()].slice(from));
  }
  return circles;
}

/** A queue for each rank. */
class Ranks<S extends Ordered<S>> {
  readonly #queues: { steps: S[]; next: number }[] = [];

  put(step: S): void {
    this.#queues[step.rank] ??= { steps: [], next: 0 };
    this.#queues[step.rank]?.steps.push(step);
  }

  take(): S | undefined {
    for (const queue of this.#queues) if (queue && queue.next < queue.steps.length) return queue.steps[queue.next++];
    return undefined;
  }
}
