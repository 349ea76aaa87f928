/** Converts between values of the engine's protocol and the provider's values. */
import { isRecord, OUTPUT_MARK, SECRET_MARK, SIGNATURE, UNKNOWN, UNKNOWN_TEXT, type Values } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";

/** A path inside nested values. */
export type Path = readonly (string | number)[];

/** Plain values with UNKNOWN for unknown ones, and the paths of the secrets. */
export interface MarkedValues {
  values: Values;
  secrets: readonly Path[];
}

// The engine's wire values for unknowns of each type.
const unknowns = new Set<unknown>([
  UNKNOWN_TEXT,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

// Deeper than any value of this provider, far below the stack's limit.
const MAX_DEPTH = 64;

/** A map key that the protobuf library drops silently. `withEveryKey` renames it on the wire, and `decode` restores it. */
export const LOST_KEY = "__proto__";

/** The stand-in for `LOST_KEY` while a request is decoded (`withEveryKey`). */
export const SAFE_KEY = "\0_proto__";

/** Decodes the engine's values, by default none. Throws `invalid_argument` for a non-object, or more than 64 levels. */
export function decode(written: unknown = {}): MarkedValues {
  const secrets: Path[] = [];
  const values = read(written, [], secrets);
  if (isRecord(values)) return { values, secrets };
  throw new PgComputeError("invalid_argument", "the engine sent values that are no record");
}

/** Encodes values for the engine. A value at secret places, at any depth, is marked at the outermost. */
export function encode(values: Values, secrets: readonly Path[] = []): Record<string, unknown> {
  return write(values, secrets) as Record<string, unknown>;
}

// One list serves as the path and is changed in place; each secret keeps a copy.
function read(written: unknown, path: (string | number)[], secrets: Path[]): unknown {
  if (path.length > MAX_DEPTH) {
    throw new PgComputeError("invalid_argument", `${path[0]} is nested more than ${MAX_DEPTH} levels deep`);
  }
  if (typeof written !== "object" || written === null) return unknowns.has(written) ? UNKNOWN : written;

  const within = (step: string | number, one: unknown) => {
    path.push(step);
    const value = read(one, path, secrets);
    path.pop();
    return value;
  };
  if (Array.isArray(written)) return written.map((one, at) => within(at, one));

  const { [SIGNATURE]: mark, value, secret } = written as Record<string, unknown>;
  if (mark === SECRET_MARK || (mark === OUTPUT_MARK && secret === true)) secrets.push([...path]);
  if (mark === SECRET_MARK) return read(value, path, secrets);
  if (mark === OUTPUT_MARK) return value === undefined ? UNKNOWN : read(value, path, secrets);
  const entries = Object.entries(written).map(([key, one]) => [key === SAFE_KEY ? LOST_KEY : key, one] as const);
  return Object.fromEntries(entries.map(([name, one]) => [name, within(name, one)]));
}

function write(value: unknown, secrets: readonly Path[]): unknown {
  if (secrets.some((path) => path.length === 0)) return { [SIGNATURE]: SECRET_MARK, value: write(value, []) };
  if (value === UNKNOWN) return UNKNOWN_TEXT;
  if (typeof value !== "object" || value === null) return value;
  const below = new Map<string, Path[]>();

  for (const [first, ...rest] of secrets) {
    const there = below.get(String(first));
    if (there) there.push(rest);
    else below.set(String(first), [rest]);
  }

  const within = (name: string, one: unknown) => write(one, below.get(name) ?? []);
  if (Array.isArray(value)) return value.map((one, at) => within(String(at), one));
  const known = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(known.map(([name, one]) => [name, within(name, one)]));
}
