import type { Api, RequestOptions } from "../api";
import { isKind } from "../errors";
import { type FetchPage, pages } from "../pages";
import type { OperationRecord } from "../records";

const MAX_PAGE = 1_000;
const SPARE = 100;
const PER_WANTED = 4;
/** So few that are not on a page are asked for by id: they may be many pages down. */
const FEW = 2;
/** Pages of one look; what is further down is asked for by id. */
const MAX_PAGES = 10;

/** What is known of an operation that is wanted. */
type Wanted = Pick<OperationRecord, "id" | "createdAt">;

/** How to look. */
export interface FindOptions extends RequestOptions {
  /** Ids that must be found; the others are only taken along where the list shows them. Default all. */
  due?: ReadonlySet<string> | undefined;
  /** Called before every call. */
  onCall?: (() => void) | undefined;
}

/**
 * Looks at several operations of a project with as few calls as it can: a lone one by id (specification, section 4.2),
 * several from the list, newest first, until those due were met or the list is past the oldest of them (specification,
 * section 4.1). What the list does not show is asked for by id before it is called vanished.
 */
export async function findOperations(
  api: Pick<Api, "getOperation" | "listOperations">,
  projectId: string,
  wanted: readonly Wanted[],
  { due, onCall = () => {}, ...options }: FindOptions = {},
): Promise<Map<string, OperationRecord | "vanished">> {
  const found = new Map<string, OperationRecord | "vanished">();
  const missing = new Map(wanted.filter(({ id }) => due?.has(id) ?? true).map((one) => [one.id, one]));
  const ids = new Set(wanted.map(({ id }) => id));
  if (ids.size > 1) {
    const limit = Math.min(MAX_PAGE, SPARE + PER_WANTED * wanted.length);
    const fetchPage: FetchPage<OperationRecord> = (page) => {
      onCall();
      return api.listOperations(projectId, page, options);
    };
    for await (const operations of pages(fetchPage, { limit, maxPages: MAX_PAGES })) {
      for (const operation of operations) {
        missing.delete(operation.id);
        if (ids.has(operation.id)) found.set(operation.id, operation);
      }
      if (missing.size <= FEW || isPast(operations, missing)) break;
    }
  }
  for (const id of missing.keys()) {
    onCall();
    found.set(id, await byId(api, projectId, id, options));
  }
  return found;
}

/** True where the page is past the oldest of those missing. Timestamps are whole seconds, so it has to be strictly past. */
function isPast(page: readonly OperationRecord[], missing: ReadonlyMap<string, Wanted>): boolean {
  const oldestMs = Math.min(...[...missing.values()].map(({ createdAt }) => Date.parse(createdAt)));
  return Date.parse(page.at(-1)?.createdAt ?? "") < oldestMs;
}

async function byId(
  api: Pick<Api, "getOperation">,
  projectId: string,
  operationId: string,
  options: RequestOptions,
): Promise<OperationRecord | "vanished"> {
  try {
    return await api.getOperation(projectId, operationId, options);
  } catch (error) {
    if (isKind(error, "not_found")) return "vanished";
    throw error;
  }
}
