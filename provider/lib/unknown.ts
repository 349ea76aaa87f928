/** True for an object with properties: no array, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A value that the engine does not know yet during a preview, such as an output of a resource still to be created.
 * Hosts translate their own marker to this symbol and back; rules that need the value are skipped until it is known.
 */
export const UNKNOWN: unique symbol = Symbol("pgcompute.unknown");

/** A value that may be absent or not known yet. */
export type Maybe<T> = T | undefined | typeof UNKNOWN;

/** True for a value that is present and known. */
export function isKnown<T>(value: Maybe<T>): value is T {
  return value !== undefined && value !== UNKNOWN;
}

/** True when something in the values, at whatever depth, is not known yet. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
