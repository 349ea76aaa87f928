/**
 * What would help after an error, as data, where its kind alone does not say it. Texts with commands in them are made of it by whoever
 * knows the reader: a host of Pulumi, or the command line.
 */

/** What would help after an error. */
export type Remedy =
  /** The endpoint was deleted on the platform: the state has to learn it. */
  | { kind: "gone" }
  /** The platform does not know the project of an endpoint of the state: another key or address, or it was deleted. */
  | { kind: "unknownProject"; projectId: string }
  /** The base address is not that of the platform's API. */
  | { kind: "wrongAddress" }
  /** A root branch keeps its read-write endpoint. */
  | { kind: "rootBranch" }
  /** What the platform takes and does not do. */
  | { kind: "not_applied"; properties: readonly string[] }
  /** A create of which nobody knows whether it was made. */
  | MaybeCreated;

/** Where an endpoint may be that a create has made. */
export interface MaybeCreated {
  kind: "maybeCreated";
  projectId: string;
  branchId: string;
  /** The name that it was given. */
  name: string;
  /** Whether the platform keeps names, where that is known. */
  keepsNames?: boolean | undefined;
  /** The ids of endpoints of which any may be it, or none. */
  candidates: readonly string[];
}
