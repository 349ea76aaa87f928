/** The values of the engine's protocol, and those that the provider works with. */
import { ListValue, NullValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { isRecord, OUTPUT_MARK, SECRET_MARK, SIGNATURE, UNKNOWN, UNKNOWN_TEXT } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";
import { type MarkedValues, markSecrets, type Path } from "../secrets";

export type { Struct };

// The engine's wire format for values that JSON does not have.
const unknowns = new Set([
  UNKNOWN_TEXT,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

// Deeper than any value of this provider, and far from the end of the stack.
const MAX_DEPTH = 64;

// The library keeps a map's entries in a plain object, where this key is lost without a word: it is read under another one.
const LOST_KEY = "__proto__";
const SAFE_KEY = "\0_proto__";
/** The key of a map's entry: field 1, a text of 9 bytes. */
const entryOf = (key: string) => `\n\t${key}`;

/** The bytes of a request, of which `decode` reads every key. */
export function withEveryKey(bytes: Buffer): Buffer {
  let at = bytes.indexOf(entryOf(LOST_KEY));
  if (at < 0) return bytes;
  const changed = Buffer.from(bytes);
  for (; at >= 0; at = changed.indexOf(entryOf(LOST_KEY), at)) changed.write(entryOf(SAFE_KEY), at);
  return changed;
}

/** Decodes the values of a request; an absent struct is empty. Throws `invalid_argument` for what is no record. */
export function decode(struct: Struct | undefined): MarkedValues {
  const secrets: Path[] = [];
  const values = struct ? readStruct(struct, [], secrets) : {};
  if (isRecord(values)) return { values, secrets };
  throw new PgComputeError("invalid_argument", "the engine sent values that are no record");
}

/** Encodes values for the engine; what stands at a secret path is marked as a secret again, at whatever depth. */
export function encode(values: Readonly<Record<string, unknown>>, secrets: readonly Path[] = []): Struct {
  return writeStruct(markSecrets(values, secrets));
}

// Messages are read and written in place: by way of plain objects, as the library has it, each value would be copied twice more.
// The path is one list that grows and shrinks on the way, of which a secret keeps a copy.
function read(value: Value, path: (string | number)[], secrets: Path[]): unknown {
  if (path.length > MAX_DEPTH) {
    throw new PgComputeError("invalid_argument", `${path[0]} is nested more than ${MAX_DEPTH} levels deep`);
  }
  switch (value.getKindCase()) {
    case Value.KindCase.STRING_VALUE: {
      const text = value.getStringValue();
      return unknowns.has(text) ? UNKNOWN : text;
    }
    case Value.KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case Value.KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case Value.KindCase.LIST_VALUE:
      return (value.getListValue()?.getValuesList() ?? []).map((one, index) => readAt(index, one, path, secrets));
    case Value.KindCase.STRUCT_VALUE:
      return readStruct(value.getStructValue() ?? new Struct(), path, secrets);
    default:
      return null;
  }
}

function readAt(step: string | number, value: Value, path: (string | number)[], secrets: Path[]): unknown {
  path.push(step);
  const values = read(value, path, secrets);
  path.pop();
  return values;
}

function readStruct(struct: Struct, path: (string | number)[], secrets: Path[]): unknown {
  const fields = struct.getFieldsMap();
  const signature = fields.get(SIGNATURE)?.getStringValue();
  const inner = fields.get("value");
  if (signature === SECRET_MARK) {
    secrets.push([...path]);
    return inner && read(inner, path, secrets);
  }
  if (signature === OUTPUT_MARK) {
    if (fields.get("secret")?.getBoolValue()) secrets.push([...path]);
    return inner ? read(inner, path, secrets) : UNKNOWN;
  }
  const values: [string, unknown][] = [];
  fields.forEach((one, key) => {
    const name = key === SAFE_KEY ? LOST_KEY : key;
    values.push([name, readAt(name, one, path, secrets)]);
  });
  return Object.fromEntries(values);
}

function write(value: unknown): Value {
  const message = new Value();
  if (value === UNKNOWN) return message.setStringValue(UNKNOWN_TEXT);
  if (typeof value === "string") return message.setStringValue(value);
  if (typeof value === "number") return message.setNumberValue(value);
  if (typeof value === "boolean") return message.setBoolValue(value);
  if (Array.isArray(value)) return message.setListValue(new ListValue().setValuesList(value.map(write)));
  if (isRecord(value)) return message.setStructValue(writeStruct(value));
  return message.setNullValue(NullValue.NULL_VALUE);
}

function writeStruct(values: Readonly<Record<string, unknown>>): Struct {
  const struct = new Struct();
  const fields = struct.getFieldsMap();
  for (const [key, one] of Object.entries(values)) if (one !== undefined) fields.set(key, write(one));
  return struct;
}
