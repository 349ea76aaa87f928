/** The operations of one project that are open, as changes that are refused want to know them. */
import type { Clock } from "../../lib/clock";
import { onAbort } from "../../lib/signals";
import type { Api } from "../api";
import { CancelledError } from "../errors";
import { type FetchPage, pages, toPage } from "../pages";
import type { OperationRecord } from "../records";
import { isOpen } from "./outcome";

/** What a change touches, so that only operations in its way are waited for. */
export interface ChangeTarget {
  branchIds: readonly string[];
  endpointId?: string | undefined;
}

/** One look, begun or not, and those who wait for it. */
interface Look {
  readonly targets: Set<ChangeTarget>;
  readonly stop: AbortController;
  readonly open: Promise<OperationRecord[]>;
}

const PAGE = 200;
/** Bounds a look at a project with more open operations than this many pages hold. */
const MAX_PAGES = 20;

/**
 * Looks at the open operations of a project, newest first, as far down as those of the targets are, or as any are open. One
 * look is under way at a time: targets that are refused meanwhile share the next, which begins after their refusals.
 */
export class OpenOperations {
  #last: Promise<unknown> = Promise.resolve();
  #next: Look | undefined;

  constructor(
    private readonly api: Pick<Api, "listOperations">,
    private readonly clock: Clock,
    private readonly projectId: string,
  ) {}

  /** What is open, that at the target among it. Throws the errors of the API. A look that nobody waits for is given up. */
  look(target: ChangeTarget, signal: AbortSignal | undefined): Promise<OperationRecord[]> {
    if (signal?.aborted) return Promise.reject(new CancelledError());
    this.#next ??= this.#begin();
    const look = this.#next;
    const { targets, stop, open } = look;
    targets.add(target);
    return new Promise((resolve, reject) => {
      const leave = () => {
        targets.delete(target);
        reject(new CancelledError());
        if (targets.size > 0) return;
        stop.abort();
        if (this.#next === look) this.#next = undefined;
      };
      open.then(resolve, reject).finally(onAbort(signal, leave));
    });
  }

  #begin(): Look {
    const targets = new Set<ChangeTarget>();
    const stop = new AbortController();
    const open = this.#last.then(() => {
      // Who is refused from here on needs the next look.
      if (this.#next?.targets === targets) this.#next = undefined;
      return this.#read(targets, stop.signal);
    });
    this.#last = open.catch(() => {});
    return { targets, stop, open };
  }

  async #read(targets: ReadonlySet<ChangeTarget>, signal: AbortSignal): Promise<OperationRecord[]> {
    const fetchPage: FetchPage<OperationRecord> = async (limit, cursor) => {
      if (signal.aborted) throw new CancelledError();
      const page = cursor === undefined ? { limit } : { limit, cursor };
      return toPage(await this.api.listOperations(this.projectId, page, { signal }));
    };
    const found: OperationRecord[] = [];
    const missing = new Set(targets);
    for await (const operations of pages(fetchPage, { limit: PAGE, maxPages: MAX_PAGES })) {
      const open = operations.filter((operation) => isOpen(operation, this.clock.now()));
      found.push(...open);
      for (const target of missing) if (open.some((operation) => isOwn(target, operation))) missing.delete(target);
      // What is open is new: below a page that has ended, so has the rest.
      if (open.length === 0 || missing.size === 0) break;
    }
    return found;
  }
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
