/** The program's inputs and the stored state in a host's call. */
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

/** The inputs of a resource, and its state if it exists. */
export type Applied<Inputs, State> = Wanted<Inputs> & { there?: { id: string; state: State } };
