const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

// Built from parts: a whole sequence goes, not only its first character, so that no "[31m" stays behind.
const terminalSequence = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[ -~]?)`,
  "g",
);
// Control and invisible format characters, lone surrogates, line and paragraph separators.
const unwanted = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const unwantedRuns = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const blank = /\s/;

/** Longest text that is kept of any one string of an answer, in characters, where nothing else is said. */
export const MAX_TEXT = 1_024;

/**
 * One line of plain text: terminal escapes, control and invisible characters are gone, line breaks are spaces, and
 * what is longer than `maxLength` characters ends in an ellipsis.
 */
export function cleanText(text: string, maxLength: number = MAX_TEXT): string {
  // Cut before cleaning as well, so that a megabyte in one field costs nothing.
  const start = text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text;
  const clean = unwanted.test(start)
    ? start
        .replace(terminalSequence, "")
        .replace(unwantedRuns, (run) => (blank.test(run) ? " " : ""))
        .trim()
    : start;
  if (clean.length <= maxLength) return clean;
  return `${clean.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Returns a function that replaces every occurrence of the secret, which must not be empty, by `[API key]`. */
export function redactor(secret: string): (text: string) => string {
  return (text) => (text.includes(secret) ? text.replaceAll(secret, "[API key]") : text);
}
