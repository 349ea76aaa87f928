/** A stack of several resources, fleets and single endpoints: its state, and the runs of the engine on it. */
import type { Bench } from "../../../support/bench";
import type { Options, Program, Run, Stored, Values } from "./program";
import { OneRun } from "./run";

export type { Declared, Values } from "./program";

/** A stack as the engine keeps it. `isDynamic` is for the host that is told what waits for what. */
export class Together {
  state = new Map<string, Stored>();
  toDelete: Stored[] = [];

  constructor(
    private readonly bench: Bench,
    readonly isDynamic = false,
  ) {}

  preview(program: Program, options: Options = {}): Promise<Run> {
    return this.bench.run(new OneRun(this, this.bench, program, { ...options, isPreview: true }).play());
  }

  up(program: Program, options: Options = {}): Promise<Run> {
    return this.bench.run(new OneRun(this, this.bench, program, { ...options, isPreview: false }).play());
  }

  /** `pulumi import` of a fleet. */
  import(name: string, id: string): Promise<Run> {
    return this.bench.run(new OneRun(this, this.bench, {}, { isPreview: false }).import(name, id));
  }

  /** By resource and member, the ids that the state has. */
  ids(): Record<string, string> {
    return Object.fromEntries(
      [...this.state.values()].flatMap(({ name, kind, outputs }) =>
        kind === "single"
          ? [[name, String(outputs.endpointId)]]
          : Object.entries((outputs.endpoints ?? {}) as Record<string, Values>).map(([key, { endpointId }]) => [
              `${name}/${key}`,
              String(endpointId),
            ]),
      ),
    );
  }
}
