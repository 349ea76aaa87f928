/** The form of the platform's ids. */

/** Ids of projects, branches and endpoints (specification, section 2.3, published). */
export const ID_PATTERN = /^[a-z0-9-]{1,60}$/;

/** Operation ids are UUIDs (specification, section 2.1); other ids without special characters are tolerated. */
export const OPERATION_ID_PATTERN = /^[A-Za-z0-9-]{1,64}$/;

/** True for text that has the form of an id: 1 to 60 of a-z, 0-9 and -. */
export function isId(value: string): boolean {
  return ID_PATTERN.test(value);
}
