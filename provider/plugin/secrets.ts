import type { Path, Values } from "./values";

/** Text shorter than this says too little to hide, and hiding it would garble a message. */
const SHORTEST_SECRET = 4;

/** The longest message, in characters: a value of megabytes must not fill the terminal. */
const LONGEST_MESSAGE = 4_000;

const nothing: Values = { values: {}, secrets: [] };

/** Outputs that follow from an input, so that they give it away (specification, section 2.4). */
const derived: Readonly<Record<string, readonly string[]>> = {
  sizeCu: [
    "autoscalingLimitMinCu",
    "autoscalingLimitMaxCu",
    "maxConnections",
    "memoryGbMin",
    "memoryGbMax",
    "vcpuMin",
    "vcpuMax",
  ],
  autoscalingLimitMinCu: ["sizeCu", "maxConnections", "memoryGbMin", "vcpuMin"],
  autoscalingLimitMaxCu: ["sizeCu", "memoryGbMax", "vcpuMax"],
};

/** The secret places of a state whose inputs had these: the same, and whatever can be worked out from them. */
export function secretsOfState(secrets: readonly Path[]): readonly Path[] {
  const followers = secrets.flatMap(([first]) => derived[String(first)] ?? []);
  return [...secrets, ...followers.map((name) => [name])];
}

/** A message for people: without the secret texts among the values, and of a length that can be read. */
export function readable(text: string, { values, secrets }: Values = nothing): string {
  const hidden = secrets.flatMap((path) => textsIn(at(values, path)));
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
