/** Formats values: times and durations for people, JSON for machines. */

/** Characters that a terminal may interpret or hide; JSON escapes only some. */
const unsafe = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

/** JSON that is safe on a terminal, indented or on one `line`. */
export function toJson(value: unknown, line = false): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify(value, null, line ? 0 : 2);
  return `${text.replace(unsafe, (character) => character.split("").map(escaped).join(""))}\n`;
}

/** A count with its noun: `1 endpoint`, `2 endpoints`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A duration for people, to the second: `4 s`, `2 min 5 s`, `1 h 3 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Date and time for people, from ISO 8601: UTC, to the second. */
export function formatTime(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
