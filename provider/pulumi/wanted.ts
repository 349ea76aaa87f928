/** What a host hands over with a call: what the program says of a resource, and what is there of it. */
import type { Values } from "../lib/unknown";
import type { Path } from "./values";

/** What a program says of a resource now. */
export interface Wanted<Inputs> {
  inputs: Inputs;
  /** The inputs of the last run, or what a note tells of them. */
  oldInputs?: Values | undefined;
  secrets?: readonly Path[];
  /** The paths of what the user has asked to leave as it is. */
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
