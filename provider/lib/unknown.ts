/** Unknown values of a program, and the engine's marks for values that JSON lacks. */

/** The key of a mark. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** The mark of a secret; its value is beside the mark. */
export const SECRET_MARK = "1b47061264138c4ac30d75fd1eb44270";

/** The mark of an output, which may be unknown, secret, or both. */
export const OUTPUT_MARK = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** The engine's form of an unknown value. */
export const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Values by name: inputs, a state or a configuration. */
export type Values = Readonly<Record<string, unknown>>;

/** True for an object that is no array and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object's own value, if any. Program names may collide with inherited ones. */
export function ownValue(value: unknown, name: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}

/** A value that a preview does not know yet. Hosts convert it to and from their own marker; rules on it wait. */
export const UNKNOWN: unique symbol = Symbol("pgcompute.unknown");

/** The values without absent ones. */
export function defined(values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** A value that may be absent or unknown. */
export type Maybe<T> = T | undefined | typeof UNKNOWN;

/** True for a value that is present and known. */
export function isKnown<T>(value: Maybe<T>): value is T {
  return value !== undefined && value !== UNKNOWN;
}

/** True if any value at any depth is unknown. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
