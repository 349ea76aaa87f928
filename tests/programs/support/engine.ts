import type { Choices } from "./choices";
import { EngineRun } from "./engine-run";
import { urnOf } from "./names";
import type { Process, Program, Run, StackState, Stored } from "./stack";
import { verbsOf } from "./verbs";

/** A stack's state, and the engine's runs on it. */
export class Engine implements StackState {
  state = new Map<string, Stored>();
  /** Replaced resources that are still to be deleted. */
  toDelete: Stored[] = [];

  /** `pulumi preview`. */
  preview(process: Process, program: Program, choices: Choices): Promise<Run> {
    return new EngineRun(this, { process, program, choices, isPreview: true }).play();
  }

  /** `pulumi refresh`. */
  async refresh(process: Process): Promise<void> {
    for (const stored of [...this.state.values()]) {
      const { name, id, calledAs } = stored;
      const found = await verbsOf(name).read(process.context(urnOf(name)), stored);
      if (found) this.state.set(name, { name, calledAs, id, inputs: found.inputs, state: found.state });
      else this.state.delete(name);
    }
  }

  /** `pulumi up --skip-preview`, in a process of its own. */
  up(process: Process, program: Program, choices: Choices): Promise<Run> {
    return new EngineRun(this, { process, program, choices, isPreview: false }).play();
  }
}
