/** Values of which only the program that sent them knows the form. */

/** True for an object with properties: no array, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
