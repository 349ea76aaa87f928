/** A compute endpoint on the wire: decoded from answers, encoded for requests. */
import { z } from "zod";
import { cleanText } from "../../lib/text";
import type { EndpointBody, EndpointRecord } from "../records";
import { id, present, timestamp, whereReadable } from "./fields";

// Servers have been seen to send numbers and switches unquoted; the provider compares text.
const settingValue = z.union([z.string(), z.number(), z.boolean()]).nullable();

const settings = z.looseObject({ pg_settings: z.record(z.string(), settingValue).nullish() });

/** Fields that an endpoint may lack, in an answer of its own as well. */
const mayLack = {
  proxy_host: z.string().nullish(),
  region_id: z.string().nullish(),
  name: z.string().nullish(),
  current_state: z.string().nullish(),
  pending_state: z.string().nullish(),
  suspend_timeout_seconds: z.number().nullish(),
  settings: settings.nullish(),
  pooler_enabled: z.boolean().nullish(),
  pooler_mode: z.string().nullish(),
  disabled: z.boolean().nullish(),
  passwordless_access: z.boolean().nullish(),
  last_active: z.string().nullish(),
};

/** Fields that the provider cannot work without, where the endpoint is its own. */
const needed = {
  type: z.string(),
  host: z.string(),
  autoscaling_limit_min_cu: z.number(),
  autoscaling_limit_max_cu: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
};

const named = { project_id: id, ...needed, ...mayLack };

const LONGEST_NAME = 64;
const wireName = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const ownNames = new Set(["settings", "pg_settings", "other_settings"]);
/** Lists have thousands of names, and nearly all are these. */
const knownNames = new Map(
  Object.keys({ id, branch_id: id, ...named })
    .filter((name) => !ownNames.has(name))
    .map((name) => [name, toCamelCase(name)]),
);

/** An endpoint's own answer (specification, section 2.3, published). */
export const endpointSchema = z.looseObject({ id, branch_id: id, ...named }).transform(toRecord);

/** Of a list that is mostly others' endpoints, each field counts as far as it can be read. */
const listedSchema = z.looseObject({
  id,
  branch_id: id,
  ...Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, whereReadable(schema)])),
});

/** The endpoints of a project's list; what has no id or no branch that could be read is left out. */
export function listedEndpoints(list: readonly unknown[], projectId: string): EndpointRecord[] {
  return list.flatMap((one) => {
    const whole = endpointSchema.safeParse(one);
    if (whole.success) return [whole.data];
    const part = listedSchema.safeParse(one);
    if (!part.success) return [];
    return [toRecord({ ...part.data, project_id: part.data.project_id ?? projectId, type: part.data.type ?? "" })];
  });
}

/** The `endpoint` object of a create or update request (specification, sections 4.3 and 4.5). */
export function encodeEndpoint({ pgSettings, otherSettings, ...plain }: EndpointBody): Record<string, unknown> {
  const fields = Object.entries(plain).map(([name, value]) => [toSnakeCase(name), value]);
  const body: Record<string, unknown> = Object.fromEntries(fields);
  if (pgSettings !== undefined || otherSettings !== undefined) {
    const others = typeof otherSettings === "object" ? otherSettings : {};
    body.settings = pgSettings === undefined ? others : { ...others, pg_settings: pgSettings };
  }
  return body;
}

/** Every scalar field under its name in camelCase, its text cleaned, and the settings. An empty name is none. */
function toRecord(wire: {
  id: string;
  branch_id: string;
  settings?: unknown;
  [name: string]: unknown;
}): EndpointRecord {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire)) {
    const known = knownNames.get(name);
    if (known === undefined && (ownNames.has(name) || name.length > LONGEST_NAME || !wireName.test(name))) continue;
    const own = known ?? toCamelCase(name);
    if (typeof value === "number" || typeof value === "boolean") fields[own] = value;
    else if (typeof value === "string" && !(name === "name" && value === "")) fields[own] = textOf(name, value);
  }
  const whole = (wire.settings ?? undefined) as z.output<typeof settings> | undefined;
  const record = { ...fields, pgSettings: toPgSettings(whole), otherSettings: otherThanPg(whole) };
  return present(record) as EndpointRecord;
}

function textOf(name: string, value: string): string {
  return name.endsWith("_at") || name === "last_active" ? timestamp(value) : cleanText(value);
}

function toPgSettings(wire: z.output<typeof settings> | undefined): Record<string, string> | undefined {
  if (wire === undefined) return undefined;
  const entries = Object.entries(wire.pg_settings ?? {}).filter(([, value]) => value !== null);
  // A setting that was cut would differ from the program's for ever; the answer's own size bounds it.
  const whole = Number.POSITIVE_INFINITY;
  return Object.fromEntries(entries.map(([name, value]) => [cleanText(name, whole), cleanText(String(value), whole)]));
}

function otherThanPg(wire: z.output<typeof settings> | undefined): Record<string, unknown> | undefined {
  const { pg_settings: _, ...others } = wire ?? {};
  const given = Object.entries(others).filter(([, value]) => value !== null && value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
