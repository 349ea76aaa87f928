/** Common rules for request bodies: their dialect, and unknown fields. */

import { z } from "zod";
import { ID } from "../lib/random";
import type { Settings } from "../settings/settings";
import type { Dialect } from "./form";

/** The dialect and the settings that a body is checked with. */
export interface BodyContext {
  dialect: Dialect;
  settings: Settings;
}

/** A schema cached by settings, which are never changed in place, and dialect: building one is slow. */
export function builtOnce<T>(build: (context: BodyContext) => T): (context: BodyContext) => T {
  const built = new WeakMap<Settings, Map<Dialect, T>>();
  return (context) => {
    const { settings, dialect } = context;
    const byDialect = built.get(settings) ?? new Map<Dialect, T>();
    built.set(settings, byDialect);
    const schema = byDialect.get(dialect) ?? build(context);
    byDialect.set(dialect, schema);
    return schema;
  };
}

/** An object schema that refuses unknown fields, to catch typos, or ignores them by setting. */
export function object<Shape extends z.ZodRawShape>({ settings }: BodyContext, shape: Shape): z.ZodObject<Shape> {
  return settings.unknownFields === "accept" ? z.object(shape) : z.strictObject(shape);
}

/** A text where empty counts as absent, as some clients send unset values (specification, section 4.3, published). */
export function optionalText(schema: z.ZodType<string> = z.string()) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
}

/** A published id, such as an organization's. */
export const idText = z.string().regex(ID, { error: `must match ${ID.source}` });

/** The id of a region. */
export const regionText = z.string().regex(/^[a-z]+-[a-z0-9-]+$/, { error: "must have the form provider-region" });

/** The value without these fields. */
export function without<T extends object>(value: T, fields: readonly string[]): T {
  const kept = { ...value };
  for (const field of fields) if (Object.hasOwn(kept, field)) delete kept[field as keyof T];
  return kept;
}

/** The object without its undefined properties. */
export function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
