import type { Path, Values } from "./values";

/** Text shorter than this says too little to hide, and hiding it would garble a message. */
const SHORTEST_SECRET = 4;

/** The longest message, in characters: a value of megabytes must not fill the terminal. */
const LONGEST_MESSAGE = 4_000;

/** Outputs that follow from an input, so that they give it away (specification, section 2.4). */
// A map, since the names of a program may be those that every object has, such as `constructor`.
const derived: ReadonlyMap<string, readonly string[]> = new Map([
  ["sizeCu", ["autoscalingLimitMinCu", "autoscalingLimitMaxCu", "maxConnections"]],
  ["autoscalingLimitMinCu", ["sizeCu", "maxConnections"]],
  ["autoscalingLimitMaxCu", ["sizeCu"]],
]);

/** The secret places of a state whose inputs had these: the same, and whatever can be worked out from them. */
export function secretsOfState(secrets: readonly Path[]): readonly Path[] {
  const followers = secrets.flatMap(([first]) => derived.get(String(first)) ?? []);
  return [...secrets, ...followers.map((name) => [name])];
}

/**
 * The secret places of an old state that the new inputs say nothing about: what the program no longer sets may stay as
 * it is on the platform, and is as secret as it was.
 */
export function stillSecret(sealed: readonly Path[], inputs: Readonly<Record<string, unknown>>): readonly Path[] {
  const told = new Set(Object.keys(inputs).flatMap((name) => [name, ...(derived.get(name) ?? [])]));
  return sealed.filter(([first]) => !told.has(String(first)));
}

/** A message for people: without the secret texts among the values, and of a length that can be read. */
export function readable(text: string, ...given: readonly Values[]): string {
  const hidden = given.flatMap(({ values, secrets }) => secrets.flatMap((path) => textsIn(at(values, path))));
  // The longest first, so that no part of a secret is left when another is a piece of it.
  const ordered = hidden.filter((one) => one.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  const shown = ordered.reduce((left, secret) => left.replaceAll(secret, "[secret]"), text);
  return shown.length > LONGEST_MESSAGE ? `${shown.slice(0, LONGEST_MESSAGE - 1)}…` : shown;
}

function at(values: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], values);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
