import type { z } from "zod";
import { badRequest, clip } from "../lib/errors";

/** Checks a value; throws 400 with every failure, each with the path of its field. */
export function validate<T>(schema: z.ZodType<T>, value: unknown, name = "body"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // A body may have thousands of wrong fields; an answer that names them all helps nobody.
  const failures = result.error.issues.flatMap((issue) => describe(issue, value)).slice(0, 20);
  throw badRequest(failures.map(({ path, reason }) => `${path || name}: ${reason}`).join("; "));
}

function describe(issue: z.core.$ZodIssue, value: unknown): { path: string; reason: string }[] {
  const path = formatPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [path, clip(key)].filter(Boolean).join("."), reason: "unknown field" }));
  }
  const isMissing = ["invalid_type", "invalid_value"].includes(issue.code) && valueAt(value, issue.path) === undefined;
  return [{ path, reason: isMissing ? "required" : issue.message }];
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
