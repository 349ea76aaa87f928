import type { Account } from "../../provider/platform/account";
import type { LifecycleContext as Context } from "../../provider/pulumi/call";
import { RunRecords } from "../../provider/pulumi/run";
import { InOrder } from "../programs/support/choices";
import { Engine } from "../programs/support/engine";
import type { Process, Stored, Values } from "../programs/support/stack";
import { endpointVerbs, type Verbs } from "../programs/support/verbs";
import { urnOf } from "./bench";

export type { Stored };

/** What a program says about its endpoints, by resource name. */
export type Program = Readonly<Record<string, Readonly<Values>>>;

/** One call of the provider and how it ended. */
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

/** A run that is under way: a process of the provider, with records of its own. */
interface OpenRun extends Run {
  process: Process & { verbs: Verbs };
}

/** A stack of single endpoints that drives the provider in tests of faults, on the generator's model of the engine with nothing left to chance. */
export class EnginePart {
  readonly #engine = new Engine();

  /** `parallel` (default 1) is how many resources are worked on at once. */
  constructor(readonly parallel = 1) {}

  get resources(): Map<string, Stored> {
    return this.#engine.state;
  }

  /** Replaced endpoints that are still to be deleted. */
  get toDelete(): readonly Stored[] {
    return this.#engine.toDelete;
  }

  /** Everything that the state file knows by id. */
  ids(): string[] {
    return [...this.resources.values(), ...this.toDelete].map(({ id }) => id);
  }

  /** `pulumi preview`: how many resources it plans to create, update, replace, leave the same and delete. */
  async preview(account: Account, program: Program): Promise<Run & { changes: Record<string, number> }> {
    const run = begin(account, {}, {});
    const planned = await this.#engine.preview(this.#plan(run, program));
    const changes: Record<string, number> = {};
    for (const change of planned.changes.values()) changes[change] = (changes[change] ?? 0) + 1;
    return { ...run, changes };
  }

  /** `pulumi up`, without its preview: one process of the provider. One resource's failure stops no other. */
  async up(account: Account, program: Program, part: Partial<Context> = {}, hooks: Hooks = {}): Promise<Run> {
    const run = begin(account, part, hooks);
    await this.#engine.up(this.#plan(run, program));
    return run;
  }

  /** The reads of `pulumi refresh`, one resource's failure beside the others. */
  async refresh(account: Account, part: Partial<Context> = {}, hooks: Hooks = {}): Promise<Run> {
    const run = begin(account, part, hooks);
    const { context, verbs } = run.process;
    const waiting = [...this.resources.values()].values();
    const worker = async () => {
      for (const stored of waiting) {
        const found = await verbs.read(context(urnOf(stored.name)), stored).catch(() => stored);
        // A successful Read clears the mark of an unfinished resource.
        if (!found) this.resources.delete(stored.name);
        else if (found !== stored) this.resources.set(stored.name, { ...stored, ...found, unfinished: false });
      }
    };
    await Promise.all(Array.from({ length: this.parallel }, worker));
    return run;
  }

  #plan({ process }: OpenRun, program: Program) {
    const resources = Object.entries(program).map(
      ([name, args]) => [name, { args, after: new Set<string>() }] as const,
    );
    return { process, program: new Map(resources), choices: new InOrder(), atOnce: this.parallel, goesOn: true };
  }
}

function begin(account: Account, part: Partial<Context>, hooks: Hooks): OpenRun {
  const records = new RunRecords();
  const { signal } = new AbortController();
  const say = (message: string) => run.said.push(message);
  const reporter = { info: say, warn: say, status: () => {} };
  const step =
    <Rest extends unknown[], T>(verb: Step["verb"], call: (context: Context, ...rest: Rest) => Promise<T>) =>
    async (context: Context, ...rest: Rest): Promise<T> => {
      const name = context.urn?.split("::").at(-1) ?? "";
      const made: Step = { name, verb };
      run.steps.push(made);
      await hooks.beforeStep?.(verb, name);
      try {
        return await call(context, ...rest);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        made.error = error;
        run.errors.push(error.message);
        run.ok = false;
        throw error;
      }
    };
  const { check, diff, create, update, read, remove } = endpointVerbs;
  const run: OpenRun = {
    ...{ ok: true, steps: [], errors: [], said: [] },
    process: {
      host: "plugin",
      sent: () => 0,
      context: (urn) => ({
        ...{ account, run: records, host: "plugin", reporter, signal },
        urn: urn as ReturnType<typeof urnOf>,
        ...part,
      }),
      verbs: {
        check: step("check", check),
        diff: step("diff", diff),
        create: step("create", create),
        update: step("update", update),
        read: step("read", read),
        remove: step("delete", remove),
        preview: async () => undefined,
        isHeld: async () => false,
      },
    },
  };
  return run;
}
