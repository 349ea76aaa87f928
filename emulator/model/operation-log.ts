import type { Operation } from "./operation";

/** A page of operations, newest first; `more` is true if older ones exist. */
export interface OperationPage {
  operations: Operation[];
  more: boolean;
}

/** A project's operations by creation. A page is found by binary search, so its cost is independent of their number. */
export class OperationLog {
  #operations: Operation[] = [];
  #byId = new Map<string, Operation>();
  #lastMicros = 0;
  readonly #changed = new Set<Operation>();

  /** The next operation's creation time in microseconds: `nowMs`, or just after the last one. */
  nextMicros(nowMs: number): number {
    this.#lastMicros = Math.max(Math.floor(nowMs * 1000), this.#lastMicros + 1);
    return this.#lastMicros;
  }

  add(operation: Operation): void {
    this.#operations.push(operation);
    this.#byId.set(operation.id, operation);
    this.#changed.add(operation);
  }

  /** Marks an operation as changed; required after each change. */
  touch(operation: Operation): void {
    this.#changed.add(operation);
  }

  /** Returns the operations that are new or changed since the last call. */
  takeChanges(): Operation[] {
    const changes = [...this.#changed];
    this.#changed.clear();
    return changes;
  }

  /** The operation with this id, unless it has vanished. */
  get(id: string): Operation | undefined {
    const operation = this.#byId.get(id);
    return operation?.vanished ? undefined : operation;
  }

  /** Up to `limit` operations older than `beforeMicros`, without vanished ones. */
  page(limit: number, beforeMicros: number = Number.POSITIVE_INFINITY): OperationPage {
    const operations: Operation[] = [];
    for (let index = this.#indexBefore(beforeMicros); index >= 0; index--) {
      const operation = this.#operations[index];
      if (!operation || operation.vanished) continue;
      if (operations.length === limit) return { operations, more: true };
      operations.push(operation);
    }
    return { operations, more: false };
  }

  /** The oldest operation that has not vanished. */
  oldest(): Operation | undefined {
    return this.#operations.find((operation) => !operation.vanished);
  }

  #indexBefore(micros: number): number {
    let low = 0;
    let high = this.#operations.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#operations[middle]?.createdMicros ?? 0) < micros) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
