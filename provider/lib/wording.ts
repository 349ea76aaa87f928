/** How values appear in messages: ids and states of the platform, names of a program, sizes, words of a command line; and which known name somebody meant. */
import { distance } from "fastest-levenshtein";
import { cleanText } from "./redact";

const LONGEST_SHOWN = 80;

/** The longest list in a sentence. */
const MOST_LISTED = 8;

/** Commands stand deeper than the ways on that they belong to. */
const COMMAND_INDENT = " ".repeat(6);

/** A sentence after a command is in line with the text of its way on. */
const TEXT_INDENT = " ".repeat(4);

// Shorter pieces, such as "cu" or "id", are part of too many names to say which one was meant.
const SHORTEST_PIECE = 4;

// Names are a few words long; past this there is nothing to guess, and the distance would be slow to compute.
const LONGEST_NAME = 100;

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

/** Commands to paste, each on a line of its own. The text before them ends in a colon. */
export function commandLines(...commands: readonly string[]): string {
  return commands.map((command) => `\n${COMMAND_INDENT}${command}`).join("");
}

/** True for a line of a message that is a command to paste. */
export function isCommandLine(line: string): boolean {
  return line.startsWith(COMMAND_INDENT);
}

/** True for a text whose last line is a command, after which nothing can stand in that line. */
export function endsInCommand(text: string): boolean {
  return isCommandLine(text.split("\n").at(-1) ?? "");
}

/** The sentences that there are, in one line; the one after a command begins a new line. */
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

/** Texts from outside in a sentence, the first few of them: `a, b and 3 others`. */
export function listedFew(texts: readonly string[]): string {
  const few = texts.length <= MOST_LISTED ? texts : texts.slice(0, MOST_LISTED - 1);
  const others = texts.length - few.length;
  return listed([...few.map(plain), ...(others > 0 ? [`${others} others`] : [])]);
}

/**
 * The known name that an unknown one most likely stands for, or undefined where none is near. Case, `_`, `-` and spaces
 * count for nothing; the one name that holds the other whole (`min_cu`) comes before the least edits, up to a
 * third of the longer name.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const wanted = folded(name);
  const holders = known.filter((candidate) => holds(folded(candidate), wanted));
  // Two holders ("pooler" is in poolerEnabled and in poolerMode) leave the choice to the edits.
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
