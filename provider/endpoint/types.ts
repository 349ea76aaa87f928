/** The endpoint types and their rules. No other file asks for an endpoint's type. */

/** The endpoint types (specification, section 2.3). */
export const endpointTypes = ["read_write", "read_only"] as const;

/** An endpoint type. */
export type EndpointType = (typeof endpointTypes)[number];

/** The rules of an endpoint type. */
export interface TypeRules {
  /** True if a branch has at most one of the type (specification, section 1, rule 1). */
  isSole: boolean;
  /** True if a new branch is a change in place; else it is a replacement. */
  moves: boolean;
  /** True if `adoptExisting` may adopt it: a branch's only one cannot be confused. */
  isAdoptable: boolean;
  /** The action that a branch restricts to keep its endpoints of the type, where the platform has one. */
  deleteAction?: string;
  /** True if some plans do not include the type (specification, section 1, rule 2). */
  dependsOnPlan: boolean;
}

const rules: Readonly<Record<EndpointType, TypeRules>> = {
  read_write: {
    isSole: true,
    moves: true,
    isAdoptable: true,
    dependsOnPlan: false,
    deleteAction: "delete-rw-endpoint",
  },
  read_only: { isSole: false, moves: false, isAdoptable: false, dependsOnPlan: true },
};

/** The rules of an endpoint type; undefined for an unknown type. */
export function rulesOfType(type: unknown): TypeRules | undefined {
  const known = endpointTypes.find((one) => one === type);
  return known && rules[known];
}

/** True for the type that a branch has once at most: read-write. */
export function isSole<T extends { type?: unknown }>(one: T | undefined): one is T {
  return rulesOfType(one?.type)?.isSole === true;
}

/** True for a type that a branch may have several times: a read replica. */
export function isReplica({ type }: { type?: unknown }): boolean {
  return rulesOfType(type)?.isSole === false;
}

/** True if the endpoint can move to another branch; false for an unknown type. */
export function canMove({ type }: { type?: unknown }): boolean {
  return rulesOfType(type)?.moves === true;
}
