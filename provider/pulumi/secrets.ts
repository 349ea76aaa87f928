/** What a program keeps secret: where it lies in values, what gives it away, and how it stays out of every text. */
import { derivedOutputs, derivedPlaces } from "../endpoint/outputs";
import { endpointProperties } from "../endpoint/properties";
import { sizeNames } from "../endpoint/rules/size";
import { BOOKKEEPING } from "../endpoint/state";
import { stepsOf } from "../fleet/model";
import { decodeMembers, encodeMembers } from "../fleet/state";
import type { Failure } from "../lib/failure";
import { cleanText } from "../lib/redact";
import { isRecord, ownValue, type Values } from "../lib/unknown";
import { adviseFailure } from "./messages/errors";
import type { MarkedValues, Path } from "./values";

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

/** The secret places within an endpoint, the member of a fleet with this key or a resource: of what is secret as a whole, each property. */
export function secretsWithin(secrets: readonly Path[], key?: string): Path[] {
  return secrets.flatMap((path): Path[] => {
    const [top, ...rest] = path;
    if (top === "endpoints" && rest.length > 0 && rest[0] !== key) return [];
    if (top !== "endpoints" && top !== "defaults") return [path];
    const own = top === "defaults" ? rest : rest.slice(1);
    return own.length > 0 ? [own] : endpointProperties.map((name) => [name]);
  });
}

/** The names of the properties in which they are. */
export function secretNames(secrets: readonly Path[], key?: string): ReadonlySet<string> {
  return new Set(secretsWithin(secrets, key).map(([name]) => String(name)));
}

/** The secret places of checked inputs, in which each member has what the fleet says of all. */
export function secretsOfInputs(inputs: MarkedValues): Path[] {
  const isOfMember = ([top, , name]: Path) => top === "endpoints" && name !== undefined;
  const ofAll = isFleet(inputs) ? inputs.secrets.filter((path) => !isOfMember(path)) : [];
  return [...ofAll, ...ofEach(inputs)];
}

/** The secret places of outputs: those of their inputs, what stays of old outputs (`stillSecret`), and whatever can be worked out from either. */
export function secretsOfOutputs(inputs: MarkedValues, still: readonly Path[] = []): Path[] {
  // Of a member that is a secret as a whole, what the platform says of it is none.
  const isMember = (path: Path) => path.length === 2 && path[0] === "endpoints";
  const places = [...secretsOfInputs(inputs).filter((path) => !isMember(path)), ...still];
  return places.flatMap((place) => [place, ...derived(place)]);
}

/** The secret places of old outputs that the inputs say nothing about: what is no longer set may stay. After a failure, all may. */
export function stillSecret(olds: MarkedValues, inputs: Values, hasFailed = false): Path[] {
  const isSaid = (place: Path) => {
    const [prefix, name] = [place.slice(0, depthOf(place)), place[depthOf(place)]];
    const said = at(inputs, prefix);
    if (!isRecord(said)) return false;
    const set = Object.keys(said).filter((one) => said[one] !== undefined && said[one] !== null);
    return set.some((one) => one === name || derivedOutputs.get(one)?.includes(String(name)));
  };
  const { values, secrets } = olds;
  // A fleet's bookkeeping is a secret only with the whole map.
  const places = isFleet(olds) ? ofEach({ values, secrets: secrets.filter(([top]) => top !== BOOKKEEPING) }) : secrets;
  return places.filter((place) => hasFailed || !isSaid(place));
}

/** Outputs with their secret places as places of their own: what of them the text of a fleet's bookkeeping has stands beside that. */
export function withPlaces(outputs: Values, secrets: readonly Path[]): Values {
  if (secrets.length === 0 || typeof outputs[BOOKKEEPING] !== "string") return outputs;
  const members = decodeMembers(outputs);
  const isThere = ([, key, ...own]: Path) => {
    const member = members.get(String(key));
    return at(own[0] === "importId" ? member : member?.state, own) !== undefined;
  };
  return { ...outputs, ...encodeMembers(members, secrets.filter(isThere)) };
}

function isFleet({ values }: MarkedValues): boolean {
  return isRecord(values.endpoints);
}

/** The places of an endpoint, or those of each member. */
function ofEach({ values: { endpoints }, secrets }: MarkedValues): Path[] {
  if (secrets.length === 0 || !isRecord(endpoints)) return [...secrets];
  return Object.keys(endpoints).flatMap((key) =>
    secretsWithin(secrets, key).map((path) => ["endpoints", key, ...path]),
  );
}

/** How many steps lead to the endpoint in which a place is. */
function depthOf([top]: Path): number {
  return top === "endpoints" ? 2 : 0;
}

/** The places in outputs that give away what stands at this one. */
function derived(place: Path): Path[] {
  if (place.length === 1 && place[0] === "endpoints") return [[BOOKKEEPING]];
  const [prefix, own] = [place.slice(0, depthOf(place)), place.slice(depthOf(place))];
  // The id of a member's import has the project in it.
  const ofImport = prefix.length > 0 && own[0] === "projectId" ? [["importId"]] : [];
  return [...derivedPlaces(own), ...ofImport].map((path) => [...prefix, ...path]);
}

/** A message for people: without secret texts and keys, without secret figures where it names their property, and short enough to read. */
export function redactText(text: string, ...given: readonly MarkedValues[]): string {
  const hidden = given.flatMap(({ values, secrets }) => secrets.flatMap((path) => textsIn(at(values, path))));
  // The longest first, so that no part of a secret is left when another is a piece of it.
  const forms = [...new Set(hidden.flatMap(formsOf))];
  const ordered = forms.filter((one) => one.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  const about = (path: Path) => text.includes(String(path.at(-1)));
  const unnumbered = given.reduce(
    (left, { values, secrets }) => withoutNumbers(left, { values, secrets: secrets.filter(about) }),
    text,
  );
  const whole = ordered.reduce((left, secret) => left.replaceAll(secret, MASK), unnumbered);
  const shown = ordered.reduce(withoutBeginning, whole).replace(keys, "[API key]");
  return shown.length > LONGEST_MESSAGE ? `${shown.slice(0, LONGEST_MESSAGE - 1)}…` : shown;
}

/**
 * Makes failures of a check fit for the engine to show. It prints the value of the property that is blamed: where that is secret, in
 * whichever member, or has a key, none is blamed.
 */
export function failureRedactor(given: MarkedValues, ...olds: readonly MarkedValues[]): (failure: Failure) => Failure {
  const all = { ...given, secrets: secretsOfInputs(given) };
  const places = given.secrets.flatMap((path) => secretsWithin([path], String(path[1])));
  const names = new Set([...given.secrets, ...places, ...places.flatMap(derivedPlaces)].map(([name]) => name));
  return (failure) => {
    const { property } = failure;
    const steps = stepsOf(property);
    const place = steps.slice(0, steps[0] === "endpoints" ? 3 : steps[0] === "defaults" ? 2 : 1);
    const name = place.at(-1) ?? "";
    const sizes: readonly string[] = sizeNames;
    // What is said of one size is said of the others.
    const isSecret = (sizes.includes(name) ? sizes : [name]).some((one) => names.has(one));
    const text = redactText(
      isSecret ? withoutNumbers(failure.reason, all) : adviseFailure(failure).reason,
      given,
      ...olds,
    );
    if (!isSecret && !holdsKey([property, at(given.values, place)])) return { property, reason: text };
    return { property: "", reason: `${redactText(property)}: ${text}` };
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
function withoutNumbers(text: string, { values, secrets }: MarkedValues): string {
  const isNumber = (value: unknown) => typeof value === "number";
  const own = new Set(secrets.flatMap((path) => leavesIn(at(values, path))).filter(isNumber));
  if (own.size === 0) return text;
  // How far a limit is from the other tells it as well, also from one that all members have.
  const beside = secrets.flatMap((path) => [path.slice(0, -1), ...(path[0] === "endpoints" ? [["defaults"]] : [])]);
  const others = new Set(beside.flatMap((path) => Object.values(at(values, path) ?? {}).filter(isNumber)));
  const apart = [...own].flatMap((one) => [...others].map((other) => Math.abs(one - other)));
  const numbers = [...own, ...apart.filter((distance) => distance > 0)];
  return numbers.reduce<string>((left, number) => {
    const written = String(number).replace(".", "\\.");
    return left.replace(new RegExp(`(?<![\\w.-])${written}(?!\\w|\\.\\d)`, "g"), MASK);
  }, text);
}

function holdsKey(value: unknown): boolean {
  return textsIn(value).some((text) => text.search(keys) >= 0);
}

function at(values: unknown, path: Path): unknown {
  return path.reduce<unknown>(ownValue, values);
}

function textsIn(value: unknown): string[] {
  return leavesIn(value).filter((one) => typeof one === "string");
}

function leavesIn(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesIn) : [value];
}
