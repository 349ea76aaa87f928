/**
 * How values appear in messages. Ids and states may come from the platform and names from a program, so nothing reaches
 * a terminal with control characters in it, and nothing of any length swamps the sentence around it.
 */

const LONGEST_SHOWN = 80;

// Control characters, and the marks that reverse or hide text.
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The text without control characters, cut to 80 characters. */
export function plain(text: string): string {
  const clean = withoutControls(text);
  return clean.length <= LONGEST_SHOWN ? clean : `${clean.slice(0, LONGEST_SHOWN)}...`;
}

/** The text in double quotes, so that an empty value or a stray space can be seen. */
export function quoted(text: string): string {
  return `"${plain(text)}"`;
}

/** Names in a row: `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  if (names.length <= 1) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The text without control characters, whole: for lines that people copy. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, "");
}

/** One word of a POSIX command line, in single quotes where the shell would read more into it. Never cut. */
export function shellWord(text: string): string {
  const clean = withoutControls(text);
  return /^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(clean) ? clean : shellQuoted(clean);
}

/** One word of a POSIX command line, in single quotes whatever it holds. Never cut. */
export function shellQuoted(text: string): string {
  return `'${withoutControls(text).replaceAll("'", `'\\''`)}'`;
}

/** A size or a range of sizes: `1 CU`, `0.25 to 1 CU`. */
export function formatSize(minCu: number, maxCu: number): string {
  return minCu === maxCu ? `${minCu} CU` : `${minCu} to ${maxCu} CU`;
}
