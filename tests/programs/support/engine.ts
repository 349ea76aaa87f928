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

  /** `pulumi refresh`; a preview in the same process after it is one with `--refresh`. */
  async refresh(process: Process): Promise<void> {
    for (const stored of [...this.state.values()]) {
      const { name, id, calledAs } = stored;
      const [verbs, context] = [verbsOf(name), process.context(urnOf(name))];
      const found = await verbs.read(context, stored);
      if (!found) {
        this.state.delete(name);
        continue;
      }
      const now = { name, calledAs, id, inputs: found.inputs, state: found.state };
      // To show what has changed: what was read, compared with the inputs of the last run. Its failure fails the refresh.
      await verbs.diff(context, now, stored.inputs);
      this.state.set(name, now);
    }
  }

  /** `pulumi up --skip-preview`, in a process of its own. */
  up(process: Process, program: Program, choices: Choices): Promise<Run> {
    return new EngineRun(this, { process, program, choices, isPreview: false }).play();
  }
}
