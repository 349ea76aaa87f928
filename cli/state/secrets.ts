/** Secrets in an exported state: an object with a mark, with the value in it as JSON text where the export shows secrets. */
import { isRecord, SECRET_MARK, SIGNATURE } from "../../provider/lib/unknown";

/** A place inside nested values. */
export type Path = readonly string[];

/** Values in the clear, and where secrets stood in them. */
export interface Revealed {
  value: unknown;
  secrets: Path[];
  /** True where a secret is there whose value the export does not show. */
  isHidden: boolean;
}

/** The value in the clear. */
export function reveal(value: unknown, path: Path = []): Revealed {
  if (typeof value !== "object" || value === null) return { value, secrets: [], isHidden: false };
  if (isSecret(value)) {
    if (typeof value.plaintext !== "string") return { value, secrets: [path], isHidden: true };
    const inner = reveal(JSON.parse(value.plaintext), path);
    return { value: inner.value, secrets: [path], isHidden: inner.isHidden };
  }
  const entries = Object.entries(value).map(([name, part]) => ({ name, ...reveal(part, [...path, name]) }));
  return {
    value: Array.isArray(value)
      ? entries.map((entry) => entry.value)
      : Object.fromEntries(entries.map((entry) => [entry.name, entry.value])),
    secrets: entries.flatMap((entry) => entry.secrets),
    isHidden: entries.some((entry) => entry.isHidden),
  };
}

/** The value with secrets at these places again; a place that it does not have is left out. */
export function seal(value: unknown, secrets: readonly Path[]): unknown {
  if (secrets.some((path) => path.length === 0)) {
    return { [SIGNATURE]: SECRET_MARK, plaintext: JSON.stringify(value) };
  }
  if (secrets.length === 0 || typeof value !== "object" || value === null) return value;
  const below = (name: string) => secrets.flatMap(([first, ...rest]) => (first === name ? [rest] : []));
  if (Array.isArray(value)) return value.map((part, index) => seal(part, below(String(index))));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, seal(part, below(name))]));
}

/** True for a secret as an export has it; in revealed values, for one that the export hides. */
export function isSecret(value: unknown): value is { plaintext?: unknown } {
  return isRecord(value) && value[SIGNATURE] === SECRET_MARK;
}
