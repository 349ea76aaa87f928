/** The engine's marker of an unknown value, to UNKNOWN and back. */
import { UNKNOWN } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";

/** How the engine writes a value that is not known yet, for providers that only see plain values. */
export const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

// Deeper than any value of this provider, and far from the end of the stack.
const MAX_DEPTH = 64;

type Values = Record<string, unknown>;

/** Which value takes the place of which, in which property. */
interface Replacement {
  from: unknown;
  to: unknown;
  property: string;
}

/** Values with UNKNOWN in place of the engine's marker. Throws `invalid_argument` for values of more than 64 levels. */
export function fromEngine(values: Readonly<Values>): Values {
  return translate(values, { from: UNKNOWN_TEXT, to: UNKNOWN });
}

/** Values with the engine's marker in place of UNKNOWN. */
export function toEngine(values: Readonly<Values>): Values {
  return translate(values, { from: UNKNOWN, to: UNKNOWN_TEXT });
}

function translate(values: Readonly<Values>, which: Omit<Replacement, "property">): Values {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([property, value]) => [property, replace(value, { ...which, property })]));
}

function replace(value: unknown, which: Replacement, depth = 1): unknown {
  if (depth > MAX_DEPTH) {
    throw new PgComputeError("invalid_argument", `${which.property} is nested more than ${MAX_DEPTH} levels deep`);
  }
  if (value === which.from) return which.to;
  const inner = (one: unknown) => replace(one, which, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
}
