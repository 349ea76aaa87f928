/** The program's inputs and the stored state that a host passes with a call. */
import type { Values } from "../lib/unknown";
import type { Path } from "./values";

/** A program's current inputs of a resource. */
export interface Wanted<Inputs> {
  inputs: Inputs;
  /** The inputs of the last run, or what a note tells of them. */
  oldInputs?: Values | undefined;
  secrets?: readonly Path[];
  /** Paths of `ignoreChanges`. */
  ignoreChanges?: readonly string[];
  /** Properties of an endpoint whose changes are to replace it, where the engine leaves that to the host. */
  replaceOnChanges?: readonly string[];
}

/** The same of a resource that is there. */
export interface Changed<Inputs, State> extends Wanted<Inputs> {
  id: string;
  state: State;
}

/** The same of one that may not be there yet. */
export type Applied<Inputs, State> = Wanted<Inputs> & { there?: { id: string; state: State } };
