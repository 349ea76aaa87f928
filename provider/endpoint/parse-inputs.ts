/** Parses raw values into inputs: checks their shape against the table of properties and keeps unknown values. */
import { z } from "zod";
import { type Failure, formatFailures, formatIssue } from "../lib/failure";
import { hasUnknown, UNKNOWN, type Values } from "../lib/unknown";
import { nearestName } from "../lib/wording";
import { PgComputeError } from "../platform/errors";
import {
  type EndpointInputs,
  type EndpointProperty,
  endpointModel,
  endpointProperties,
  propertyOf,
} from "./properties";

/** Inputs with a valid shape. Values may be unknown. */
export type CheckedInputs = { [P in EndpointProperty]?: EndpointInputs[P] | typeof UNKNOWN };

/** The valid inputs, and the failures of the others. */
export interface ReadInputs {
  inputs: CheckedInputs;
  failures: Failure[];
}

/**
 * Parses raw inputs: returns every failure, and the valid inputs with defaults. `olds`: a newer platform's enum value
 * must be in force already.
 */
export function parseInputs(raw: Values, olds?: Values): ReadInputs {
  const failures = unknownNames(raw, endpointProperties);
  const isRight = (name: string, value: unknown) =>
    propertyOf(name as EndpointProperty).openEnum === true && (olds === undefined || value === olds[name]);
  return { inputs: parseBy(endpointModel, raw, { failures, isRight }), failures };
}

/** Failures for properties that the model lacks. Names with two underscores are the hosts' and the engine's. */
export function unknownNames(given: Values, known: readonly string[], pathOf = (name: string) => name): Failure[] {
  return Object.keys(given).flatMap((name) => {
    if (name.startsWith("__") || known.includes(name) || (given[name] ?? undefined) === undefined) return [];
    const near = nearestName(name, known);
    const hint = near ? `did you mean "${near}"?` : `known properties: ${known.join(", ")}`;
    return [{ property: pathOf(name), reason: `unknown property; ${hint}` }];
  });
}

/**
 * Parses a model's values with defaults. Keeps unknown values; adds invalid ones to `failures`. `isRight` may accept
 * further texts.
 */
export function parseBy(
  model: z.ZodObject,
  given: Values,
  {
    failures,
    pathOf = (name) => name,
    isRight = () => false,
  }: { failures: Failure[]; pathOf?(name: string): string; isRight?(name: string, value: unknown): boolean },
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(model.shape) as [string, z.ZodType][]) {
    const value = given[name] ?? undefined;
    if (value === undefined && schema instanceof z.ZodOptional) continue;
    const isUnknown = value === UNKNOWN || (Array.isArray(value) && value.includes(UNKNOWN));
    if (isUnknown || (typeof value === "string" && isRight(name, value))) {
      parsed[name] = isUnknown ? UNKNOWN : value;
      continue;
    }

    const { known, restore } = withoutUnknowns(asTexts(value));
    const { data, error } = schema.safeParse(known);
    for (const issue of error?.issues ?? []) {
      const reason = value === undefined ? "required, but not set" : formatIssue(issue, { value });
      failures.push({ property: pathOf([name, ...issue.path].join(".")), reason });
    }
    if (data !== undefined) parsed[name] = restore(data);
  }
  return parsed;
}

/** Converts setting values to text, as on the wire; people write numbers and booleans too. */
function asTexts(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === "number" || typeof one === "boolean" ? String(one) : one,
    ]),
  );
}

/** Removes unknown parts of an object for checking; `restore` puts them back. */
function withoutUnknowns(value: unknown): { known: unknown; restore: (checked: unknown) => unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { known: value, restore: (v) => v };
  const entries = Object.entries(value);
  const unknown = Object.fromEntries(entries.filter(([, one]) => one === UNKNOWN));
  return {
    known: Object.fromEntries(entries.filter(([, one]) => one !== UNKNOWN)),
    restore: (checked) => ({ ...(checked as object), ...unknown }),
  };
}

/** Returns inputs to send. Throws `invalid_argument` for invalid or unknown inputs. */
export function completeInputs({ inputs, failures }: ReadInputs): EndpointInputs {
  if (failures.length > 0) {
    const reasons = formatFailures(failures);
    throw new PgComputeError("invalid_argument", `these inputs cannot be used: ${reasons}`);
  }
  if (hasUnknown(inputs)) {
    throw new PgComputeError("invalid_argument", "some of these inputs are not known yet");
  }
  return inputs as EndpointInputs;
}
