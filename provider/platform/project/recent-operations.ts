/** Lists a project's recent operations, newest first: those that a change waits for or has begun, or given ones. */
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
  /** Ended operations count only if created after this platform time, in milliseconds. */
  sinceMs?: number | undefined;
}

/** The known facts of a wanted operation. */
type Wanted = Pick<OperationRecord, "id" | "createdAt">;

/** Bounds of a lookup of open operations: page size and number of pages. */
const BOUNDS = { limit: 200, maxPages: 20 };
/**
 * Bounds of a lookup of given operations: a page has SPARE extra rows and PER_WANTED for each, up to MAX_PAGE. After
 * the last page the rest are read by id.
 */
const SPARE = 100;
const PER_WANTED = 4;
const MAX_PAGE = 1_000;
const MAX_PAGES_FOR_WANTED = 10;

/** Lists a project's operations, newest first, as deep as the targets may be. Later callers share the next lookup. */
export class RecentOperations {
  #last: Promise<unknown> = Promise.resolve();
  /** The next lookup and its targets. */
  #next: { targets: ChangeTarget[]; operations: Shared<OperationRecord[]> } | undefined;

  constructor(
    private readonly api: Pick<Api, "operationPages" | "platformNow">,
    private readonly projectId: string,
  ) {}

  /** The operations on the pages read, ended ones included. Throws the API's errors. */
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

/** True if the target's operations may be on the next page. */
function isFurtherDown(
  target: ChangeTarget,
  page: readonly OperationRecord[],
  open: readonly OperationRecord[],
): boolean {
  const isTargets = (operation: OperationRecord) => isOwn(target, operation);
  // Open operations are new: below a page of ended ones, all have ended.
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
 * Reads operations with few requests: one by id (specification, section 4.2), several from the list (specification,
 * section 4.1), missing `due` ones by id.
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

/** True if the page is past the oldest missing one: strictly, as timestamps have whole seconds. */
function isPast(page: readonly OperationRecord[], missing: ReadonlyMap<string, Wanted>): boolean {
  const oldestMs = Math.min(...[...missing.values()].map(({ createdAt }) => Date.parse(createdAt)));
  return Date.parse(page.at(-1)?.createdAt ?? "") < oldestMs;
}
