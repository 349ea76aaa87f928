/** A timestamp with seconds, as in records (specification, section 2): `2024-05-01T10:20:30Z`. */
export function toTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A cursor from microseconds since the epoch (specification, section 2.2): `2024-05-01T10:20:30.123456Z`. */
export function toCursor(micros: number): string {
  const ms = Math.floor(micros / 1000);
  return `${new Date(ms).toISOString().slice(0, 23)}${String(micros - ms * 1000).padStart(3, "0")}Z`;
}

/** A cursor's microseconds since the epoch; `undefined` for an invalid cursor. */
export function fromCursor(cursor: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00:00)$/.exec(cursor);
  const seconds = Date.parse(`${match?.[1]}Z`);
  if (!match || Number.isNaN(seconds)) return undefined;
  return seconds * 1000 + Number((match[2] ?? "").padEnd(6, "0"));
}
