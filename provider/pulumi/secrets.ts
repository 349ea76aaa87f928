/** What a program keeps secret: where it lies in values, what gives it away, and how it stays out of every text. */
import type { Reporter } from "../endpoint/context";
import { derivedOutputs, derivedPlaces } from "../endpoint/outputs";
import { sizeNames } from "../endpoint/rules/size";
import type { Failure } from "../lib/failure";
import { cleanText } from "../lib/redact";
import { SECRET_MARK, SIGNATURE } from "../lib/unknown";
import { adviseFailure } from "./messages/errors";

/** A place inside nested values. */
export type Path = readonly (string | number)[];

/** Plain values of a call, with UNKNOWN for what is not known yet, and the paths at which secrets stood. */
export interface MarkedValues {
  values: Readonly<Record<string, unknown>>;
  secrets: readonly Path[];
  /** MarkedValues of before: what they have at these places is as secret. */
  before?: readonly Readonly<Record<string, unknown>>[];
}

const MASK = "[secret]";

/** The platform's own keys. */
const keys = /napi_[\w-]{8,}/g;

/** Text shorter than this says too little to hide, and hiding it would garble a message. */
const SHORTEST_SECRET = 4;

const beforeEllipsis = /[^…]+(?=…)/g;

/** So long, in characters, is the longest text of the platform's that is cut. */
const LONGEST_CUT = 2_048;

/** The longest message, in characters: a value of megabytes must not fill the terminal. */
const LONGEST_MESSAGE = 4_000;

/** The values with the engine's mark of a secret at each secret place; a place within another is marked with it. Nothing else is copied. */
export function markSecrets(
  values: Readonly<Record<string, unknown>>,
  secrets: readonly Path[],
): Record<string, unknown> {
  const mark = (value: unknown, paths: readonly Path[]): unknown => {
    if (value === undefined || paths.length === 0) return value;
    if (paths.some((path) => path.length === 0)) return { [SIGNATURE]: SECRET_MARK, value };
    if (typeof value !== "object" || value === null) return value;
    const within = new Map<string, Path[]>();
    for (const [first, ...rest] of paths) {
      const there = within.get(String(first));
      if (there) there.push(rest);
      else within.set(String(first), [rest]);
    }
    const inside = ([name, one]: [string, unknown]) => mark(one, within.get(name) ?? []);
    const entries = Object.entries(value);
    return Array.isArray(value)
      ? entries.map(inside)
      : Object.fromEntries(entries.map((entry) => [entry[0], inside(entry)]));
  };
  return mark(values, secrets) as Record<string, unknown>;
}

/** The secret places of a state whose inputs had these: the same, and whatever can be worked out from them. */
export function secretsOfState(secrets: readonly Path[]): readonly Path[] {
  return [...secrets, ...secrets.flatMap(derivedPlaces)];
}

/** The secret places of an old state that the new inputs say nothing about: what is no longer set may stay, as secret as it was. */
export function stillSecret(sealed: readonly Path[], inputs: Readonly<Record<string, unknown>>): readonly Path[] {
  const set = Object.keys(inputs).filter((name) => inputs[name] !== undefined && inputs[name] !== null);
  const replaced = new Set(set.flatMap((name) => [name, ...(derivedOutputs.get(name) ?? [])]));
  return sealed.filter(([first]) => !replaced.has(String(first)));
}

/** The names of the properties in which there are secrets. */
export function secretNames(...given: readonly MarkedValues[]): ReadonlySet<string> {
  return new Set(given.flatMap(({ secrets }) => secrets.map(([first]) => String(first))));
}

/** A message for people: without secret texts and keys, without secret figures where it names their property, and short enough to read. */
export function redactText(text: string, ...given: readonly MarkedValues[]): string {
  const hidden = given.flatMap(({ values, secrets, before = [] }) =>
    [values, ...before].flatMap((one) => secrets.flatMap((path) => textsIn(at(one, path)))),
  );
  // The longest first, so that no part of a secret is left when another is a piece of it.
  const forms = [...new Set(hidden.flatMap(formsOf))];
  const ordered = forms.filter((one) => one.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  const about = (path: Path) => text.includes(String(path.at(-1)));
  const unnumbered = given.reduce(
    (left, one) => withoutNumbers(left, { ...one, secrets: one.secrets.filter(about) }),
    text,
  );
  const whole = ordered.reduce((left, secret) => left.replaceAll(secret, MASK), unnumbered);
  const shown = ordered.reduce(withoutBeginning, whole).replace(keys, "[API key]");
  return shown.length > LONGEST_MESSAGE ? `${shown.slice(0, LONGEST_MESSAGE - 1)}…` : shown;
}

/** A failure as the engine may show it. It prints the value of the property that is blamed: where that is secret or has a key, none is blamed. */
export function redactFailure(failure: Failure, given: MarkedValues, ...olds: readonly MarkedValues[]): Failure {
  const { property } = failure;
  const [name = ""] = property.split(".");
  const names = secretNames({ ...given, secrets: secretsOfState(given.secrets) });
  const sizes: readonly string[] = sizeNames;
  // What is said of one size is said of the others.
  const isSecret = (sizes.includes(name) ? sizes : [name]).some((one) => names.has(one));
  const text = redactText(
    isSecret ? withoutNumbers(failure.reason, given) : adviseFailure(failure).reason,
    given,
    ...olds,
  );
  if (!isSecret && !holdsKey([name, own(given.values, name)])) return { property, reason: text };
  return { property: "", reason: `${redactText(property)}: ${text}` };
}

/** A reporter whose lines are fit for people (see `redactText`). */
export function redactingReporter(reporter: Reporter, ...given: readonly MarkedValues[]): Reporter {
  return {
    info: (message) => reporter.info(redactText(message, ...given)),
    warn: (message) => reporter.warn(redactText(message, ...given)),
    status: (message) => reporter.status(redactText(message, ...given)),
  };
}

/** A secret text as messages may have it: as it is, as one clean line, and either of them as JSON writes it. */
function formsOf(text: string): string[] {
  const line = cleanText(text, Number.POSITIVE_INFINITY);
  return [text, line].flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]);
}

/** The text without what a cut has left of the secret, which stands right before an ellipsis. */
function withoutBeginning(text: string, secret: string): string {
  return text.replace(beforeEllipsis, (part) => {
    for (let length = Math.min(secret.length, part.length, LONGEST_CUT); length >= SHORTEST_SECRET; length -= 1) {
      if (part.endsWith(secret.slice(0, length))) return part.slice(0, -length) + MASK;
    }
    return part;
  });
}

// Only where the text is about the secret: anywhere else a 1 is too common to hide.
function withoutNumbers(text: string, { values, secrets, before = [] }: MarkedValues): string {
  const isNumber = (value: unknown) => typeof value === "number";
  const own = [values, ...before].flatMap((one) => secrets.map((path) => at(one, path))).filter(isNumber);
  // How far a limit is from the other tells it as well.
  const others = Object.values(values).filter(isNumber);
  const apart = own.flatMap((one) => others.map((other) => Math.abs(one - other))).filter((distance) => distance > 0);
  const numbers = [...own, ...apart];
  return numbers.reduce<string>((left, number) => {
    const written = String(number).replace(".", "\\.");
    return left.replace(new RegExp(`(?<![\\w.-])${written}(?!\\w|\\.\\d)`, "g"), MASK);
  }, text);
}

function holdsKey(value: unknown): boolean {
  return textsIn(value).some((text) => text.search(keys) >= 0);
}

function at(values: unknown, path: Path): unknown {
  return path.reduce<unknown>(own, values);
}

// The names of a program may be those that every object has.
function own(value: unknown, name: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
