/** Formats values for messages: ids, states, names, sizes and shell words; and guesses the name that a typo meant. */
import { distance } from "fastest-levenshtein";
import { cleanText } from "./redact";

const LONGEST_SHOWN = 80;

/** Maximum number of names in a sentence. */
const MOST_LISTED = 8;

/** Indent of a command, deeper than its bullet. */
const COMMAND_INDENT = " ".repeat(6);

/** Indent of a sentence after a command, in line with the bullet's text. */
const TEXT_INDENT = " ".repeat(4);

// Shorter pieces, such as "cu" or "id", occur in too many names to identify one.
const SHORTEST_PIECE = 4;

// Longer names are no typos, and their distance would be slow to compute.
const LONGEST_NAME = 100;

/** The text as one plain line, cut to 80 characters. */
export function plain(text: string): string {
  return cleanText(text, LONGEST_SHOWN);
}

/** The text in double quotes, which make an empty value or a stray space visible. */
export function quoted(text: string): string {
  return `"${plain(text)}"`;
}

/** Names in a row: `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[], conjunction = "and"): string {
  if (names.length <= 1) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

/** A POSIX shell word, in single quotes if needed. Never cut. */
export function shellWord(text: string): string {
  const clean = whole(text);
  return /^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(clean) ? clean : shellQuoted(clean);
}

/** A POSIX shell word in single quotes. Never cut. */
export function shellQuoted(text: string): string {
  return `'${whole(text).replaceAll("'", `'\\''`)}'`;
}

/** Commands to paste, each on a line of its own. The text before them ends in a colon. */
export function commandLines(...commands: readonly string[]): string {
  return commands.map((command) => `\n${COMMAND_INDENT}${command}`).join("");
}

/** True for a line of a message that is a command to paste. */
export function isCommandLine(line: string): boolean {
  return line.startsWith(COMMAND_INDENT);
}

/** True for a text that ends in a command line, so that nothing may follow on that line. */
export function endsInCommand(text: string): boolean {
  return isCommandLine(text.split("\n").at(-1) ?? "");
}

/** Joins sentences on one line; after a command a new line begins. */
export function sentences(all: readonly (string | false | undefined)[]): string {
  return all
    .filter((one) => one !== false && one !== undefined)
    .reduce((text, next) => `${text}${endsInCommand(text) ? `\n${TEXT_INDENT}` : "; "}${next}`);
}

/** A size or a range of sizes: `1 CU`, `0.25 to 1 CU`. */
export function formatSize(minCu: number, maxCu: number): string {
  return minCu === maxCu ? `${minCu} CU` : `${minCu} to ${maxCu} CU`;
}

function whole(text: string): string {
  return cleanText(text, Number.POSITIVE_INFINITY);
}

/** The first few texts for a sentence: `a, b and 3 others`. */
export function listedFew(texts: readonly string[]): string {
  const few = texts.length <= MOST_LISTED ? texts : texts.slice(0, MOST_LISTED - 1);
  const others = texts.length - few.length;
  return listed([...few.map(plain), ...(others > 0 ? [`${others} others`] : [])]);
}

/**
 * The known name that a typo most likely meant: one that contains it (`min_cu`), or the nearest; undefined if none is
 * near.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const wanted = folded(name);
  const holders = known.filter((candidate) => holds(folded(candidate), wanted));
  // Several matches ("pooler" is in poolerEnabled and poolerMode): decide by edits.
  if (holders.length === 1) return holders[0];

  const near = known.map((candidate) => ({ candidate, edits: distance(wanted, folded(candidate)) }));
  const within = near.filter(({ candidate, edits }) => {
    return edits <= Math.floor(Math.max(wanted.length, folded(candidate).length) / 3);
  });
  return within.sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

function holds(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  return short.length >= SHORTEST_PIECE && (long.startsWith(short) || long.endsWith(short));
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
