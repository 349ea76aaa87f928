import { PgComputeError } from "./errors";
import { cleanText } from "./text";

/** What an id in a path can stand for. */
export type IdKind = "project" | "branch" | "endpoint" | "operation";

/** Ids of projects, branches and endpoints (public facts, wire fields). */
export const ID_PATTERN = /^[a-z0-9-]{1,60}$/;

/** Operation ids are UUIDs (specification, section 2.1); other ids without special characters are tolerated. */
export const OPERATION_ID_PATTERN = /^[A-Za-z0-9-]{1,64}$/;

const SHOWN_LENGTH = 40;

/**
 * The id as a segment of a path. Throws `invalid_argument`, naming which id it is, when the platform cannot have given
 * it out, so that no value can lead to another path.
 */
export function idSegment(kind: IdKind, value: string): string {
  const pattern = kind === "operation" ? OPERATION_ID_PATTERN : ID_PATTERN;
  if (typeof value === "string" && pattern.test(value)) return encodeURIComponent(value);
  const form =
    kind === "operation" ? "1 to 64 letters, digits and dashes" : "1 to 60 lower-case letters, digits and dashes";
  throw new PgComputeError(
    "invalid_argument",
    `${shown(value)} cannot be the id of ${kind === "project" || kind === "branch" ? "a" : "an"} ${kind}: ` +
      `an id has ${form}. No call was made; correct the id.`,
  );
}

function shown(value: unknown): string {
  if (typeof value !== "string") return `a value of type ${typeof value}`;
  return value === "" ? "the empty text" : JSON.stringify(cleanText(value, SHOWN_LENGTH));
}
