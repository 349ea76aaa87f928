/** Fields that the answers have in common. */
import { z } from "zod";
import { ID_PATTERN, OPERATION_ID_PATTERN } from "../../lib/ids";
import { cleanText } from "../../lib/text";

/** A date and a time of day, and nothing about a zone. */
const zoneless = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** A string that may be absent or null, which is the same; cleaned for terminals and bounded in length (see `cleanText`). */
export function optionalText() {
  return optional(z.string().transform((value) => cleanText(value)));
}

/** A time, cleaned. The platform's are UTC (specification, section 2.1): one that does not say so would be read as this machine's. */
export function timestamp(text: string): string {
  const clean = cleanText(text);
  return zoneless.test(clean) ? `${clean}Z` : clean;
}

/** A field that may be absent or null, which is the same. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A field of others' records in a list: absent where it cannot be read. */
export function whereReadable<T extends z.ZodType>(schema: T) {
  return optional(schema).catch(undefined);
}

/** The id of a project, branch or endpoint (specification, section 2, published). */
export const id = z.string().regex(ID_PATTERN);

/** The id of an operation (specification, section 2.1). */
export const operationId = z.string().regex(OPERATION_ID_PATTERN);

/** An object whose properties are absent where they would be undefined. */
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined properties, so that absent stays absent in comparisons and in states. */
export function present<T extends object>(value: T): Present<T> {
  // Not by way of pairs: a list has thousands of them.
  const given: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) if (one !== undefined) given[name] = one;
  return given as Present<T>;
}
