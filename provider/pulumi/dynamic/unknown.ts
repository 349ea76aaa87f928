import { UNKNOWN } from "../../lib/unknown";

/** How the engine writes a value that is not known yet, for providers that only see plain values. */
export const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Translates the engine's marker to UNKNOWN, at any depth. */
export function fromEngine(value: unknown): unknown {
  return replace(value, UNKNOWN_TEXT, UNKNOWN);
}

/** Translates UNKNOWN back to the engine's marker, at any depth. */
export function toEngine(value: unknown): unknown {
  return replace(value, UNKNOWN, UNKNOWN_TEXT);
}

function replace(value: unknown, from: unknown, to: unknown): unknown {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((one) => replace(one, from, to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one, from, to)]));
}
