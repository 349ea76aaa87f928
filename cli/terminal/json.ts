/** What a terminal could act on or hide: JSON escapeds only some of it by itself. */
const unsafe = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

/** The value as JSON that is safe to show on a terminal; several lines, or one with `line`. */
export function toJson(value: unknown, line = false): string {
  const text = JSON.stringify(value, null, line ? 0 : 2);
  return `${text.replace(unsafe, escaped)}\n`;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
