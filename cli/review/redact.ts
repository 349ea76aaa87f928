/**
 * Keys of the platform are no part of a report, and the engine itself prints one where a program or a configuration has it
 * in the wrong place. They go out of what the engine printed before anything else looks at it.
 */
import { cleanText } from "../../provider/lib/redact";
import { unreadable } from "../exit-code";

// What a reader without terminal sequences takes out, leaving the rest of a sequence where it stood.
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The most levels of a document. Programs' values have a few; more are an attack. */
const MAX_DEPTH = 500;
const TOO_DEEP = `it has more than ${MAX_DEPTH} levels, which no program's values have`;

/** A shorter value of PGCOMPUTE_API_KEY is no key, and hiding it would take ordinary words out of the report. */
const SHORTEST_KEY = 8;

/** What marks colours in the engine's messages, as in `<{%fg 1%}>`. */
export const COLOUR_MARKS = /<\{%[^%<]{0,40}%\}>/g;

/** Fields that say what a step is; a report without them would leave the step out. */
const structural = new Set(["op", "type"]);

const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]|<\{%/u;

/**
 * Returns a function that copies a parsed document without keys: whatever begins with `napi_`, and `apiKey`. Equal keys become
 * the same text and different ones different texts, so that no difference of the plan is lost. Throws `CommandError` for
 * a document of more than 500 levels.
 */
export function createRedactor(apiKey?: string): (document: unknown) => unknown {
  const pattern = keyPattern(apiKey);
  const masks = new Map<string, string>();
  const maskOf = (key: string) => {
    const mask = masks.get(key) ?? (masks.size === 0 ? "[API key]" : `[API key ${masks.size + 1}]`);
    masks.set(key, mask);
    return mask;
  };
  const redact = (text: string) => {
    const shown = shownForm(text, pattern);
    return shown.replace(pattern, (key) => maskOf(shown === text ? key : `${key} ${text}`));
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return redact(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) throw unreadable("plan", TOO_DEEP);
    if (Array.isArray(value)) return value.map((one) => copy(one, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        redact(name),
        structural.has(name) && typeof one === "string" ? one : copy(one, depth + 1),
      ]),
    );
  };
  return (document) => copy(document, 1);
}

/** The text as a reader will see it, where that has a key in it; else the text itself. */
function shownForm(text: string, pattern: RegExp): string {
  if (!hidden.test(text)) return text;
  const bare = text.replace(COLOUR_MARKS, "");
  const forms = [cleanText(bare, Number.POSITIVE_INFINITY), bare.replace(CONTROLS, "")];
  return forms.find((form) => form.search(pattern) >= 0) ?? text;
}

/** Keys, and texts that look like our mask: a program's own `[API key]` must not pass for a hidden key. */
function keyPattern(apiKey: string | undefined): RegExp {
  const known = apiKey !== undefined && apiKey.length >= SHORTEST_KEY ? `${escapeRegExp(apiKey)}|` : "";
  return new RegExp(`${known}napi_[A-Za-z0-9_-]{${SHORTEST_KEY},}|\\[API key[^\\]]{0,20}\\]`, "g");
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
