/** Secrets: a secret place stays secret, and no message contains its value. */
import { derivedPlaces } from "../endpoint/outputs";
import { endpointProperties } from "../endpoint/properties";
import { sizeNames } from "../endpoint/rules/size";
import { BOOKKEEPING } from "../endpoint/state";
import { decodeMembers, encodeMembers } from "../fleet/state";
import type { Failure } from "../lib/failure";
import { stepsOf } from "../lib/path";
import { cleanText, KEY_FORM } from "../lib/redact";
import { isRecord, ownValue, type Values } from "../lib/unknown";
import { adviseFailure } from "./messages/errors";
import type { MarkedValues, Path } from "./values";

const MASK = "[secret]";

/** Shorter texts are not hidden: they reveal little, and hiding them would garble messages. */
const SHORTEST_SECRET = 4;

/** The longest message, in characters: a value of megabytes must not fill the terminal. */
const LONGEST_MESSAGE = 4_000;

/** The failure message for a secret value. Most reasons would reveal the value. */
const NOT_ACCEPTED =
  "the value is not accepted; the program keeps it secret, so it is not shown, nor what is wrong with it";

/**
 * The secret places within a resource, or within the member with this key. A secret object makes each property secret.
 */
export function secretsWithin(secrets: readonly Path[], key?: string): Path[] {
  return secrets.flatMap((path): Path[] => {
    const [top, ...rest] = path;
    if (top === "endpoints" && rest.length > 0 && rest[0] !== key) return [];
    if (top !== "endpoints" && top !== "defaults") return [path];
    const own = top === "defaults" ? rest : rest.slice(1);
    return own.length > 0 ? [own] : endpointProperties.map((name) => [name]);
  });
}

/** The names of the secret properties of a resource or a member. */
export function secretNames(secrets: readonly Path[], key?: string): ReadonlySet<string> {
  return new Set(secretsWithin(secrets, key).map(([name]) => String(name)));
}

/** The secret paths of checked inputs. A secret in a fleet's `defaults` is secret in each member. */
export function secretsOfInputs(inputs: MarkedValues): Path[] {
  const isOfMember = ([top, , name]: Path) => top === "endpoints" && name !== undefined;
  const ofAll = isFleet(inputs) ? inputs.secrets.filter((path) => !isOfMember(path)) : [];
  return [...ofAll, ...ofEach(inputs)];
}

/** The secret places of outputs: the inputs', values derived from these, and the old outputs'. */
export function secretsOfOutputs(inputs: MarkedValues, olds?: Pick<MarkedValues, "secrets">): Path[] {
  // The platform's values of a wholly secret member are not secret.
  const isMember = (path: Path) => path.length === 2 && path[0] === "endpoints";
  const places = secretsOfInputs(inputs).filter((path) => !isMember(path));
  return [...places.flatMap((place) => [place, ...derived(place)]), ...(olds?.secrets ?? [])];
}

/** Outputs with secret values outside the bookkeeping text, each at a place of its own. */
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

/** The places of an endpoint, or of each member. */
function ofEach({ values: { endpoints }, secrets }: MarkedValues): Path[] {
  if (secrets.length === 0 || !isRecord(endpoints)) return [...secrets];
  return Object.keys(endpoints).flatMap((key) =>
    secretsWithin(secrets, key).map((path) => ["endpoints", key, ...path]),
  );
}

/** The number of path steps to the endpoint that contains a place. */
function depthOf([top]: Path): number {
  return top === "endpoints" ? 2 : 0;
}

/** The paths of outputs that reveal the value at this path. */
function derived(place: Path): Path[] {
  if (place.length === 1 && place[0] === "endpoints") return [[BOOKKEEPING]];
  const [prefix, own] = [place.slice(0, depthOf(place)), place.slice(depthOf(place))];
  // A member's import id contains the project.
  const ofImport = prefix.length > 0 && own[0] === "projectId" ? [["importId"]] : [];
  return [...derivedPlaces(own), ...ofImport].map((path) => [...prefix, ...path]);
}

/** A message for people: shortened, without keys and without secret texts of 4 or more characters. */
export function redactText(text: string, ...given: readonly MarkedValues[]): string {
  const hidden = given.flatMap(({ values, secrets }) => secrets.flatMap((path) => textsIn(at(values, path))));
  const forms = hidden.flatMap(formsOf).filter((one) => one.length >= SHORTEST_SECRET);
  // Longest first: one secret may contain another.
  const ordered = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const shown = ordered.reduce((left, secret) => left.replaceAll(secret, MASK), text).replace(KEY_FORM, "[API key]");
  return shown.length > LONGEST_MESSAGE ? `${shown.slice(0, LONGEST_MESSAGE - 1)}…` : shown;
}

/** Replaces the reasons of failures at secret places. A secret size property hides all three. */
export function valueRedactor(secrets: readonly Path[]): (failure: Failure) => Failure {
  const hidden = secrets.map((path) => path.join("."));
  const isWithin = (place: string) => hidden.some((one) => place === one || place.startsWith(`${one}.`));
  return (failure) => {
    const { property } = failure;
    const place = stepsOf(property).join(".");
    const isSecret = isSize(place) ? sizeNames.some(isWithin) : isWithin(place);
    return isSecret ? { property, reason: NOT_ACCEPTED } : failure;
  };
}

/**
 * Makes a check's failures safe to show. The engine prints the value of a named property, so a secret or a value that
 * is not plain (a map, a nested one, a missing one) has its name in the reason instead.
 */
export function failureRedactor(...given: readonly MarkedValues[]): (failure: Failure) => Failure {
  const places = given.flatMap(({ secrets }) => secrets.flatMap((path) => secretsWithin([path], String(path[1]))));
  const names = new Set(places.map(([name]) => String(name)));
  return (failure) => {
    const { property, reason } = adviseFailure(failure);
    const steps = stepsOf(property);
    const place = steps.slice(0, steps[0] === "endpoints" ? 3 : steps[0] === "defaults" ? 2 : 1);
    const name = place.at(-1) ?? "";
    const isSecret = isSize(name) ? sizeNames.some((one) => names.has(one)) : names.has(name);
    const text = redactText(reason, ...given);
    if (property === "") return { property, reason: text };

    const value = ownValue(given[0]?.values, property);
    const isPlain = ["string", "number", "boolean"].includes(typeof value);
    if (isPlain && !isSecret && !holdsKey([property, value])) return { property, reason: text };
    return { property: "", reason: `${redactText(property)}: ${text}` };
  };
}

function isSize(name: string): boolean {
  return (sizeNames as readonly string[]).includes(name);
}

/** The forms of a secret in messages: raw, as one clean line, and both as JSON. */
function formsOf(text: string): string[] {
  const line = cleanText(text, Number.POSITIVE_INFINITY);
  return [text, line].flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]);
}

function holdsKey(value: unknown): boolean {
  return textsIn(value).some((text) => text.search(KEY_FORM) >= 0);
}

function at(values: unknown, path: Path): unknown {
  return path.reduce<unknown>(ownValue, values);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === "string" ? [value] : [];
}
