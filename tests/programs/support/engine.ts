import { EngineRun, type RunPlan } from "./engine-run";
import { urnOf } from "./names";
import type { Change, Process, Run, StackState, Stored } from "./stack";
import { verbsOf } from "./verbs";

/** A stack's state, and the engine's runs on it. */
export class Engine implements StackState {
  state = new Map<string, Stored>();
  /** Replaced resources that are still to be deleted. */
  toDelete: Stored[] = [];

  /** `pulumi preview`. */
  preview(plan: RunPlan): Promise<Run> {
    return new EngineRun(this, plan, true).play();
  }

  /** `pulumi refresh`: what became of the members of fleets. A preview in the same process after it is one with `--refresh`. */
  async refresh(process: Process): Promise<Map<string, Change>> {
    const changes = new Map<string, Change>();
    for (const stored of [...this.state.values()]) {
      const { name, id, calledAs } = stored;
      const [verbs, context] = [process.verbs ?? verbsOf(name), process.context(urnOf(name))];
      const found = await verbs.read(context, stored);
      if (!found) {
        this.state.delete(name);
        continue;
      }
      const now = { name, calledAs, id, inputs: found.inputs, state: found.state };
      // To show what has changed: what was read, compared with the inputs of the last run. Its failure fails the refresh.
      const { members = [] } = await verbs.diff(context, now, stored.inputs);
      for (const [member, change] of members) changes.set(member, change);
      this.state.set(name, now);
    }
    return changes;
  }

  /** `pulumi import`, with what the program is to say of it. */
  async import(process: Process, name: string, id: string): Promise<void> {
    const verbs = process.verbs ?? verbsOf(name);
    const found = await verbs.read(process.context(urnOf(name)), { name, id, inputs: {}, state: {} });
    if (found) this.state.set(name, { name, ...found });
  }

  /** `pulumi up --skip-preview`, in a process of its own. */
  up(plan: RunPlan): Promise<Run> {
    return new EngineRun(this, plan, false).play();
  }
}
