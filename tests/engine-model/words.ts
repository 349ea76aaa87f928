/** What the engine knows of a stack: its program, its state, and what became of a run. */
import type { Provider } from "./deployment/resource";

/** What a host tells the engine of a difference; the dynamic one tells no details. */
export interface Told {
  diffs: string[];
  replaces: string[];
  detailed?: Record<string, string>;
}

/** Inputs, outputs or a state. */
export type Values = Record<string, unknown>;

/** What a program says of a resource. */
export interface Declared {
  args: Values;
  /** The names of those that it waits for. */
  after: Set<string>;
  /** Its former name. */
  was?: string | undefined;
  /** The endpoint to import. */
  importId?: string | undefined;
  /** The option of this name, where a replacement by force is to follow it. */
  deleteBeforeReplace?: boolean | undefined;
  /** Whether the option `replacementTrigger` has another value than in the last run: a replacement without a Diff. */
  isTriggered?: boolean | undefined;
  /** The option of this name. The old values of names go to all Checks but that of a replacement's new half. */
  ignoreChanges?: string[] | undefined;
  /** The option of this name; of a resource that is no fleet. */
  replaceOnChanges?: string[] | undefined;
}

/** Its resources by name. */
export type Program = Map<string, Declared>;

/** A resource in the state. */
export interface Stored {
  name: string;
  id: string;
  inputs: Values;
  state: Values;
  unfinished?: boolean | undefined;
  /** What it waited for in its last run. */
  after?: readonly string[] | undefined;
  /** Deleted ahead of its replacement, which is still to come. */
  isGone?: boolean;
}

/** What lies in a stack's state. */
export interface StackState {
  state: Map<string, Stored>;
  /** Replaced resources that are still to be deleted. */
  toDelete: Stored[];
}

/**
 * The change of an endpoint. A resource's create may adopt, and its delete may release; a plan shows that for members,
 * except in a fleet that is new (`new`) or leaves the program (`drop`).
 */
export type Change =
  | "create"
  | "import"
  | "update"
  | "replace"
  | "same"
  | "delete"
  | "adopt"
  | "release"
  | "new"
  | "drop";

/** A failed call: its resource, verb and error, and whether it sent a change for that resource. */
export interface Failed {
  name: string;
  verb: "check" | "diff" | "step";
  error: Error;
  sent: number;
}

/** A step as the engine prints it: what of a resource was, and what is wanted. */
export interface PrintedStep {
  op: Change;
  name: string;
  old?: Stored | undefined;
  inputs?: Values | undefined;
  /** Of an import, what the program says. */
  wanted?: Values;
  told?: Told | undefined;
  deleteFirst?: boolean;
  /** True for the old half of an earlier replacement. */
  isLeftover?: boolean;
}

/** What a run planned for each endpoint, by its resource's or its member's name, and what failed. */
export interface Run {
  changes: Map<string, Change>;
  /** Those whose update moves the endpoint. */
  moves: Set<string>;
  failed: Failed[];
  /** What a preview knows of a resource's outputs. */
  outputs: Map<string, Values>;
  /** In the order in which they were planned. */
  printed: PrintedStep[];
}

/** The engine's own refusal of an import. */
export class ImportError extends Error {}

/** A process of the provider: its calls, what it has said, and how many changes it has sent for a resource. */
export interface Process {
  host: "plugin" | "dynamic";
  provider: Provider;
  clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** How long each change may take, in milliseconds (`customTimeouts`). */
  timeoutMs?: number | undefined;
  rows: readonly { urn: string; level: string; message: string }[];
  sent(urn: string): number;
}
