interface Entry {
  at: number;
  order: number;
  run: () => void;
}

/** Events by due time, in milliseconds on the emulator's clock: a binary heap. Equal times keep insertion order. */
export class Agenda {
  #heap: Entry[] = [];
  #order = 0;

  /** Adds an event due at `at`. */
  add(at: number, run: () => void): void {
    const entry = { at, order: this.#order++, run };
    const heap = this.#heap;
    let index = heap.length;
    heap.push(entry);

    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || !before(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  /** Removes and returns the earliest event due by `now`; `undefined` without one. */
  takeDue(now: number): { at: number; run: () => void } | undefined {
    const first = this.#heap[0];
    if (!first || first.at > now) return undefined;
    const last = this.#heap.pop();
    if (last && last !== first) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#heap = [];
  }

  #sink(entry: Entry): void {
    const heap = this.#heap;
    let index = 0;

    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      if (!left) break;
      const useRight = right !== undefined && before(right, left);
      const child = useRight ? right : left;
      if (!before(child, entry)) break;
      heap[index] = child;
      index = 2 * index + (useRight ? 2 : 1);
    }
    heap[index] = entry;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
