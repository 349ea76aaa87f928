/** Pages of searched and sorted lists: branches and projects (specification, section 4, published). */

import type { z } from "zod";
import { badRequest } from "../lib/errors";
import type { BranchRecord } from "../model/branch";
import type { branchQuery } from "../requests/list-query";

/** A position in a sorted list: the sort key, then a tie-breaker. */
type Place = readonly [key: string, order: number];

/**
 * Branches per page, with a larger `limit` too: clients of today's public platform say so; its description allows more
 * and names no default.
 */
const BRANCHES_PER_PAGE = 100;

/** The items whose id or name contains `search`, in any case; all items without `search`. */
export function matching<T extends { id: string; name: string }>(items: readonly T[], search: string | undefined): T[] {
  if (search === undefined) return [...items];
  const wanted = search.toLowerCase();
  return items.filter(({ id, name }) => id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted));
}

/**
 * A page of branches, last changed first, with at most `maxPageSize`. The last page has no `pagination`. Throws 400 for
 * an invalid cursor.
 */
export function branchPage(
  all: readonly BranchRecord[],
  query: z.output<typeof branchQuery>,
  maxPageSize = BRANCHES_PER_PAGE,
) {
  const { limit = BRANCHES_PER_PAGE, cursor, search, sort_by = "updated_at", sort_order = "desc" } = query;
  const sign = sort_order === "asc" ? 1 : -1;

  // Times have whole seconds; among equal ones the branch created later counts as later.
  const created = new Map(all.map((branch, index) => [branch.id, index]));
  const placeOf = (branch: BranchRecord): Place => [branch[sort_by], created.get(branch.id) ?? 0];
  const after = cursor === undefined ? undefined : fromCursor(cursor);
  const sorted = matching(all, search)
    .map((branch) => ({ branch, place: placeOf(branch) }))
    .sort((a, b) => sign * compare(a.place, b.place))
    .filter(({ place }) => after === undefined || sign * compare(place, after) > 0);

  const page = sorted.slice(0, Math.min(limit, maxPageSize));
  const last = page.at(-1);
  const more = last !== undefined && page.length < sorted.length;
  return {
    branches: page.map(({ branch }) => branch),
    ...(more && { pagination: { next: toCursor(last.place), sort_by, sort_order } }),
  };
}

function compare([keyA, orderA]: Place, [keyB, orderB]: Place): number {
  if (keyA !== keyB) return keyA < keyB ? -1 : 1;
  return orderA - orderB;
}

function toCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

function fromCursor(cursor: string): Place {
  const text = Buffer.from(cursor, "base64url").toString();
  const match = /^\["((?:[^"\\]|\\.)*)",(\d{1,9})\]$/s.exec(text);
  if (!match) throw badRequest("cursor: must be the cursor of an earlier page");
  return JSON.parse(text);
}
