/** The common rules for bodies of all calls: their dialect, and the treatment of unknown fields. */

import { z } from "zod";
import { ID } from "../lib/random";
import type { Settings } from "../settings/settings";
import type { Dialect } from "./form";

/** The context that a body is checked against, besides the fixed rules. */
export interface BodyContext {
  dialect: Dialect;
  settings: Settings;
}

/**
 * A schema that is built once for the settings and the dialect: to build one takes longer than to check many bodies. Settings are
 * replaced, never changed in place.
 */
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

/** An object whose unknown fields are refused, so that a typo does not pass, or forgotten where the setting says so. */
export function object<Shape extends z.ZodRawShape>({ settings }: BodyContext, shape: Shape): z.ZodObject<Shape> {
  return settings.unknownFields === "accept" ? z.object(shape) : z.strictObject(shape);
}

/**
 * A text for which an empty one counts as absent, as some clients send what their user left out (specification, section 4.3,
 * published).
 */
export function optionalText(schema: z.ZodType<string> = z.string()) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional());
}

/** An id, of an organization too, as published. */
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
