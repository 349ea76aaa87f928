/** The program's inputs and the stored state in a host's call. */
import type { DiffResult } from "../endpoint/diff";
import type { FleetPlan } from "../fleet/plan";
import type { Values } from "../lib/unknown";
import type { Path } from "./values";

/** The program's current inputs of a resource. */
export interface Wanted<Inputs> {
  inputs: Inputs;
  /** The last run's inputs, or the part that a note keeps. */
  oldInputs?: Values | undefined;
  secrets?: readonly Path[];
  /** Paths of `ignoreChanges`. */
  ignoreChanges?: readonly string[];
  /** Properties whose changes must replace the endpoint, where the host applies the option. */
  replaceOnChanges?: readonly string[];
}

/** The inputs and the state of an existing resource. */
export interface Changed<Inputs, State> extends Wanted<Inputs> {
  id: string;
  state: State;
}

/** The result of a fleet's Diff. */
export interface FleetDiff {
  changes: boolean;
  /** Undefined while the set of members is unknown. */
  plan?: FleetPlan;
}

/** The result of a Diff, which each host tells the engine in its own form. */
export type Difference = DiffResult | FleetDiff;
