/** How values appear in messages: ids and states of the platform, names of a program, sizes, words of a command line. */
import { cleanText } from "./text";

const LONGEST_SHOWN = 80;

/** The longest list in a sentence. */
const MOST_LISTED = 8;

/** The text as one plain line, cut to 80 characters. */
export function plain(text: string): string {
  return cleanText(text, LONGEST_SHOWN);
}

/** The text in double quotes, so that an empty value or a stray space can be seen. */
export function quoted(text: string): string {
  return `"${plain(text)}"`;
}

/** Names in a row: `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[], conjunction = "and"): string {
  if (names.length <= 1) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

/** One word of a POSIX command line, in single quotes where the shell would read more into it. Never cut. */
export function shellWord(text: string): string {
  const clean = whole(text);
  return /^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(clean) ? clean : shellQuoted(clean);
}

/** One word of a POSIX command line, in single quotes whatever it holds. Never cut. */
export function shellQuoted(text: string): string {
  return `'${whole(text).replaceAll("'", `'\\''`)}'`;
}

/** A size or a range of sizes: `1 CU`, `0.25 to 1 CU`. */
export function formatSize(minCu: number, maxCu: number): string {
  return minCu === maxCu ? `${minCu} CU` : `${minCu} to ${maxCu} CU`;
}

function whole(text: string): string {
  return cleanText(text, Number.POSITIVE_INFINITY);
}

/** Texts from outside in a sentence, the first few of them: `a, b and 3 others`. */
export function listedFew(texts: readonly string[]): string {
  const few = texts.length <= MOST_LISTED ? texts : texts.slice(0, MOST_LISTED - 1);
  const others = texts.length - few.length;
  return listed([...few.map(plain), ...(others > 0 ? [`${others} others`] : [])]);
}
