import type { Page } from "./records";

/** Fetches the page after `cursor`, or the first one. */
export type FetchPage<T> = (wanted: { limit: number; cursor?: string | undefined }) => Promise<Page<T>>;

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGES = 1_000;

/**
 * The pages of a list; each item is on one of them only, although new ones may push others onto the next page meanwhile. The
 * last page is one without a cursor, an empty one, one shorter than the limit, one that shows nothing new, or one whose
 * cursor was seen before (specification, section 4.1). A page has 100 items, and at most 1,000 pages are read, where nothing else is said.
 */
export async function* pages<T extends { id: string }>(
  fetchPage: FetchPage<T>,
  { limit = DEFAULT_PAGE_SIZE, maxPages = MAX_PAGES }: { limit?: number | undefined; maxPages?: number } = {},
): AsyncGenerator<T[], void, undefined> {
  const seenIds = new Set<string>();
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  for (let read = 0; read < maxPages; read += 1) {
    const page = await fetchPage({ limit, cursor });
    const fresh: T[] = [];
    for (const item of page.items) {
      if (seenIds.has(item.id)) continue;
      seenIds.add(item.id);
      fresh.push(item);
    }
    // Ever new cursors over a page that is all known would go on without end.
    if (fresh.length === 0) return;
    yield fresh;
    cursor = page.cursor;
    if (cursor === undefined || page.items.length + (page.leftOut ?? 0) < limit || seenCursors.has(cursor)) return;
    seenCursors.add(cursor);
  }
}
