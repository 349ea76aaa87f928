/** Values of a program that are not known yet, and the marks by which Pulumi's engine writes what JSON does not have. */

/** The key of the mark. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** A secret: its value is beside the mark, in one form or another. */
export const SECRET_MARK = "1b47061264138c4ac30d75fd1eb44270";

/** An output, which may be unknown, secret, or both. */
export const OUTPUT_MARK = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** How the engine writes a value that is not known yet. */
export const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Values by their names, whatever they are: of inputs, of a state, of a configuration. */
export type Values = Readonly<Record<string, unknown>>;

/** True for an object with properties: no array, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object's own value under a name, if it has one: the names of a program may be those that every object has. */
export function ownValue(value: unknown, name: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}

/** A value that is not known yet in a preview. Hosts translate their own marker to it and back; rules that need it wait. */
export const UNKNOWN: unique symbol = Symbol("pgcompute.unknown");

/** The values that are not absent. */
export function defined(values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

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
