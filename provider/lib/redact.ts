/** Text from outside, of answers, headers, programs and command lines: all that is shown or kept of it is cleaned here, and the API key taken out. */
import { stripVTControlCharacters } from "node:util";

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

// What stripVTControlCharacters takes for something else or leaves: whole strings (OSC, DCS, SOS, PM, APC), and short sequences.
const stringSequence = new RegExp(`${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`, "g");
const shortSequence = new RegExp(`${ESCAPE}[ -~]?`, "g");
// Control and invisible format characters, lone surrogates, line and paragraph separators.
const unwanted = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const unwantedRuns = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const blank = /\s/;

/** Longest text that is kept of any one string of an answer, in characters, where nothing else is said. */
const MAX_TEXT = 1_024;

/** The fewest characters of a key that is taken out of messages. */
const SHORTEST_HIDDEN_KEY = 4;

/** The fewest characters of a key that no answer may repeat: a shorter key may be part of an ordinary word. */
const SHORTEST_UNMISTAKABLE_KEY = 8;

/** Levels of nesting that are kept of an answer. */
const MAX_DEPTH = 64;

/**
 * One line of plain text, in this order: terminal sequences, control and invisible characters go, line breaks become spaces;
 * the secret becomes `[API key]`; what is longer than `maxLength` characters ends in an ellipsis. Any other order would put a
 * hidden secret together again, or leave half of it.
 */
export function cleanText(text: string, maxLength: number = MAX_TEXT, secret?: string | undefined): string {
  return cut(withoutKey(clean(text), secret), maxLength);
}

/** The same for a text of several lines, which keep their breaks and indents. */
export function cleanLines(text: string, maxLength: number = MAX_TEXT, secret?: string | undefined): string {
  const lines = text.split("\n").map((line) => `${/^ */.exec(line)?.[0] ?? ""}${clean(line).trimStart()}`);
  return cut(withoutKey(lines.join("\n"), secret), maxLength);
}

/** A text for people without the key. One of fewer than 4 characters stays: to take it out would garble every text. */
export function withoutKey(text: string, key: string | undefined): string {
  return key !== undefined && key.length >= SHORTEST_HIDDEN_KEY ? text.replaceAll(key, "[API key]") : text;
}

/** The key, if it is too long to be part of an ordinary word: no good answer and no id may hold it. */
export function unmistakable(key: string): string | undefined {
  return key.length < SHORTEST_UNMISTAKABLE_KEY ? undefined : key;
}

/** A parsed answer with every text and name of it cleaned, whole, and whether any holds the secret. What is nested too deep becomes null. */
export function cleanJson(json: unknown, secret?: string | undefined): { json: unknown; hasSecret: boolean } {
  const root = { json };
  let hasSecret = false;
  const cleaned = (text: string) => {
    const line = clean(text);
    hasSecret ||= secret !== undefined && line.includes(secret);
    return line;
  };
  // A work list in place of recursion: a hostile answer may be nested deeper than the stack.
  const parents: { parent: object; depth: number }[] = [{ parent: root, depth: 0 }];
  for (let next = parents.pop(); next !== undefined; next = parents.pop()) {
    const { parent, depth } = next;
    for (const [name, value] of Object.entries(parent)) {
      const kept = depth > MAX_DEPTH ? null : typeof value === "string" ? cleaned(value) : value;
      const newName = Array.isArray(parent) ? name : cleaned(name);
      if (newName !== name) Reflect.deleteProperty(parent, name);
      if (newName !== name || kept !== value) define(parent, newName, kept);
      if (typeof kept === "object" && kept !== null) parents.push({ parent: kept, depth: depth + 1 });
    }
  }
  return { json: root.json, hasSecret };
}

function clean(text: string): string {
  if (!unwanted.test(text)) return text;
  return stripVTControlCharacters(text.replace(stringSequence, "").replaceAll(BELL, ""))
    .replace(shortSequence, "")
    .replace(unwantedRuns, (run) => (blank.test(run) ? " " : ""))
    .trim();
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

// Not an assignment: an answer may have the name `__proto__`.
function define(parent: object, name: string, value: unknown): void {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}
