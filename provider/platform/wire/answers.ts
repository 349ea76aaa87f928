/** The control API on the wire: the schemas of its answers, how JSON is held against one, and the body of a request. */
import { z } from "zod";
import { ID_PATTERN, OPERATION_ID_PATTERN } from "../../lib/ids";
import { cleanText } from "../../lib/redact";
import { isRecord } from "../../lib/unknown";
import type { BranchRecord, EndpointBody, EndpointRecord, OperationRecord, Page, ProjectRecord } from "../records";

/** The longest text of an operation's error, and of a reason, in characters. */
const MAX_ERROR = 2_048;
const MAX_REASON = 300;
const MAX_ISSUES = 3;
const LONGEST_NAME = 64;
const MOST_NAMES = 500;

/** A date and a time of day, and nothing about a zone. */
const zoneless = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

const wireName = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

const ownNames = new Set(["settings", "pg_settings", "preload_libraries", "other_settings"]);

/** The id of a project, branch or endpoint (specification, section 2, published). */
const id = z.string().regex(ID_PATTERN);

/** The id of an operation (specification, section 2.1). */
const operationId = z.string().regex(OPERATION_ID_PATTERN);

// Servers have been seen to send numbers and switches unquoted; the provider compares text.
const settingValue = z.union([z.string(), z.number(), z.boolean()]).nullable();

const settings = z.looseObject({ pg_settings: z.record(z.string(), settingValue).nullish() });

const text = z.string().nullish();

const amount = z.number().nullish();

const flag = z.boolean().nullish();

/** An endpoint (specification, section 2.3, published). What may lack does so in an answer of its own as well. */
const endpointFields = {
  id,
  branch_id: id,
  project_id: id,
  type: z.string(),
  host: z.string(),
  autoscaling_limit_min_cu: z.number(),
  autoscaling_limit_max_cu: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  proxy_host: text,
  region_id: text,
  name: text,
  current_state: text,
  pending_state: text,
  suspend_timeout_seconds: amount,
  settings: settings.nullish(),
  pooler_enabled: flag,
  pooler_mode: text,
  disabled: flag,
  passwordless_access: flag,
  last_active: text,
};

/** Names of the wire and those here, since lists have thousands of them, and nearly all are the same few. */
const names = new Map<string, string>();

const endpointSchema = z.looseObject(endpointFields).transform(toRecord);

/** Of a list that is mostly others' endpoints, each field counts as far as it can be read. */
const listedSchema = z.looseObject({ ...readable(endpointFields), id, branch_id: id });

/** An operation (specification, section 2.1, published). */
const operationFields = {
  id: operationId,
  project_id: id,
  action: z.string(),
  status: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
};

const operationDetails = {
  branch_id: id.nullish(),
  endpoint_id: id.nullish(),
  failures_count: amount,
  error: text,
  retry_at: text,
  total_duration_ms: amount,
};

const operationSchema = z.object({ ...operationFields, ...operationDetails }).transform(toOperation);

/** Of a list that is mostly others' operations, what says little counts as far as it can be read. */
const listedOperationSchema = z
  .object({ ...operationFields, updated_at: z.string().catch(""), ...readable(operationDetails) })
  .transform(toOperation);

/** A project (specification, section 4, published). */
const usage = readable({
  active_time_seconds: z.number(),
  compute_time_seconds: z.number(),
  written_data_bytes: z.number(),
  data_transfer_bytes: z.number(),
});

const projectSchema = z
  .object({
    id,
    name: text,
    region_id: text,
    ...usage,
    settings: whereReadable(z.object({ quota: z.object(usage) })),
  })
  .transform(({ settings, ...wire }): ProjectRecord => {
    const quota: Partial<Record<keyof typeof usage, number | null | undefined>> = settings?.quota ?? {};
    const names = Object.keys(usage) as (keyof typeof usage)[];
    const spent = names.filter((name) => (quota[name] ?? 0) > 0 && (wire[name] ?? 0) >= (quota[name] ?? 0));
    const words = spent.map((name) => name.replace(/_(seconds|bytes)$/, "").replaceAll("_", " "));
    const { id, name, region_id } = wire;
    return { ...fieldsOf({ id, name, region_id }), ...(words.length > 0 && { spent: words }) } as ProjectRecord;
  });

/** A branch (specification, section 4, published). Newer platforms call the primary branch the default one. */
const branchSchema = z
  .object({
    id,
    project_id: id,
    name: text,
    primary: flag,
    default: flag,
    parent_id: id.nullish(),
    restored_as: id.nullish(),
    created_at: text,
  })
  .transform(
    ({ default: isDefault, ...wire }) =>
      fieldsOf({ ...wire, primary: wire.primary ?? isDefault }) as unknown as BranchRecord,
  );

const pagination = z.object({ cursor: text }).nullish();

const singles = ["branch", "endpoint", "operation"] as const;

const lists = ["branches", "endpoints", "operations"] as const;

/** `{projects, pagination}` (specification, section 4, published). */
export const projectsAnswer = z
  .object({ projects: z.array(projectSchema), pagination })
  .transform((answer) => pageOf(answer.projects, answer.pagination?.cursor));

/** `{project}` (specification, section 4, published). */
export const projectAnswer = z.object({ project: projectSchema }).transform((answer) => answer.project);

/** `{branches}` (specification, section 4, published). */
export const branchesAnswer = z.object({ branches: z.array(branchSchema) }).transform((answer) => answer.branches);

/** `{libraries}`, of which only the names are read (specification, section 4, published). */
export const preloadLibrariesAnswer = z
  .object({ libraries: z.array(z.object({ library_name: z.string() })) })
  .transform(({ libraries }) => libraries.map(({ library_name: name }) => cleanText(name)));

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
interface LeftOut {
  list: string;
  count: number;
}

/** A decoded answer, or which fields have the wrong type, such as `endpoint.host: expected string, got number`. */
export type Decoded<T> = { ok: true; value: T } | { ok: false; reason: string };

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
  if (isRecord(json.project) && differs(json.project.id, asked.projectId)) return { ok: false, reason: "project.id" };
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

/** Checks JSON against a schema. The reason names paths and types, never values. */
export function decode<T>(schema: z.ZodType<T>, json: unknown): Decoded<T> {
  const result = schema.safeParse(json, { error: issueMessage });
  if (result.success) return { ok: true, value: result.data };
  const reasons = result.error.issues.slice(0, MAX_ISSUES).map((issue) => `${pathOf(issue.path)}: ${issue.message}`);
  return { ok: false, reason: cleanText(reasons.join("; "), MAX_REASON) };
}

/** The `endpoint` object of a create or update request (specification, sections 4.3 and 4.5). */
export function encodeEndpoint(given: EndpointBody): Record<string, unknown> {
  const { pgSettings, preloadLibraries, otherSettings, ...plain } = given;
  const fields = Object.entries(plain).map(([name, value]) => [toSnakeCase(name), value]);
  const body: Record<string, unknown> = Object.fromEntries(fields);
  if (pgSettings !== undefined || preloadLibraries !== undefined || otherSettings !== undefined) {
    const others = isRecord(otherSettings) ? otherSettings : {};
    const present = isRecord(others.preload_libraries) ? others.preload_libraries : {};
    body.settings = {
      ...others,
      ...(pgSettings !== undefined && { pg_settings: pgSettings }),
      ...(preloadLibraries !== undefined && {
        preload_libraries: { ...present, enabled_libraries: preloadLibraries },
      }),
    };
  }
  return body;
}

function toOperation(wire: Readonly<Record<string, unknown>>): OperationRecord {
  return { failuresCount: 0, ...fieldsOf(wire) } as OperationRecord;
}

/** An empty cursor is as good as none. */
function pageOf<T>(items: T[], given: string | null | undefined): Page<T> {
  const cursor = cleanText(given ?? "");
  return cursor ? { items, cursor } : { items };
}

function isForeign(record: unknown, { projectId }: AskedIds): boolean {
  return isRecord(record) && differs(record.project_id, projectId);
}

function differs(given: unknown, asked: string | undefined): boolean {
  return asked !== undefined && given !== undefined && given !== null && given !== asked;
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

/** The endpoints of a project's list; what has no id or no branch that could be read is left out. */
function listedEndpoints(list: readonly unknown[], projectId: string): EndpointRecord[] {
  return list.flatMap((one) => {
    const whole = endpointSchema.safeParse(one);
    if (whole.success) return [whole.data];
    const part = listedSchema.safeParse(one);
    if (!part.success) return [];
    return [toRecord({ ...part.data, project_id: part.data.project_id ?? projectId, type: part.data.type ?? "" })];
  });
}

/** An endpoint's own fields, and its settings. */
function toRecord(wire: Readonly<Record<string, unknown>>): EndpointRecord {
  const whole = (wire.settings ?? undefined) as z.output<typeof settings> | undefined;
  return { ...fieldsOf(wire), ...(whole && settingsOf(whole)) } as EndpointRecord;
}

function settingsOf({ pg_settings: ofPostgres, ...others }: z.output<typeof settings>) {
  const isGiven = ([, value]: [string, unknown]) => value !== null && value !== undefined;
  // A setting that was cut would differ from the program's for ever; the answer's own size bounds it.
  const whole = (value: unknown) => cleanText(String(value), Number.POSITIVE_INFINITY);
  const pgSettings = Object.entries(ofPostgres ?? {}).filter(isGiven);
  const { enabled_libraries: libraries } = isRecord(others.preload_libraries) ? others.preload_libraries : {};
  const otherSettings = Object.entries(others).filter(isGiven);
  return {
    pgSettings: Object.fromEntries(pgSettings.map(([name, value]) => [whole(name), whole(value)])),
    ...(Array.isArray(libraries) && { preloadLibraries: libraries.map((name) => cleanText(String(name))) }),
    ...(otherSettings.length > 0 && { otherSettings: Object.fromEntries(otherSettings) }),
  };
}

/** Every scalar field under its name in camelCase, its text cleaned. What is null or undefined is absent, and so is an empty name. */
function fieldsOf(wire: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire)) {
    const own = ownName(name);
    if (own === "") continue;
    if (typeof value === "number" || typeof value === "boolean") fields[own] = value;
    else if (typeof value === "string" && !(name === "name" && value === "")) fields[own] = textOf(name, value);
  }
  return fields;
}

/** The name in camelCase; empty where it is none. */
function ownName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const isName = !ownNames.has(name) && name.length <= LONGEST_NAME && wireName.test(name);
  const own = isName ? toCamelCase(name) : "";
  if (isName && names.size < MOST_NAMES) names.set(name, own);
  return own;
}

function textOf(name: string, value: string): string {
  if (name.endsWith("_at") || name === "last_active") return timestamp(value);
  return cleanText(value, name === "error" ? MAX_ERROR : undefined);
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A time, cleaned. The platform's are UTC (specification, section 2.1): one that does not say so would be read as this machine's. */
function timestamp(text: string): string {
  const clean = cleanText(text);
  return zoneless.test(clean) ? `${clean}Z` : clean;
}

/** Fields of others' records in a list: absent where they cannot be read. */
function readable<S extends Readonly<Record<string, z.ZodType>>>(shape: S) {
  const fields = Object.entries(shape).map(([name, schema]) => [name, whereReadable(schema)]);
  return Object.fromEntries(fields) as { [Name in keyof S]: ReturnType<typeof whereReadable<S[Name]>> };
}

function whereReadable<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(undefined);
}
