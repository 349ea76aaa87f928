/** Operations of one project by its list, newest first: all that a change may have to wait for or has begun, or certain ones. */
import type { Api } from "../api";
import { CancelledError, isKind } from "../errors";
import type { RequestOptions } from "../http/request";
import type { OperationRecord } from "../records";
import { isOpen } from "./outcome";
import { type Shared, shared } from "./shared";

/** The endpoint and branches of a change, to find its operations. */
export interface ChangeTarget {
  branchIds: readonly string[];
  endpointId?: string | undefined;
  /** Ended operations count only if they were created after this platform time, in milliseconds. */
  sinceMs?: number | undefined;
}

/** The known facts of a wanted operation. */
type Wanted = Pick<OperationRecord, "id" | "createdAt">;

/** Limits of a lookup of open operations: page size and number of pages. */
const BOUNDS = { limit: 200, maxPages: 20 };
/** A look for certain operations: what a page has beyond so many for each, and the most that it may have; after so many pages the rest is asked for by id. */
const SPARE = 100;
const PER_WANTED = 4;
const MAX_PAGE = 1_000;
const MAX_PAGES_FOR_WANTED = 10;

/** Looks at a project's operations, newest first, as far down as the targets may be. One look at a time: who asks meanwhile shares the next. */
export class RecentOperations {
  #last: Promise<unknown> = Promise.resolve();
  /** The next lookup, not yet begun, and its targets. */
  #next: { targets: ChangeTarget[]; operations: Shared<OperationRecord[]> } | undefined;

  constructor(
    private readonly api: Pick<Api, "operationPages" | "platformNow">,
    private readonly projectId: string,
  ) {}

  /** Those of the pages that were read, ended ones too. Throws the errors of the API. */
  look(target: ChangeTarget, signal?: AbortSignal): Promise<OperationRecord[]> {
    this.#next ??= this.#begin();
    this.#next.targets.push(target);
    return this.#next.operations.wait(signal);
  }

  #begin() {
    const targets: ChangeTarget[] = [];
    // Later callers need the next lookup.
    const close = () => {
      if (this.#next?.targets === targets) this.#next = undefined;
    };
    const read = async (signal: AbortSignal) => {
      close();
      if (signal.aborted) throw new CancelledError();
      return this.#read(targets, signal);
    };
    const last = this.#last;
    const operations = shared((signal) => last.then(() => read(signal)), close);
    this.#last = operations.work.catch(() => {});
    return { targets, operations };
  }

  async #read(targets: readonly ChangeTarget[], signal: AbortSignal): Promise<OperationRecord[]> {
    const found: OperationRecord[] = [];
    const missing = new Set(targets);
    for await (const operations of this.api.operationPages(this.projectId, BOUNDS, { signal })) {
      found.push(...operations);
      const nowMs = this.api.platformNow();
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

/** True for an operation of the target's endpoint or, for a target without an endpoint, of its branches. */
function isOwn(target: ChangeTarget, operation: OperationRecord): boolean {
  return target.endpointId === undefined ? isOn(target, operation) : operation.endpointId === target.endpointId;
}

/**
 * Looks at several operations of a project with as few calls as it can: a lone one by id (specification, section 4.2),
 * several from the list, newest first, until those due were met or the list is past the oldest of them (specification,
 * section 4.1). What the list does not show is asked for by id before it is called vanished. Ids that are not `due`, which all are unless it
 * says which, are only taken along where the list shows them.
 */
export async function findOperations(
  api: Pick<Api, "getOperation" | "operationPages">,
  projectId: string,
  wanted: readonly Wanted[],
  { due, ...options }: RequestOptions & { due?: ReadonlySet<string> } = {},
): Promise<Map<string, OperationRecord | "vanished">> {
  const found = new Map<string, OperationRecord | "vanished">();
  const missing = new Map(wanted.filter(({ id }) => due?.has(id) ?? true).map((one) => [one.id, one]));
  const ids = new Set(wanted.map(({ id }) => id));
  if (ids.size > 1) {
    const limit = Math.min(MAX_PAGE, SPARE + PER_WANTED * wanted.length);
    const bounds = { limit, maxPages: MAX_PAGES_FOR_WANTED };
    for await (const operations of api.operationPages(projectId, bounds, options)) {
      for (const operation of operations) {
        missing.delete(operation.id);
        if (ids.has(operation.id)) found.set(operation.id, operation);
      }
      if (missing.size === 0 || isPast(operations, missing)) break;
    }
  }
  for (const id of missing.keys()) {
    const operation = await api.getOperation(projectId, id, options).catch((error: unknown) => {
      if (isKind(error, "not_found")) return "vanished" as const;
      throw error;
    });
    found.set(id, operation);
  }
  return found;
}

/** True where the page is past the oldest of those missing. Timestamps are whole seconds, so it has to be strictly past. */
function isPast(page: readonly OperationRecord[], missing: ReadonlyMap<string, Wanted>): boolean {
  const oldestMs = Math.min(...[...missing.values()].map(({ createdAt }) => Date.parse(createdAt)));
  return Date.parse(page.at(-1)?.createdAt ?? "") < oldestMs;
}
