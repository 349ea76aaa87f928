/** Queries of the lists. A parameter without a value counts as absent; unknown ones are accepted. */

import { z } from "zod";
import { fromCursor } from "../lib/timestamp";
import { idText } from "./body";

/** The maximum page sizes (specification, section 4.1, published). */
const MAX_OPERATIONS = 1000;
const MAX_PROJECTS = 400;
const MAX_BRANCHES = 10_000;

/** The operation list's query (specification, section 4.1); `cursor` becomes microseconds since the epoch. */
export const operationQuery = z.looseObject({
  limit: limit(MAX_OPERATIONS),
  cursor: ifGiven(
    z.string().transform((cursor, context) => {
      const micros = fromCursor(cursor);
      if (micros !== undefined) return micros;
      context.addIssue({ code: "custom", message: "must be the cursor of an earlier page" });
      return z.NEVER;
    }),
  ),
});

/**
 * The project list's query (specification, section 4, published); `cursor` is the previous page's last id. `timeout`,
 * in milliseconds, has no effect.
 */
export const projectQuery = z.looseObject({
  limit: limit(MAX_PROJECTS),
  cursor: ifGiven(z.string()),
  search: ifGiven(z.string()),
  org_id: ifGiven(idText),
  timeout: ifGiven(wholeNumber(100, 30_000)),
});

/** The fields that branches can be sorted by. */
const branchOrders = ["updated_at", "created_at", "name"] as const;

/** The branch list's query (specification, section 4, published). */
export const branchQuery = z.looseObject({
  limit: limit(MAX_BRANCHES),
  cursor: ifGiven(z.string()),
  search: ifGiven(z.string()),
  sort_by: ifGiven(z.enum(branchOrders)),
  sort_order: ifGiven(z.enum(["asc", "desc"])),
});

function limit(max: number) {
  return ifGiven(wholeNumber(1, max));
}

function wholeNumber(min: number, max: number) {
  const whole = z.string().regex(/^-?\d{1,9}$/, { error: "must be a whole number" });
  return whole.transform(Number).pipe(z.int().min(min).max(max));
}

function ifGiven<T>(schema: z.ZodType<T>) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
}
