import { distance } from "fastest-levenshtein";
import { z } from "zod";
import { badRequest, clip } from "../lib/errors";

/** Maximum number of typos in a suggested name. */
const TYPOS = 3;

/** Checks a value; throws 400 with every failure and its field's path. */
export function validate<T>(schema: z.ZodType<T>, value: unknown, name = "body"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // A body may have thousands of wrong fields; nobody reads that many.
  const failures = result.error.issues.flatMap((issue) => describe(issue, value, schema)).slice(0, 20);
  throw badRequest(failures.map(({ path, reason }) => `${path || name}: ${reason}`).join("; "));
}

function describe(issue: z.core.$ZodIssue, value: unknown, schema: z.ZodType): { path: string; reason: string }[] {
  const path = formatPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const names = fieldsAt(schema, issue.path);
    return issue.keys.map((key) => {
      const meant = nearest(key, names);
      const reason = meant === undefined ? "unknown field" : `unknown field; did you mean "${meant}"?`;
      return { path: [path, clip(key)].filter(Boolean).join("."), reason };
    });
  }

  const isMissing = ["invalid_type", "invalid_value"].includes(issue.code) && valueAt(value, issue.path) === undefined;
  return [{ path, reason: isMissing ? "required" : issue.message }];
}

/** The field names that a schema allows at a path; empty if unknown. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const within = path.reduce<unknown[]>(
    (outer, key) =>
      outer.flatMap(formsOf).flatMap((one) => {
        if (one instanceof z.ZodObject) return [one.shape[String(key)]];
        return one instanceof z.ZodArray ? [one.element] : [];
      }),
    [schema],
  );
  return within.flatMap(formsOf).flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : []));
}

/** The alternatives of a schema, without optional wrappers. */
function formsOf(schema: unknown): unknown[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(formsOf);
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapped ? formsOf(schema.unwrap()) : [schema];
}

function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 100) return undefined;
  const away = (one: string) => distance(one.toLowerCase(), name.toLowerCase());
  const [best] = known.toSorted((a, b) => away(a) - away(b));
  return best !== undefined && away(best) <= TYPOS ? best : undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (within, key) => (typeof within === "object" && within !== null ? Reflect.get(within, key) : undefined),
    value,
  );
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index ? "." : ""}${clip(String(key))}`))
    .join("");
}
