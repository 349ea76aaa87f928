/** Raw values as inputs: their shape against the table of properties, and the values that are not known yet. */
import { z } from "zod";
import type { Failure } from "../lib/failure";
import { UNKNOWN } from "../lib/unknown";
import { nearestName } from "../lib/wording";
import { type EndpointInputs, type EndpointProperty, endpointProperties, propertyOf } from "./properties";

/** Inputs whose shape is right, where some values may not be known yet. */
export type CheckedInputs = { [P in EndpointProperty]: EndpointInputs[P] | typeof UNKNOWN };

/**
 * Checks the shape of raw inputs against the model: required properties, types, enums, unknown names (with the nearest
 * known one). Gives every failure, and the inputs with defaults filled in; a property that failed is left out. With the
 * `olds` of a check, a value that only a newer platform knows is right where it is in force already; without them the
 * inputs have been checked before, and it stays.
 */
export function parseInputs(
  raw: Readonly<Record<string, unknown>>,
  olds?: Readonly<Record<string, unknown>>,
): {
  inputs: Partial<CheckedInputs>;
  failures: Failure[];
} {
  const failures: Failure[] = [];
  const inputs: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    // Names with two underscores are the hosts' and the engine's own.
    if (name.startsWith("__") || endpointProperties.includes(name as EndpointProperty)) continue;
    if (value === undefined || value === null) continue;
    const near = nearestName(name, endpointProperties);
    const hint = near ? `did you mean "${near}"?` : `known properties: ${endpointProperties.join(", ")}`;
    failures.push({ property: name, reason: `unknown property; ${hint}` });
  }
  for (const property of endpointProperties) {
    const value = raw[property] ?? undefined;
    if (value === UNKNOWN || (Array.isArray(value) && value.includes(UNKNOWN))) {
      inputs[property] = UNKNOWN;
      continue;
    }
    const { schema, openEnum } = propertyOf(property);
    if (value === undefined && schema instanceof z.ZodOptional) continue;
    if (openEnum && typeof value === "string" && (olds === undefined || value === olds[property])) {
      inputs[property] = value;
      continue;
    }
    const { known, restore } = withoutUnknowns(asTexts(value));
    const parsed = schema.safeParse(known);
    if (parsed.success) {
      if (parsed.data !== undefined) inputs[property] = restore(parsed.data);
    } else {
      for (const issue of parsed.error.issues) {
        const path = [property, ...issue.path].join(".");
        failures.push({ property: path, reason: reasonOf(issue, value) });
      }
    }
  }
  return { inputs: inputs as Partial<CheckedInputs>, failures };
}

function reasonOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "required, but not set";
  if (issue.code === "invalid_value") {
    return `${JSON.stringify(value)} is not one of ${issue.values.map((one) => JSON.stringify(one)).join(", ")}`;
  }
  if (issue.code === "invalid_type") return `has to be a ${issue.expected}, not ${kindOf(value, issue.path)}`;
  return issue.message;
}

function kindOf(value: unknown, path: readonly PropertyKey[]): string {
  const found = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  if (found === null) return "null";
  if (Array.isArray(found)) return "an array";
  if (typeof found === "number" && !Number.isFinite(found)) return String(found);
  return typeof found === "object" ? "an object" : `a ${typeof found}`;
}

/** Settings, the one map there is, are text on the wire; numbers and booleans are what people write. */
function asTexts(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === "number" || typeof one === "boolean" ? String(one) : one,
    ]),
  );
}

/** Takes unknown members out of an object for checking; `restore` puts them back. */
function withoutUnknowns(value: unknown): { known: unknown; restore: (checked: unknown) => unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { known: value, restore: (v) => v };
  const entries = Object.entries(value);
  const unknown = Object.fromEntries(entries.filter(([, one]) => one === UNKNOWN));
  return {
    known: Object.fromEntries(entries.filter(([, one]) => one !== UNKNOWN)),
    restore: (checked) => ({ ...(checked as object), ...unknown }),
  };
}
