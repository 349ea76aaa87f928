/** The shapes of recorded answers, by call: their fields and kinds, and how two recordings differ. Pure. */

/** A recorded call. */
export interface Recorded {
  method: string;
  /** Relative to the base address, with the query. */
  path: string;
  status: number;
  /** The parsed JSON; undefined for none. */
  body: unknown;
}

/** The kinds that each field had, by its path, such as `operations[].status`: `string`, `time`, `"running"`. */
export type Shape = Map<string, Set<string>>;

// Fields with a vocabulary of the platform: each value is a kind.
const vocabulary = /(^|\.)(status|action|type|current_state|pending_state|pooler_mode|provisioner|creation_source)$/;

// Maps by user's keys or ids, which are no fields.
const maps = /(^|\.)(pg_settings|pgbouncer_settings|annotations|value|applications|integrations)$/;

/** The shapes of answers by call and status, such as `GET /projects/{id}/endpoints 200`. */
export function shapesOf(answers: readonly Recorded[]): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const { method, path, status, body } of answers) {
    const call = `${method} ${toRoute(path)} ${status}`;
    const shape = shapes.get(call) ?? new Map<string, Set<string>>();
    shapes.set(call, shape);
    addFields(shape, "", body);
  }
  return shapes;
}

/**
 * The differences between the account's and the emulator's answers, one per line. A call that only one was asked is
 * named, not compared.
 */
export function differences(account: Map<string, Shape>, emulator: Map<string, Shape>): string[] {
  const lines: string[] = [];
  for (const [call, shape] of account) {
    const other = emulator.get(call);
    if (!other) lines.push(`${call}: only the account answered so`);
    else lines.push(...fieldDifferences(shape, other).map((line) => `${call}: ${line}`));
  }
  for (const call of emulator.keys()) if (!account.has(call)) lines.push(`${call}: only the emulator answered so`);
  return lines.sort();
}

/** A path without ids: one name per call. */
function toRoute(path: string): string {
  const [plain = ""] = path.split("?", 1);
  return plain
    .replace(/^(\/projects)\/[^/]+/, "$1/{id}")
    .replace(/\/(branches|endpoints|operations)\/[^/]+/, "/$1/{id}");
}

function addFields(shape: Shape, path: string, value: unknown): void {
  const kinds = shape.get(path) ?? new Set<string>();
  shape.set(path, kinds.add(kindOf(path, value)));
  if (Array.isArray(value)) for (const item of value) addFields(shape, `${path}[]`, item);
  else if (typeof value === "object" && value !== null && !maps.test(path)) {
    for (const [name, one] of Object.entries(value)) addFields(shape, path ? `${path}.${name}` : name, one);
  }
}

function kindOf(path: string, value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value !== "string") return typeof value;
  if (vocabulary.test(path)) return JSON.stringify(value);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return "time in seconds";
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value)) return "time";
  return value === "" ? "empty text" : "text";
}

function fieldDifferences(account: Shape, emulator: Shape): string[] {
  const lines: string[] = [];
  for (const [field, kinds] of account) {
    const others = emulator.get(field);
    // Below a field that the other lacks, one line is enough.
    if (!others) {
      if (emulator.has(parentOf(field)))
        lines.push(`${field}: only in the account's answers (${[...kinds].join(", ")})`);
      continue;
    }
    const unknown = [...kinds].filter((kind) => !others.has(kind));
    if (unknown.length > 0)
      lines.push(`${field}: ${unknown.join(", ")} where the emulator has ${[...others].join(", ")}`);
  }
  for (const field of emulator.keys()) {
    if (!account.has(field) && account.has(parentOf(field))) lines.push(`${field}: only in the emulator's answers`);
  }
  return lines;
}

function parentOf(field: string): string {
  return field.endsWith("[]") ? field.slice(0, -2) : field.split(".").slice(0, -1).join(".");
}
