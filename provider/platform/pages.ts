import type { OperationPage, OperationRecord } from "./records";

/** Fetches the page after `cursor`, or the first one. */
export type FetchPage = (limit: number, cursor: string | undefined) => Promise<OperationPage>;

/** How far a list is read. */
export interface PageBounds {
  /** Operations on a page. Default 100. */
  limit?: number | undefined;
  /** Pages that are read at most; a list that never ends must end somewhere. Default 1,000. */
  maxPages?: number | undefined;
}

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGES = 1_000;

/**
 * The pages of a project's operations, most recent first; each operation is on one of them only, although new ones push
 * others onto the next page meanwhile. The last page is one without a cursor, an empty one, one shorter than the limit, one
 * that shows nothing new, or one whose cursor was seen before (specification, section 4.1).
 */
export async function* pages(
  fetchPage: FetchPage,
  { limit = DEFAULT_PAGE_SIZE, maxPages = MAX_PAGES }: PageBounds = {},
): AsyncGenerator<OperationRecord[], void, undefined> {
  const seenIds = new Set<string>();
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  for (let read = 0; read < maxPages; read += 1) {
    const page = await fetchPage(limit, cursor);
    const fresh: OperationRecord[] = [];
    for (const operation of page.operations) {
      if (seenIds.has(operation.id)) continue;
      seenIds.add(operation.id);
      fresh.push(operation);
    }
    // Ever new cursors over a page that is all known would go on without end.
    if (fresh.length === 0) return;
    yield fresh;
    cursor = page.cursor;
    if (cursor === undefined || page.operations.length < limit || seenCursors.has(cursor)) return;
    seenCursors.add(cursor);
  }
}
