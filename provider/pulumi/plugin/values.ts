import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { UNKNOWN } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";
import type { Path, Values } from "../secrets";

export type { Struct };

// The engine's wire format for values that JSON does not have.
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const unknowns = new Set([
  UNKNOWN_STRING,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

// Deeper than any value of this provider, and far from the end of the stack.
const MAX_DEPTH = 64;

/** Decodes the values of a request; an absent struct is empty. Throws `invalid_argument` for what is no record. */
export function decode(struct: Struct | undefined): Values {
  const secrets: Path[] = [];
  const values = struct ? read(struct.toJavaScript(), [], secrets) : {};
  if (isRecord(values)) return { values, secrets };
  throw new PgComputeError("invalid_argument", "the engine sent values that are no record");
}

/** Encodes values for the engine; what stands at a secret path is marked as a secret again, at whatever depth. */
export function encode(values: Readonly<Record<string, unknown>>, secrets: readonly Path[] = []): Struct {
  const tree = new SecretTree();
  for (const path of secrets) tree.add(path);
  return Struct.fromJavaScript(write(values, tree) as Parameters<typeof Struct.fromJavaScript>[0]);
}

function read(value: unknown, path: Path, secrets: Path[]): unknown {
  if (path.length > MAX_DEPTH) {
    throw new PgComputeError("invalid_argument", `${path[0]} is nested more than ${MAX_DEPTH} levels deep`);
  }
  if (typeof value === "string") return unknowns.has(value) ? UNKNOWN : value;
  if (Array.isArray(value)) return value.map((one, index) => read(one, [...path, index], secrets));
  if (typeof value !== "object" || value === null) return value;
  const object = value as Record<string, unknown>;
  if (object[SIGNATURE] === SECRET) {
    secrets.push(path);
    return read(object.value, path, secrets);
  }
  if (object[SIGNATURE] === OUTPUT) {
    if (object.secret === true) secrets.push(path);
    return "value" in object ? read(object.value, path, secrets) : UNKNOWN;
  }
  return Object.fromEntries(Object.entries(object).map(([key, one]) => [key, read(one, [...path, key], secrets)]));
}

function write(value: unknown, secrets: SecretTree | undefined): unknown {
  const plain = writePlain(value, secrets);
  return secrets?.marked ? { [SIGNATURE]: SECRET, value: plain } : plain;
}

function writePlain(value: unknown, secrets: SecretTree | undefined): unknown {
  if (value === UNKNOWN) return UNKNOWN_STRING;
  if (Array.isArray(value)) return value.map((one, index) => write(one, secrets?.at(index)));
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(present.map(([key, one]) => [key, write(one, secrets?.at(key))]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Secret paths by their first step, so that encoding walks them along with the values. */
class SecretTree {
  marked = false;
  readonly #children = new Map<string, SecretTree>();

  add(path: Path): void {
    const [first, ...rest] = path;
    if (first === undefined) {
      this.marked = true;
      return;
    }
    const child = this.#children.get(String(first)) ?? new SecretTree();
    this.#children.set(String(first), child);
    child.add(rest);
  }

  at(key: string | number): SecretTree | undefined {
    return this.#children.get(String(key));
  }
}
