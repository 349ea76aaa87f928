/** Secrets in an exported state: marked objects, with the value as JSON text if the export shows secrets. */
import { isRecord, SECRET_MARK, SIGNATURE } from "../../provider/lib/unknown";

/** The plain value; a hidden secret stays as it is. */
export function reveal(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isSecret(value)) return typeof value.plaintext === "string" ? reveal(JSON.parse(value.plaintext)) : value;
  if (Array.isArray(value)) return value.map(reveal);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, reveal(part)]));
}

/** True for a secret of an export; among revealed values, for a hidden one. */
export function isSecret(value: unknown): value is { plaintext?: unknown } {
  return isRecord(value) && value[SIGNATURE] === SECRET_MARK;
}

/** True if the value contains a secret at any depth. */
export function hasSecret(value: unknown): boolean {
  return isSecret(value) || (typeof value === "object" && value !== null && Object.values(value).some(hasSecret));
}
