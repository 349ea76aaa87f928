import type { OperationPage, OperationRecord } from "./records";

/** Fetches the page after `cursor`, or the first one. */
export type FetchPage = (limit: number, cursor: string | undefined) => Promise<OperationPage>;

const DEFAULT_PAGE_SIZE = 100;

/**
 * All operations, each once, although new ones push others onto the next page meanwhile. The walk ends at a page without
 * a cursor, an empty page, one shorter than the limit, or a cursor seen before (public facts, operations).
 */
export async function* walkPages(
  fetchPage: FetchPage,
  limit: number = DEFAULT_PAGE_SIZE,
): AsyncGenerator<OperationRecord, void, undefined> {
  const seenIds = new Set<string>();
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await fetchPage(limit, cursor);
    const fresh = page.operations.filter((operation) => !seenIds.has(operation.id));
    for (const operation of fresh) {
      // Checked again, since one page may hold an operation twice.
      if (seenIds.has(operation.id)) continue;
      seenIds.add(operation.id);
      yield operation;
    }
    cursor = page.cursor;
    if (cursor === undefined || page.operations.length < limit || seenCursors.has(cursor)) return;
    // Ever new cursors over a page that is all known would go on without end.
    if (fresh.length === 0) return;
    seenCursors.add(cursor);
  }
}
