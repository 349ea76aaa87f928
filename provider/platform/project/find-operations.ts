import type { Api, RequestOptions } from "../api";
import { isKind } from "../errors";
import type { OperationRecord } from "../records";

const MAX_PAGE = 1_000;
const SPARE = 100;
const PER_WANTED = 4;
/** So few that are not on a page are asked for by id: they may be many pages down. */
const FEW = 2;

/** How to look. */
export interface FindOptions extends RequestOptions {
  /** Ids that must be found; the others are only taken along where the list shows them. Default all. */
  due?: ReadonlySet<string> | undefined;
  /** Called before every call. */
  onCall?: (() => void) | undefined;
}

/**
 * Looks at several operations of a project with as few calls as it can: a lone one by id (specification, section 4.2),
 * several from the list, newest first, until those due were met or the list is past the oldest of them (section 4.1).
 * What the list does not show is asked for by id before it is called vanished.
 */
export async function findOperations(
  api: Pick<Api, "getOperation" | "listOperations">,
  projectId: string,
  wanted: readonly OperationRecord[],
  { due, onCall = () => {}, ...options }: FindOptions = {},
): Promise<Map<string, OperationRecord | "vanished">> {
  const found = new Map<string, OperationRecord | "vanished">();
  const missing = new Map(wanted.filter(({ id }) => due?.has(id) ?? true).map((one) => [one.id, one]));
  const ids = new Set(wanted.map(({ id }) => id));
  if (ids.size > 1) {
    const limit = Math.min(MAX_PAGE, SPARE + PER_WANTED * wanted.length);
    for await (const operations of pages(api, projectId, { limit, onCall, until: missing, options })) {
      for (const operation of operations) {
        missing.delete(operation.id);
        // A cursor that repeats shows nothing newer.
        if (ids.delete(operation.id)) found.set(operation.id, operation);
      }
    }
  }
  for (const id of missing.keys()) {
    onCall();
    found.set(id, await byId(api, projectId, id, options));
  }
  return found;
}

interface PageOptions {
  limit: number;
  until: ReadonlyMap<string, OperationRecord>;
  onCall: () => void;
  options: RequestOptions;
}

/** Pages of the list while it may show some of those that are missing. */
async function* pages(
  api: Pick<Api, "listOperations">,
  projectId: string,
  { limit, until, onCall, options }: PageOptions,
): AsyncIterable<readonly OperationRecord[]> {
  let cursor: string | undefined;
  do {
    onCall();
    const page = await api.listOperations(projectId, cursor === undefined ? { limit } : { limit, cursor }, options);
    yield page.operations;
    const last = page.operations.at(-1);
    const oldest = Math.min(...[...until.values()].map(({ createdAt }) => Date.parse(createdAt)));
    // Timestamps are whole seconds, so the page has to be strictly past the oldest.
    const isPast = !last || Date.parse(last.createdAt) < oldest;
    if (isPast || page.operations.length < limit || page.cursor === cursor) return;
    cursor = page.cursor;
  } while (until.size > FEW && cursor !== undefined);
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
