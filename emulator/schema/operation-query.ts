import { z } from "zod";
import { fromCursor } from "../model/timestamp";

/** The largest page of operations, which section 4.1 leaves open and the public facts give. */
export const MAX_PAGE_SIZE = 1000;

/** The query of the operation list (section 4.1); `cursor` comes out as microseconds since the epoch. */
export const operationQuery = z.looseObject({
  limit: z
    .string()
    .regex(/^\d{1,9}$/, { error: "must be a whole number" })
    .transform(Number)
    .pipe(z.int().min(1).max(MAX_PAGE_SIZE))
    .optional(),
  cursor: z
    .string()
    .transform((cursor, context) => {
      const micros = fromCursor(cursor);
      if (micros !== undefined) return micros;
      context.addIssue({ code: "custom", message: "must be the cursor of an earlier page" });
      return z.NEVER;
    })
    .optional(),
});
