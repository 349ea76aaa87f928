/** Secrets in an exported state: marked objects, with the value as JSON text if the export shows secrets. */
import { isRecord, SECRET_MARK, SIGNATURE, type Values } from "../../provider/lib/unknown";
import { CommandError } from "../exit-code";

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

/** The values with one changed; a secret stays secret. Throws a `CommandError` if the export hides it. */
export function withChanged<T extends Values>(values: T, name: string, change: (value: unknown) => unknown): T {
  if (!Object.hasOwn(values, name)) return values;
  return { ...values, [name]: changed(values[name], change) };
}

function changed(value: unknown, change: (value: unknown) => unknown): unknown {
  if (!isSecret(value)) return change(value);
  if (typeof value.plaintext !== "string") throw hiddenError();
  return { ...value, plaintext: JSON.stringify(changed(JSON.parse(value.plaintext), change)) };
}

/** The error of a command that needs a hidden secret. */
export function hiddenError(): CommandError {
  return new CommandError(
    "this export hides a secret that has endpoints in it, and nothing was written; use what `pulumi stack export --show-secrets` prints",
  );
}
