/** What a program keeps secret of a fleet: where it lies in the members, in their outputs and in the bookkeeping. */
import { endpointProperties } from "../../endpoint/properties";
import { BOOKKEEPING, type EndpointState } from "../../endpoint/state";
import { memberPath } from "../../fleet/model";
import type { Member } from "../../fleet/parse-fleet";
import { decodeMembers, encodeMembers, secretParts } from "../../fleet/state";
import type { Failure } from "../../lib/failure";
import { isRecord } from "../../lib/unknown";
import { type MarkedValues, type Path, redactFailure, redactText, secretsOfState, stillSecret } from "../secrets";

/** The properties of a member that are secret, by what the program, or the state, marks. */
export function secretsOfMember(secrets: readonly Path[], { key, pathOf }: Pick<Member, "key" | "pathOf">): Path[] {
  return secrets.flatMap((path): Path[] => {
    const [top, ...rest] = path;
    const all = endpointProperties.map((name) => [name]);
    if (top === "endpoints") {
      if (rest.length > 0 && rest[0] !== key) return [];
      return rest.length > 1 ? [rest.slice(1)] : all;
    }
    if (top !== "defaults" && top !== "projectId") return [];
    // What the member says itself is not what the defaults keep secret.
    const inherited = (name: string) => !pathOf(name).startsWith("endpoints");
    const within = top === "projectId" ? [path] : rest.length > 0 ? [rest] : all;
    return within.filter(([name]) => inherited(String(name)));
  });
}

/** The same by name. */
export function secretNamesOfMember(secrets: readonly Path[], member: Pick<Member, "key" | "pathOf">): Set<string> {
  return new Set(secretsOfMember(secrets, member).map(([name]) => String(name)));
}

/** The secret places of a fleet's inputs once the defaults are laid under each member. */
export function secretsOfInputs(secrets: readonly Path[], members: Iterable<Member>): Path[] {
  const places = [...members].flatMap((member) =>
    secretsOfMember(secrets, member).map((path) => ["endpoints", member.key, ...path]),
  );
  return [...secrets, ...places];
}

/** A failure of a fleet's check as the engine may show it: as `redactFailure` does, by the member that it is about. */
export function redactFleetFailure(
  failure: Failure,
  given: MarkedValues,
  members: ReadonlyMap<string, Member>,
): Failure {
  const [, key, own] = failure.property.match(/^endpoints\["([^"]+)"\]\.(.+)$/) ?? [];
  const name = own ?? failure.property.match(/^(?:defaults\.)(.+)$/)?.[1];
  if (name === undefined) return redactFailure(failure, given);
  const { property } = failure;
  const about = [...(key === undefined ? members.values() : [members.get(key)])].find(
    (member) => member !== undefined && (key !== undefined || member.pathOf(name) === property),
  );
  if (!about) return redactFailure(failure, given);
  const shown = redactFailure(
    { ...failure, property: name },
    { values: about.inputs, secrets: secretsOfMember(given.secrets, about) },
  );
  return { property: shown.property === "" ? "" : property, reason: redactText(shown.reason, given) };
}

/** The secret places of a fleet's outputs: those of each member and what follows from them. */
export function secretsOfFleet(secrets: readonly Path[], members: Iterable<Member>): Path[] {
  const isWhole = secrets.some((path) => path[0] === "endpoints" && path.length === 1);
  const places = [...members].flatMap((member) =>
    secretsOfState(secretsOfMember(secrets, member)).map((path) => ["endpoints", member.key, ...path]),
  );
  return [...(isWhole ? [["endpoints"]] : []), ...places];
}

/** The secret places of an old state that the new inputs say nothing about: a change may fail, and leave what was there. */
export function stillSecretInFleet({ values, secrets }: MarkedValues, members: ReadonlyMap<string, Member>): Path[] {
  const parts = secretParts(values[BOOKKEEPING]);
  if (secrets.length === 0 && parts === undefined) return [];
  const stored = decodeMembers(values);
  return [...stored].flatMap(([key, { state }]) => {
    const member = members.get(key);
    const shown = recordAt(values.endpoints, key);
    // Of a text that was a secret as a whole, nobody can tell what of it was one.
    const inText = parts ? placesIn(parts[key]) : unseenIn(state, shown);
    const sealed = secretsOfMember(secrets, { key, pathOf: (property) => memberPath(key, property) });
    const still = secretsOfState(member ? stillSecret([...sealed, ...inText], member.inputs) : [...sealed, ...inText]);
    return still.map((path) => ["endpoints", key, ...path]);
  });
}

/** A fleet's outputs with what is secret of their bookkeeping apart from the rest of it, and all their secret places. */
export function sealed(outputs: Readonly<Record<string, unknown>>, places: readonly Path[]): MarkedValues {
  const secrets = places.filter(([top]) => top !== BOOKKEEPING);
  if (secrets.length === 0) return { values: outputs, secrets };
  const isWhole = secrets.some((path) => path[0] === "endpoints" && path.length <= 2);
  if (isWhole || typeof outputs[BOOKKEEPING] !== "string") {
    return { values: outputs, secrets: [...secrets, [BOOKKEEPING]] };
  }
  const byKey = new Map<string, Path[]>();
  for (const [top, key, ...place] of secrets) {
    if (top === "endpoints") byKey.set(String(key), [...(byKey.get(String(key)) ?? []), place]);
  }
  const apart = encodeMembers(decodeMembers(outputs), (key) => byKey.get(key) ?? []);
  return { values: { ...outputs, ...apart }, secrets: [...secrets, [BOOKKEEPING, "secret"]] };
}

/** The places of what a text keeps apart. */
function placesIn(part: unknown, path: Path = []): Path[] {
  if (part === undefined) return [];
  if (!isRecord(part) || (path.length > 0 && Object.keys(part).length === 0)) return [path];
  return Object.entries(part).flatMap(([name, one]) => placesIn(one, [...path, name]));
}

/** The places of a member's state that its outputs do not show, but for what is never a secret. */
function unseenIn(state: EndpointState, shown: Readonly<Record<string, unknown>>): Path[] {
  const names = Object.keys(state).filter((name) => name !== BOOKKEEPING && !Object.hasOwn(shown, name));
  return [...names.map((name) => [name]), [BOOKKEEPING, "spelled"]];
}

function recordAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}
