/** What the engine knows of resources, and what it asks a provider: requests in, answers out, as a host sends them. */
import type { Told, Values } from "../words";

/** An unknown value, as the protocol has it. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** An engine that the model has been held against: this one, and those up to the next. */
export type Version = "3.259" | "3.276";

/** A resource in a stack's state. */
export interface Resource {
  urn: string;
  /** False for the stack itself; true for what a provider makes, and for a provider. */
  custom: boolean;
  /** True for the resource that stands for a provider. */
  isProvider?: boolean;
  id: string;
  inputs: Values;
  outputs: Values;
  parent?: string | undefined;
  /** The URN of its provider. */
  provider?: string | undefined;
  dependencies: readonly string[];
  /** By input, the resources whose outputs it has. */
  propertyDependencies: Readonly<Record<string, readonly string[]>>;
  protect: boolean;
  retainOnDelete: boolean;
  ignoreChanges: readonly string[];
  replaceOnChanges: readonly string[];
  importId?: string | undefined;
  /** The URN that it had in the state before this run, where that was another. */
  formerUrn?: string | undefined;
  /** The old half of a replacement, still to be deleted. */
  isPendingDelete?: boolean;
  /** Deleted ahead of its replacement, which is still to come. */
  isPendingReplacement?: boolean;
  /** What a partial failure has said of it. */
  initErrors: readonly string[];
}

/** An output of another resource, as the value of an input. */
export class Reference {
  constructor(
    readonly urn: string,
    readonly output: string,
  ) {}
}

/** A resource as a program registers it. */
export interface Goal {
  urn: string;
  /** What the program knows it by, where the engine has found it another URN. */
  key?: string | undefined;
  custom: boolean;
  isProvider?: boolean;
  /** May hold references, at the top level. */
  inputs: Values;
  parent?: string | undefined;
  provider?: string | undefined;
  dependsOn?: readonly string[] | undefined;
  /** Its former URNs. */
  aliases?: readonly string[] | undefined;
  /** The options of these names; protect and retainOnDelete are a parent's where it does not say them. */
  protect?: boolean | undefined;
  retainOnDelete?: boolean | undefined;
  deleteBeforeReplace?: boolean | undefined;
  ignoreChanges?: readonly string[] | undefined;
  replaceOnChanges?: readonly string[] | undefined;
  /** True where the option `replacementTrigger` has another value than in the last run. */
  isTriggered?: boolean | undefined;
  importId?: string | undefined;
}

/** A failure that leaves something behind, with what is known of it. */
export class PartialFailure extends Error {
  constructor(
    readonly id: string,
    readonly outputs: Values,
    message: string,
    /** Why, one by one where it is of many. */
    readonly reasons: readonly string[] = [message],
  ) {
    super(message);
  }
}

/** What a comparison comes to. */
export interface DiffAnswer {
  changes: boolean;
  replaces: boolean;
  deletesFirst: boolean;
  /** The inputs that differ. */
  changed?: readonly string[];
  /** What is printed of it. */
  told?: Told;
}

/** What a Read has found; undefined outputs mean that it is gone. */
export interface ReadAnswer {
  id: string;
  inputs?: Values | undefined;
  outputs?: Values | undefined;
}

interface Named {
  urn: string;
}

/** The calls of a provider. A call that throws has failed; a `PartialFailure` leaves something behind. */
export interface Provider {
  /** Without `olds` for what is new or replaced. */
  check(request: Named & { olds?: Values | undefined; news: Values }): Promise<{ inputs: Values; failures: unknown[] }>;
  diff(request: Named & Changed): Promise<DiffAnswer>;
  create(request: Named & { inputs: Values; isPreview: boolean }): Promise<{ id: string; outputs: Values }>;
  update(request: Named & Changed & { isPreview: boolean }): Promise<{ outputs: Values }>;
  /** Without inputs and outputs for an import. */
  read(request: Named & { id: string; inputs?: Values | undefined; outputs?: Values | undefined }): Promise<ReadAnswer>;
  delete(request: Named & { id: string; inputs: Values; outputs: Values }): Promise<void>;
}

/** An old state, and the inputs that are wanted. */
export interface Changed {
  id: string;
  oldInputs: Values;
  oldOutputs: Values;
  inputs: Values;
  ignoreChanges: readonly string[];
}

/** Parent, dependencies and property dependencies of a resource, its provider not among them. */
export function needsOf({ parent, dependencies, propertyDependencies }: Resource): string[] {
  const own = [...dependencies, ...Object.values(propertyDependencies).flat()];
  return parent === undefined ? own : [parent, ...own];
}
