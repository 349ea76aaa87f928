import { z } from "zod";
import { cleanText } from "../../lib/text";
import { endpointSchema } from "./endpoint";
import { optionalText } from "./fields";
import { operationSchema } from "./operation";
import { branchSchema, projectSchema } from "./project";

/** `{project}` (public facts, calls). */
export const projectAnswer = z.object({ project: projectSchema }).transform((answer) => answer.project);

/** `{branches}` (public facts, calls). */
export const branchesAnswer = z.object({ branches: z.array(branchSchema) }).transform((answer) => answer.branches);

/** `{branch}` (public facts, calls). */
export const branchAnswer = z.object({ branch: branchSchema }).transform((answer) => answer.branch);

/** `{endpoints}` (specification, section 4.4). */
export const endpointsAnswer = z.object({ endpoints: z.array(endpointSchema) }).transform((answer) => answer.endpoints);

/** `{endpoint}` (public facts, calls). */
export const endpointAnswer = z.object({ endpoint: endpointSchema }).transform((answer) => answer.endpoint);

/** `{endpoint, operations}` of a call that changes an endpoint (specification, sections 4.3, 4.5 and 4.6). */
export const changeAnswer = z
  .object({ endpoint: endpointSchema, operations: z.array(operationSchema).nullish() })
  .transform((answer) => ({ endpoint: answer.endpoint, operations: answer.operations ?? [] }));

/** The operations of a deletion's answer (specification, section 4.6); the endpoint in it is no longer of interest. */
export const deletionAnswer = z
  .object({ operations: z.array(operationSchema).nullish() })
  .transform((answer) => answer.operations ?? []);

/** `{operation}` (specification, section 4.2). */
export const operationAnswer = z.object({ operation: operationSchema }).transform((answer) => answer.operation);

/** `{operations, pagination}` (specification, section 4.1). An empty cursor is as good as none. */
export const operationsAnswer = z
  .object({
    operations: z.array(operationSchema),
    pagination: z.object({ cursor: optionalText() }).nullish(),
  })
  .transform(({ operations, pagination }) => {
    const cursor = pagination?.cursor;
    return cursor ? { operations, cursor } : { operations };
  });

/** A decoded answer, or which fields have the wrong type, such as `endpoint.host: expected string, got number`. */
export type Decoded<T> = { ok: true; value: T } | { ok: false; reason: string };

const MAX_ISSUES = 3;
const MAX_REASON = 300;

/** Checks JSON against a schema. The reason names paths and types, never values. */
export function decode<T>(schema: z.ZodType<T>, json: unknown): Decoded<T> {
  const result = schema.safeParse(json, { error: describeIssue });
  if (result.success) return { ok: true, value: result.data };
  const reasons = result.error.issues.slice(0, MAX_ISSUES).map((issue) => `${pathOf(issue.path)}: ${issue.message}`);
  return { ok: false, reason: cleanText(reasons.join("; "), MAX_REASON) };
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return `expected ${issue.expected}, got ${typeName(issue.input)}`;
  if (issue.code === "invalid_union") return `expected string, number or boolean, got ${typeName(issue.input)}`;
  if (issue.code === "invalid_format") return "is not a legal id";
  return undefined;
}

function typeName(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function pathOf(path: PropertyKey[]): string {
  if (path.length === 0) return "the answer";
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index ? "." : ""}${String(part)}`))
    .join("");
}
