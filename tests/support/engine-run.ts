import type { Account } from "../../provider/platform/account";
import type { LifecycleContext as Context } from "../../provider/pulumi/call";
import { RunRecords } from "../../provider/pulumi/run";
import { urnOf } from "./bench";

/** One step of a run and how it ended. */
export interface Step {
  name: string;
  verb: "check" | "diff" | "create" | "update" | "delete" | "read";
  error?: Error;
}

/** What happens beside a run. */
export interface Hooks {
  /** Called before each call of the provider. */
  beforeStep?(verb: Step["verb"], name: string): Promise<void>;
}

/** What became of a run. */
export interface Run {
  ok: boolean;
  steps: Step[];
  /** Messages of all errors and refusals. */
  errors: string[];
  /** Everything that was said on the resources' rows. */
  said: string[];
}

/** A run that is under way. */
export interface OpenRun extends Run {
  /** Runs one call of the provider and notes how it ended; gives its value where it ended well. */
  step<T>(name: string, verb: Step["verb"], call: (context: Context) => Promise<T>): Promise<T | undefined>;
}

/** Begins a run: a process of the provider, with records of its own. */
export function newRun(account: Account, part: Partial<Context>, hooks: Hooks): OpenRun {
  const records = new RunRecords();
  const signal = new AbortController().signal;
  const run: OpenRun = {
    ok: true,
    steps: [],
    errors: [],
    said: [],
    async step(name, verb, call) {
      const say = (message: string) => run.said.push(message);
      const reporter = { info: say, warn: say, status: () => {} };
      const step: Step = { name, verb };
      run.steps.push(step);
      await hooks.beforeStep?.(verb, name);
      try {
        return await call({ account, run: records, host: "plugin", reporter, signal, urn: urnOf(name), ...part });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        step.error = error;
        run.errors.push(error.message);
        run.ok = false;
        return undefined;
      }
    },
  };
  return run;
}
