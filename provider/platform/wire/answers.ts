/** The control API on the wire: schemas that turn answers into records, and the encoding of bodies and queries. */
import { z } from "zod";
import { cleanText } from "../../lib/redact";
import { isRecord } from "../../lib/unknown";
import {
  branchModel,
  type EndpointBody,
  type EndpointRecord,
  endpointRecordModel,
  operationModel,
  projectModel,
  wholeRecord,
} from "../records";

type Wire = Readonly<Record<string, unknown>>;

/** Maximum length of an operation's error, in characters; of a reason and other texts below. */
const MAX_ERROR = 2_048;
const MAX_REASON = 300;
const MAX_ISSUES = 3;
const LONGEST_NAME = 64;
const MOST_NAMES = 500;

/** A date and time without a time zone. */
const zoneless = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

const wireName = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** Times of an endpoint's last activity. The platform writes 2000-01-01 for never (recorded 2024 to 2026). */
const activityTimes: ReadonlySet<string> = new Set(["lastActive", "startedAt", "suspendedAt"]);
const NEVER_MS = Date.UTC(2000, 0, 1);

/** Bounds of numbers that can be true, in CU and seconds, far beyond what any platform has. */
const LARGEST_CU = 65_536;
const NEVER_SUSPENDS = -1;
const LONGEST_DELAY = 2 ** 31 - 1;

/** Record fields that come from the answer's `settings`. */
const ofSettings = { pgSettings: true, preloadLibraries: true, otherSettings: true } as const;

/** Wire names by camelCase conversion, cached: lists repeat the same few thousands of times. */
const names = new Map<string, string>();

// Servers have sent unquoted numbers and booleans; the provider compares text.
const settingValue = z.union([z.string(), z.number(), z.boolean()]).nullable();
const settings = z.looseObject({ pg_settings: z.record(z.string(), settingValue).nullish() });

/** A size that a compute can have, and an autosuspend delay that a platform can count. */
const size = z.number().positive().max(LARGEST_CU).exactOptional();
const delay = z.number().int().min(NEVER_SUSPENDS).max(LONGEST_DELAY).exactOptional();

const wireEndpoint = endpointRecordModel.omit(ofSettings).extend({
  settings: settings.exactOptional(),
  autoscalingLimitMinCu: size,
  autoscalingLimitMaxCu: size,
  suspendTimeoutSeconds: delay,
});
const endpointSchema = onWire(wireEndpoint.required(wholeRecord)).transform(withSettings);
/** An endpoint in a list, where the project may be missing. */
const listedEndpoint = wireEndpoint.extend({
  projectId: wireEndpoint.shape.projectId.default(""),
  type: z.string().catch(""),
});
const listedEndpointSchema = onWire(listedEndpoint, "listed").transform(withSettings);

const { failuresCount, updatedAt } = operationModel.shape;
const operationSchema = onWire(operationModel.extend({ failuresCount: failuresCount.default(0) }));
const listedOperation = operationModel.extend({
  failuresCount: failuresCount.catch(0),
  updatedAt: updatedAt.catch(""),
});
const operations = z
  .array(operationSchema)
  .nullish()
  .transform((all) => all ?? []);

const counters = ["active_time_seconds", "compute_time_seconds", "written_data_bytes", "data_transfer_bytes"];
const projectSchema = z.preprocess(
  (json) => (isRecord(json) ? { ...json, spent: spentOf(json) } : json),
  onWire(projectModel),
);

// Newer platforms name the primary branch `default`.
const branchSchema = z.preprocess(
  (json) =>
    isRecord(json)
      ? { ...json, primary: json.primary ?? json.default, restricted_actions: restrictionsOf(json.restricted_actions) }
      : json,
  onWire(branchModel),
);

/** `{projects, pagination}` (specification, section 4, published). */
export const projectsAnswer = pageOf("projects", projectSchema);

/** `{project}` (specification, section 4, published). */
export const projectAnswer = only("project", projectSchema);

/** `{branches, pagination}` (specification, section 4, published). */
export const branchesAnswer = pageOf("branches", branchSchema);

/** `{libraries}`, reduced to their names (specification, section 4, published). */
export const preloadLibrariesAnswer = only(
  "libraries",
  z.array(
    only(
      "library_name",
      z.string().transform((name) => cleanText(name)),
    ),
  ),
);

/** `{branch}` (specification, section 4, published). */
export const branchAnswer = only("branch", branchSchema);

/**
 * `{endpoints}` (specification, section 4.4). Malformed fields are dropped, and endpoints without id or branch. A
 * missing project is empty.
 */
export const endpointsAnswer = only("endpoints", z.array(z.unknown())).transform((list) =>
  list.flatMap((one) => endpointSchema.safeParse(one).data ?? listedEndpointSchema.safeParse(one).data ?? []),
);

/** `{endpoint}` (specification, section 4, published). */
export const endpointAnswer = only("endpoint", endpointSchema);

/** `{endpoint, operations}` of a call that changes an endpoint (specification, sections 4.3, 4.5 and 4.6). */
export const changeAnswer = z.object({ endpoint: endpointSchema, operations });

/** `{endpoint, operations}` of a delete (specification, section 4.6); of the endpoint only the id, if present. */
export const deletionAnswer = z.object({
  endpoint: z.preprocess(
    (json) => (isRecord(json) ? json : {}),
    onWire(z.object({ id: z.string().exactOptional(), projectId: z.string().exactOptional() })),
  ),
  operations,
});

/** `{operation}` (specification, section 4.2). */
export const operationAnswer = only("operation", operationSchema);

/** `{operations, pagination}` (specification, section 4.1). */
export const operationsAnswer = pageOf("operations", onWire(listedOperation, "listed"));

/** A decoded answer, or the fields of the wrong type, as in `endpoint.host: expected string, got number`. */
export type Decoded<T> = { ok: true; value: T } | { ok: false; reason: string };

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

/** The parameters of a request after the question mark, without undefined ones. */
export function encodeQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(toSnakeCase(name), String(value));
  }
  return query.toString();
}

/**
 * The schema that turns a wire object into a model's record. In a `listed` one, malformed optional fields are dropped.
 */
function onWire<T extends z.ZodObject>(model: T, listed?: "listed") {
  const isReadable = ([name, value]: [string, unknown]) => {
    const schema = model.shape[name];
    return !(schema instanceof z.ZodExactOptional) || schema.safeParse(value).success;
  };
  return z.preprocess((json) => {
    if (!isRecord(json)) return json;
    const fields = fieldsOf(json, model.shape);
    return listed ? Object.fromEntries(Object.entries(fields).filter(isReadable)) : fields;
  }, model);
}

/** The schema of an answer with one field, read as that field's value. */
function only<S extends z.ZodType>(name: string, schema: S) {
  return z.object({ [name]: schema }).transform((answer) => answer[name] as z.output<S>);
}

/** The schema of a page. The next one's cursor is `cursor` or, of branches, `next`; an empty one counts as none. */
function pageOf<S extends z.ZodType>(name: string, schema: S) {
  const pagination = z.object({ cursor: z.string().nullish(), next: z.string().nullish() }).nullish();
  return z.object({ [name]: z.array(schema), pagination }).transform((answer) => {
    const told = answer.pagination as z.output<typeof pagination>;
    const cursor = cleanText(told?.cursor || told?.next || "");
    return { items: answer[name] as z.output<S>[], ...(cursor !== "" && { cursor }) };
  });
}

/** A branch's restricted actions with clean texts; malformed ones are left out. */
function restrictionsOf(all: unknown): { name: string; reason: string }[] | undefined {
  if (!Array.isArray(all)) return undefined;
  return all.filter(isRecord).flatMap(({ name, reason = "" }) => {
    if (typeof name !== "string" || typeof reason !== "string") return [];
    return [{ name: cleanText(name, LONGEST_NAME), reason: cleanText(reason, MAX_REASON) }];
  });
}

/** A project's used-up quotas. */
function spentOf({ settings, ...used }: Wire): string[] | undefined {
  const quota = isRecord(settings) && isRecord(settings.quota) ? settings.quota : {};
  const spent = counters.filter((name) => Number(quota[name]) > 0 && Number(used[name]) >= Number(quota[name]));
  const words = spent.map((name) => name.replace(/_(seconds|bytes)$/, "").replaceAll("_", " "));
  return words.length > 0 ? words : undefined;
}

function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return `expected ${issue.expected}, got ${typeName(issue.input)}`;
  if (issue.code === "invalid_union") return `expected string, number or boolean, got ${typeName(issue.input)}`;
  if (issue.code === "too_small" || issue.code === "too_big") return "is a number that cannot be";
  if (issue.code === "invalid_format") return "is not a legal id";
  return undefined;
}

function typeName(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}

function pathOf(path: PropertyKey[]): string {
  if (path.length === 0) return "the answer";
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index ? "." : ""}${toSnakeCase(String(part))}`))
    .join("");
}

function withSettings({ settings: whole, ...fields }: z.output<typeof wireEndpoint>): EndpointRecord {
  if (whole === undefined) return fields;
  const { pg_settings: ofPostgres, ...others } = whole;
  const isGiven = ([, value]: [string, unknown]) => value !== null && value !== undefined;
  // Uncut: a cut setting would differ from the program's for ever. The answer's size bounds it.
  const uncut = (value: unknown) => cleanText(String(value), Number.POSITIVE_INFINITY);
  const pgSettings = Object.entries(ofPostgres ?? {}).filter(isGiven);
  const { enabled_libraries: libraries } = isRecord(others.preload_libraries) ? others.preload_libraries : {};
  const otherSettings = Object.entries(others).filter(isGiven);

  return {
    ...fields,
    pgSettings: Object.fromEntries(pgSettings.map(([name, value]) => [uncut(name), uncut(value)])),
    ...(Array.isArray(libraries) && { preloadLibraries: libraries.map((name) => cleanText(String(name))) }),
    ...(otherSettings.length > 0 && { otherSettings: Object.fromEntries(otherSettings) }),
  };
}

/** An object's fields under camelCase names, with clean text. Absent: null, an empty name, a time that means never. */
function fieldsOf(wire: Wire, shape: Wire): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire)) {
    const own = ownName(name);
    if (own === "" || value === null || value === undefined || (own === "name" && value === "")) continue;
    if (typeof value === "string" && isNever(own, value)) continue;
    if (typeof value === "string") fields[own] = textOf(own, value);
    else if (typeof value !== "object" || Object.hasOwn(shape, own)) fields[own] = value;
  }
  return fields;
}

/** The camelCase name; empty for an invalid one. */
function ownName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (name.length > LONGEST_NAME || !wireName.test(name)) return "";
  const camelCase = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const own = Object.hasOwn(ofSettings, camelCase) ? "" : camelCase;
  if (names.size < MOST_NAMES) names.set(name, own);
  return own;
}

/** A clean text. A time without a zone becomes UTC, the platform's zone (specification, section 2.1). */
function textOf(name: string, value: string): string {
  const text = cleanText(value, name === "error" ? MAX_ERROR : undefined);
  const isTime = name.endsWith("At") || name === "lastActive";
  return isTime && zoneless.test(text) ? `${text}Z` : text;
}

function isNever(name: string, time: string): boolean {
  return activityTimes.has(name) && Date.parse(textOf(name, time)) <= NEVER_MS;
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
