/** The newest operations of one project, as changes that were refused and changes whose answer was lost want to know them. */
import type { Clock } from "../../lib/clock";
import { onAbort } from "../../lib/signals";
import type { Api } from "../api";
import { CancelledError } from "../errors";
import { type FetchPage, pages } from "../pages";
import type { OperationRecord } from "../records";
import { isOpen, platformNow } from "./outcome";

/** What a change touches, to tell its operations from others. */
export interface ChangeTarget {
  branchIds: readonly string[];
  endpointId?: string | undefined;
  /** Where those count that have ended: when they were made at the earliest, by the platform's time in milliseconds. */
  sinceMs?: number | undefined;
}

/** One look, begun or not, and those who wait for it. */
interface Look {
  readonly targets: Set<ChangeTarget>;
  readonly stop: AbortController;
  readonly operations: Promise<OperationRecord[]>;
}

const PAGE = 200;
/** Bounds a look at a project with more open operations than this many pages hold. */
const MAX_PAGES = 20;

/**
 * Looks at the operations of a project, newest first, as far down as one of each target may be. One look is under way at a
 * time: who asks meanwhile shares the next, which begins after all of them have asked.
 */
export class RecentOperations {
  #last: Promise<unknown> = Promise.resolve();
  #next: Look | undefined;

  constructor(
    private readonly api: Pick<Api, "listOperations" | "platformTime">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** Those of the pages that were read, ended ones too. Throws the errors of the API. A look that nobody waits for is given up. */
  look(target: ChangeTarget, signal?: AbortSignal): Promise<OperationRecord[]> {
    if (signal?.aborted) return Promise.reject(new CancelledError());
    this.#next ??= this.#begin();
    const look = this.#next;
    const { targets, stop, operations } = look;
    targets.add(target);
    return new Promise((resolve, reject) => {
      const leave = () => {
        targets.delete(target);
        reject(new CancelledError());
        if (targets.size > 0) return;
        stop.abort();
        if (this.#next === look) this.#next = undefined;
      };
      operations.then(resolve, reject).finally(onAbort(signal, leave));
    });
  }

  #begin(): Look {
    const targets = new Set<ChangeTarget>();
    const stop = new AbortController();
    const operations = this.#last.then(() => {
      // Who asks from here on needs the next look.
      if (this.#next?.targets === targets) this.#next = undefined;
      return this.#read(targets, stop.signal);
    });
    this.#last = operations.catch(() => {});
    return { targets, stop, operations };
  }

  async #read(targets: ReadonlySet<ChangeTarget>, signal: AbortSignal): Promise<OperationRecord[]> {
    const fetchPage: FetchPage<OperationRecord> = (page) => {
      if (signal.aborted) throw new CancelledError();
      return this.api.listOperations(this.projectId, page, { signal });
    };
    const found: OperationRecord[] = [];
    const missing = new Set(targets);
    for await (const operations of pages(fetchPage, { limit: PAGE, maxPages: MAX_PAGES })) {
      found.push(...operations);
      const nowMs = platformNow(this.api, this.clock);
      const open = operations.filter((operation) => isOpen(operation, nowMs));
      for (const target of missing) if (!isFurtherDown(target, operations, open)) missing.delete(target);
      if (missing.size === 0) break;
    }
    return found;
  }
}

/** True where what the target looks for is not on this page and may be on the next. */
function isFurtherDown(
  target: ChangeTarget,
  page: readonly OperationRecord[],
  open: readonly OperationRecord[],
): boolean {
  const isTargets = (operation: OperationRecord) => isOwn(target, operation);
  // What is open is new: below a page that has ended, so has the rest.
  if (target.sinceMs === undefined) return open.length > 0 && !open.some(isTargets);
  return Date.parse(page.at(-1)?.createdAt ?? "") >= target.sinceMs;
}

/** True for an operation of the target's endpoint or on one of its branches. */
export function isOn(target: ChangeTarget, { endpointId, branchId }: OperationRecord): boolean {
  if (endpointId !== undefined && endpointId === target.endpointId) return true;
  return branchId !== undefined && target.branchIds.includes(branchId);
}

/** True for an operation of the target's own: of its endpoint or, where it has none yet, on its branches. */
function isOwn(target: ChangeTarget, operation: OperationRecord): boolean {
  return target.endpointId === undefined ? isOn(target, operation) : operation.endpointId === target.endpointId;
}
