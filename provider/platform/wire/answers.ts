/** The answers of the control API: their schemas, and how JSON is checked against one. */
import { z } from "zod";
import { cleanText } from "../../lib/text";
import type { BranchRecord, OperationRecord, Page, ProjectRecord } from "../records";
import { endpointSchema, listedEndpoints } from "./endpoint";
import { id, operationId, optional, optionalText, present, timestamp, whereReadable } from "./fields";

const MAX_ERROR = 2_048;
const MAX_ISSUES = 3;
const MAX_REASON = 300;

/** An operation (specification, section 2.1, published). */
const wireOperation = z.object({
  id: operationId,
  project_id: id,
  branch_id: id.nullish(),
  endpoint_id: id.nullish(),
  action: z.string(),
  status: z.string(),
  failures_count: z.number().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  error: z.string().nullish(),
  retry_at: z.string().nullish(),
  total_duration_ms: z.number().nullish(),
});

const operationSchema = wireOperation.transform(toOperation);

/** Of a list that is mostly others' operations, what says little counts as far as it can be read. */
const listedOperationSchema = wireOperation
  .extend({
    branch_id: whereReadable(id),
    endpoint_id: whereReadable(id),
    failures_count: whereReadable(z.number()),
    updated_at: z.string().catch(""),
    error: whereReadable(z.string()),
    retry_at: whereReadable(z.string()),
    total_duration_ms: whereReadable(z.number()),
  })
  .transform(toOperation);

/** Its texts are cleaned in one step, which looks read by the hundred. */
function toOperation(wire: z.output<typeof wireOperation>): OperationRecord {
  return present({
    id: wire.id,
    projectId: wire.project_id,
    branchId: wire.branch_id ?? undefined,
    endpointId: wire.endpoint_id ?? undefined,
    action: cleanText(wire.action),
    status: cleanText(wire.status),
    failuresCount: wire.failures_count ?? 0,
    createdAt: timestamp(wire.created_at),
    updatedAt: timestamp(wire.updated_at),
    error: wire.error == null ? undefined : cleanText(wire.error, MAX_ERROR),
    retryAt: wire.retry_at == null ? undefined : timestamp(wire.retry_at),
    totalDurationMs: wire.total_duration_ms ?? undefined,
  });
}

/** A project (specification, section 4, published). */
const projectSchema = z
  .object({ id, name: optionalText(), region_id: optionalText() })
  .transform((wire): ProjectRecord => present({ id: wire.id, name: wire.name, regionId: wire.region_id }));

/** A branch (specification, section 4, published). Newer platforms call the primary branch the default one. */
const branchSchema = z
  .object({
    id,
    project_id: id,
    name: optionalText(),
    primary: optional(z.boolean()),
    default: optional(z.boolean()),
    parent_id: optional(id),
    restored_as: optional(id),
    created_at: optional(z.string().transform(timestamp)),
  })
  .transform(
    (wire): BranchRecord =>
      present({
        id: wire.id,
        projectId: wire.project_id,
        name: wire.name,
        primary: wire.primary ?? wire.default,
        parentId: wire.parent_id,
        restoredAs: wire.restored_as,
        createdAt: wire.created_at,
      }),
  );

const pagination = z.object({ cursor: optionalText() }).nullish();

/** An empty cursor is as good as none. */
function pageOf<T>(items: T[], cursor: string | undefined): Page<T> {
  return cursor ? { items, cursor } : { items };
}

/** `{projects, pagination}` (specification, section 4, published). */
export const projectsAnswer = z
  .object({ projects: z.array(projectSchema), pagination })
  .transform((answer) => pageOf(answer.projects, answer.pagination?.cursor));

/** `{branches}` (specification, section 4, published). */
export const branchesAnswer = z.object({ branches: z.array(branchSchema) }).transform((answer) => answer.branches);

/** `{branch}` (specification, section 4, published). */
export const branchAnswer = z.object({ branch: branchSchema }).transform((answer) => answer.branch);

/** `{endpoints}` (specification, section 4.4): one of others that cannot be read whole does not fail the list. */
export const endpointsAnswer = (projectId: string) =>
  z.object({ endpoints: z.array(z.unknown()) }).transform((answer) => listedEndpoints(answer.endpoints, projectId));

/** `{endpoint}` (specification, section 4, published). */
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

/** `{operations, pagination}` (specification, section 4.1). */
export const operationsAnswer = z
  .object({ operations: z.array(listedOperationSchema), pagination })
  .transform((answer) => pageOf(answer.operations, answer.pagination?.cursor));

/** The ids that a call asks with: of the project, and of the one branch, endpoint or operation. */
export interface AskedIds {
  projectId: string;
  branch?: string;
  endpoint?: string;
  operation?: string;
}

/** How many entries of which list belong elsewhere. */
export interface LeftOut {
  list: string;
  count: number;
}

const singles = ["branch", "endpoint", "operation"] as const;
const lists = ["branches", "endpoints", "operations"] as const;

/**
 * Holds the ids of any answer against those that were asked with: one record has to be the one of the call, everything that a change
 * answers has to be of the project and of its endpoint, and from a list (`isList`) goes what is of another project. The reason names paths, never values.
 * What is missing or no id is left to the schemas.
 */
export function holdIds(
  json: unknown,
  asked: AskedIds,
  isList: boolean,
): Decoded<{ json: unknown; leftOut?: LeftOut }> {
  if (!isRecord(json)) return { ok: true, value: { json } };
  for (const name of singles) {
    const record = json[name];
    if (isForeign(record, asked)) return { ok: false, reason: `${name}.project_id` };
    if (isRecord(record) && differs(record.id, asked[name])) return { ok: false, reason: `${name}.id` };
  }
  // Of a create, the answer itself says which.
  const changed = asked.endpoint ?? (isRecord(json.endpoint) ? String(json.endpoint.id) : undefined);
  for (const list of lists) {
    const entries = json[list];
    if (!Array.isArray(entries)) continue;
    if (!isList && entries.some((entry) => isRecord(entry) && differs(entry.endpoint_id, changed))) {
      return { ok: false, reason: `${list}: endpoint_id` };
    }
    const own = entries.filter((entry) => !isForeign(entry, asked));
    const count = entries.length - own.length;
    if (count === 0) continue;
    if (!isList) return { ok: false, reason: `${list}: project_id` };
    return { ok: true, value: { json: { ...json, [list]: own }, leftOut: { list, count } } };
  }
  return { ok: true, value: { json } };
}

function isForeign(record: unknown, { projectId }: AskedIds): boolean {
  return isRecord(record) && differs(record.project_id, projectId);
}

function differs(given: unknown, asked: string | undefined): boolean {
  return asked !== undefined && given !== undefined && given !== null && given !== asked;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A decoded answer, or which fields have the wrong type, such as `endpoint.host: expected string, got number`. */
export type Decoded<T> = { ok: true; value: T } | { ok: false; reason: string };

/** Checks JSON against a schema. The reason names paths and types, never values. */
export function decode<T>(schema: z.ZodType<T>, json: unknown): Decoded<T> {
  const result = schema.safeParse(json, { error: issueMessage });
  if (result.success) return { ok: true, value: result.data };
  const reasons = result.error.issues.slice(0, MAX_ISSUES).map((issue) => `${pathOf(issue.path)}: ${issue.message}`);
  return { ok: false, reason: cleanText(reasons.join("; "), MAX_REASON) };
}

function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
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
