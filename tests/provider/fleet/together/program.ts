/** Programs of several resources, fleets and single endpoints, and what a run of the engine comes to. */

/** Inputs, outputs or a state. */
export type Values = Record<string, unknown>;

/** A resource as a program declares it. */
export interface Declared {
  kind: "fleet" | "single";
  args: Values;
  after?: readonly string[];
  deleteBeforeReplace?: boolean;
}

/** In the order in which the engine registers them. */
export type Program = Readonly<Record<string, Declared>>;

/** A resource as the engine's state file has it. */
export interface Stored {
  name: string;
  kind: Declared["kind"];
  id: string;
  inputs: Values;
  outputs: Values;
  unfinished?: boolean;
}

/** How a run ended. */
export interface Run {
  errors: Record<string, string>;
  rows: string[];
  /** By resource what is planned; of a fleet by member. */
  changes: Record<string, unknown>;
}

/** Whether steps are done as soon as they are planned, or when all resources have been. */
export type Pace = "eager" | "late";

/** How a run goes. */
export interface Options {
  pace?: Pace;
  /** Resources that `--replace` names: no Diff, a Check without anything old. */
  replace?: readonly string[];
  /** Where somebody says that what an interrupted run has made is taken up. */
  adoptInterrupted?: boolean;
}

/** The URN of a fleet. */
export const fleetUrn = (name: string) => `urn:pulumi:test::shop::pgcompute:index:EndpointFleet::${name}`;

/** What a state file gives back: JSON, and nothing that is shared. */
export function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** The inputs that a check gives, or an error of all that it found. */
export function checked({
  inputs,
  failures,
}: {
  inputs: Values;
  failures: { property: string; reason: string }[];
}): Values {
  if (failures.length > 0) throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
  return copy(inputs);
}
