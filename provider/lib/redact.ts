/**
 * Cleans text from outside (answers, headers, programs, command lines) and removes the API key, before it is shown or
 * stored.
 */
import { stripVTControlCharacters } from "node:util";

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

// Sequences that stripVTControlCharacters misses: strings (OSC, DCS, SOS, PM, APC) and short ones.
const stringSequence = new RegExp(`${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`, "g");
const shortSequence = new RegExp(`${ESCAPE}[ -~]?`, "g");
// Control and invisible format characters, lone surrogates, line and paragraph separators.
const unwanted = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const unwantedRuns = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const blank = /\s/;

/** The form of the public platform's keys. */
export const KEY_FORM = /napi_[\w-]{8,}/g;

/** Default maximum length of any string in an answer, in characters. */
const MAX_TEXT = 1_024;

/** Shorter keys are not removed from messages. */
const SHORTEST_HIDDEN_KEY = 4;

/** Shorter keys may be part of an ordinary word, so answers may contain them. */
const SHORTEST_UNMISTAKABLE_KEY = 8;

/** Maximum nesting depth of an answer. */
const MAX_DEPTH = 64;

/**
 * Cleans a text to one plain line without the secret, cut to `maxLength`, in that order, so that no part of the secret
 * survives.
 */
export function cleanText(text: string, maxLength: number = MAX_TEXT, secret?: string | undefined): string {
  return cut(withoutKey(clean(text), secret), maxLength);
}

/** Cleans a text of several lines, whose breaks and indents stay. */
export function cleanLines(text: string, maxLength: number = MAX_TEXT, secret?: string | undefined): string {
  const lines = text.split("\n").map((line) => `${/^ */.exec(line)?.[0] ?? ""}${clean(line).trimStart()}`);
  return cut(withoutKey(lines.join("\n"), secret), maxLength);
}

/** The text without the key. Keys below 4 characters stay: removing them would garble every text. */
export function withoutKey(text: string, key: string | undefined): string {
  return key !== undefined && key.length >= SHORTEST_HIDDEN_KEY ? text.replaceAll(key, "[API key]") : text;
}

/** A value that a person gave, as one plain line without these keys and without anything like a key. */
export function withoutKeys(text: string, ...keys: readonly unknown[]): string {
  const known = keys.filter((key) => typeof key === "string");
  return known.reduce(withoutKey, clean(text)).replace(KEY_FORM, "[API key]");
}

/** The key if it is long enough not to be part of an ordinary word; undefined otherwise. */
export function unmistakable(key: string): string | undefined {
  return key.length < SHORTEST_UNMISTAKABLE_KEY ? undefined : key;
}

/** A parsed answer with clean texts and names, and whether any contains the secret. Too deep values become null. */
export function cleanJson(json: unknown, secret?: string | undefined): { json: unknown; hasSecret: boolean } {
  const root = { json };
  let hasSecret = false;
  const cleaned = (text: string) => {
    const line = clean(text);
    hasSecret ||= secret !== undefined && line.includes(secret);
    return line;
  };

  // A work list instead of recursion: a hostile answer may be nested deeper than the stack.
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

// Not an assignment: an answer may have a field `__proto__`.
function define(parent: object, name: string, value: unknown): void {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}
