/** A case that is played on a resource of its own and on a fleet's only member. */
import type { Emulator } from "../../../../emulator";
import type { Values } from "./hosts";
import type { OneResource } from "./resource";

/** One case's world: a place of its own, and the one resource. */
export interface World {
  emulator: Emulator;
  projectId: string;
  /** Branches without endpoints. */
  branches: readonly [string, string];
  resource: OneResource;
  /** The inputs of a read-write endpoint on the first branch, with changes; undefined takes one away. */
  inputs(changes?: Values): Values;
}

/** A case: its name, what is done, what the messages of the runs that fail have to say, and what the lines of the others. */
export interface Case {
  name: string;
  messages?: readonly RegExp[];
  lines?: readonly RegExp[];
  /** Only the plugin can import. */
  onlyPlugin?: true;
  play(world: World): Promise<void>;
}
