/** The two types of endpoint, and what each may do. No other file asks which type an endpoint has. */

/** Kinds of compute endpoint (specification, section 2.3). */
export const endpointTypes = ["read_write", "read_only"] as const;

/** A kind of endpoint. */
export type EndpointType = (typeof endpointTypes)[number];

/** What a type may do. */
export interface TypeRules {
  /** The name of the type in a sentence. */
  label: string;
  /** A branch has at most one of it (specification, section 1, rule 1). */
  isSole: boolean;
  /** Another branch is a change in place; of any other type it is a replacement. */
  moves: boolean;
}

const rules: Readonly<Record<EndpointType, TypeRules>> = {
  read_write: { label: "read-write endpoint", isSole: true, moves: true },
  read_only: { label: "read replica", isSole: false, moves: false },
};

/** What the type of an endpoint, a place or inputs may do; of a type that is not known, as little as any. */
export function rulesOf({ type }: { type?: unknown }): TypeRules {
  return rules[endpointTypes.find((one) => one === type) ?? "read_only"];
}

/** True for an endpoint, or a place, of which a branch has at most one: the one that takes writes. */
export function isSole<T extends { type?: unknown }>(one: T | undefined): one is T {
  return one !== undefined && rulesOf(one).isSole;
}
