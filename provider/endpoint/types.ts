/** The two types of endpoint, and what each may do. No other file asks which type an endpoint has. */

/** Kinds of compute endpoint (specification, section 2.3). */
export const endpointTypes = ["read_write", "read_only"] as const;

/** A kind of endpoint. */
export type EndpointType = (typeof endpointTypes)[number];

/** The rules of one endpoint type. */
export interface TypeRules {
  /** A branch has at most one of it (specification, section 1, rule 1). */
  isSole: boolean;
  /** Another branch is a change in place; of any other type it is a replacement. */
  moves: boolean;
  /** `adoptExisting` may take it over: there is never a second that could be meant. */
  isAdoptable: boolean;
  /** A plan of the account may have none of it (specification, section 1, rule 2). */
  dependsOnPlan: boolean;
}

const rules: Readonly<Record<EndpointType, TypeRules>> = {
  read_write: { isSole: true, moves: true, isAdoptable: true, dependsOnPlan: false },
  read_only: { isSole: false, moves: false, isAdoptable: false, dependsOnPlan: true },
};

/** The rules of an endpoint type; undefined for an unknown type. */
export function rulesOfType(type: unknown): TypeRules | undefined {
  const known = endpointTypes.find((one) => one === type);
  return known && rules[known];
}

/** True for an endpoint or a place of a type that a branch has at most once: the read-write endpoint. */
export function isSole<T extends { type?: unknown }>(one: T | undefined): one is T {
  return rulesOfType(one?.type)?.isSole === true;
}

/** True for an endpoint, or a place, of which a branch may have several: a read replica. */
export function isReplica({ type }: { type?: unknown }): boolean {
  return rulesOfType(type)?.isSole === false;
}

/** True for an endpoint that another branch leaves as it is; one whose type is not known yet is taken for one that does not move. */
export function canMove({ type }: { type?: unknown }): boolean {
  return rulesOfType(type)?.moves === true;
}
