import type { Context } from "../../provider/endpoint/context";
import { create } from "../../provider/endpoint/create";
import { remove } from "../../provider/endpoint/delete";
import { diff } from "../../provider/endpoint/diff";
import type { EndpointInputs } from "../../provider/endpoint/properties";
import { read } from "../../provider/endpoint/read";
import { update } from "../../provider/endpoint/update";
import type { Account } from "../../provider/platform/account";
import { PartialError } from "../../provider/platform/errors";
import { check } from "../../provider/pulumi/check";
import { RunLedger } from "../../provider/pulumi/run/run-ledger";
import { urnOf } from "./bench";

/** What a program says about its endpoints, by resource name. */
export type Program = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A resource as the engine's state file has it. */
export interface Stored {
  name: string;
  id: string;
  inputs: Record<string, unknown>;
  state: Record<string, unknown>;
  /** The last create or update ended with an id and an error: the engine calls Update until it succeeds. */
  unfinished: boolean;
}

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

/**
 * The part of the engine that calls the lifecycle: it keeps a state file as the real one does and calls in the same order
 * with the same values. It drives the provider in tests of faults; what the engine does is shown on the real one.
 */
export class EnginePart {
  readonly resources = new Map<string, Stored>();
  /** Replaced endpoints that are still to be deleted. */
  doomed: Stored[] = [];

  /** Everything that the state file knows by id. */
  ids(): string[] {
    return [...this.resources.values(), ...this.doomed].map(({ id }) => id);
  }

  /** `pulumi up`, without its preview: one process of the provider. */
  async up(account: Account, program: Program, part: Partial<Context> = {}, hooks: Hooks = {}): Promise<Run> {
    const run = newRun(account, part, hooks);
    for (const [name, news] of Object.entries(program)) await this.#register(run, name, news);
    if (run.ok) await this.#deleteRest(run, program);
    return run;
  }

  /** `pulumi refresh`. */
  async refresh(account: Account, part: Partial<Context> = {}, hooks: Hooks = {}): Promise<Run> {
    const run = newRun(account, part, hooks);
    for (const stored of [...this.resources.values()]) {
      const { name, id, state, inputs } = stored;
      await run.step(name, "read", async (context) => {
        const found = await read(context, { id, state: copy(state), oldInputs: copy(inputs) });
        // A successful Read clears the mark of an unfinished resource.
        if (found) this.#store({ name, id, state: found.state, inputs: found.inputs, unfinished: false });
        else this.resources.delete(name);
      });
    }
    return run;
  }

  async #register(run: OpenRun, name: string, news: Readonly<Record<string, unknown>>): Promise<void> {
    const stored = this.resources.get(name);
    const inputs = await this.#check(run, name, stored?.inputs ?? {}, news);
    if (!inputs) return;
    if (!stored) return this.#create(run, name, inputs);
    const planned = await run.step(name, "diff", (context) =>
      diff(context, { id: stored.id, state: copy(stored.state), inputs, oldInputs: copy(stored.inputs) }),
    );
    if (!planned) return;
    if (Object.values(planned.properties).some(({ replaces }) => replaces !== undefined)) {
      const again = await this.#check(run, name, {}, news);
      if (!again) return;
      if (planned.deleteBeforeReplace) {
        if (!(await this.#delete(run, stored))) return;
        this.resources.delete(name);
        return this.#create(run, name, again);
      }
      return this.#create(run, name, again, stored);
    }
    if (planned.changes || stored.unfinished) return this.#update(run, stored, inputs);
    this.#store({ ...stored, inputs });
  }

  async #check(
    run: OpenRun,
    name: string,
    olds: Record<string, unknown>,
    news: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown> | undefined> {
    return run.step(name, "check", async (context) => {
      const { inputs, failures } = await check(context, { olds: copy(olds), news: copy(news) });
      const [first] = failures;
      if (first) throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
      return copy(inputs);
    });
  }

  async #create(run: OpenRun, name: string, inputs: Record<string, unknown>, replaced?: Stored): Promise<void> {
    await run.step(name, "create", async (context) => {
      const keep = (id: string, state: Readonly<Record<string, unknown>>, unfinished: boolean) => {
        if (replaced) this.doomed.push(replaced);
        this.#store({ name, id, state: { ...state }, inputs, unfinished });
      };
      const made = await kept(create(context, copy(inputs) as EndpointInputs), keep);
      keep(made.id, made.state, false);
    });
  }

  async #update(run: OpenRun, stored: Stored, inputs: Record<string, unknown>): Promise<void> {
    const { name, id } = stored;
    await run.step(name, "update", async (context) => {
      const request = {
        id,
        state: copy(stored.state),
        inputs: copy(inputs) as EndpointInputs,
        oldInputs: copy(stored.inputs),
      };
      const made = await kept(update(context, request), (_, state) =>
        this.#store({ name, id, state: { ...state }, inputs, unfinished: true }),
      );
      this.#store({ name, id, state: made.state, inputs, unfinished: false });
    });
  }

  async #delete(run: OpenRun, { name, id, state }: Stored): Promise<boolean> {
    const done = await run.step(name, "delete", async (context) => {
      await remove(context, { id, state: copy(state) });
      return true;
    });
    return done ?? false;
  }

  async #deleteRest(run: OpenRun, program: Program): Promise<void> {
    for (const one of [...this.doomed]) {
      if (await this.#delete(run, one)) this.doomed = this.doomed.filter((other) => other !== one);
    }
    for (const one of [...this.resources.values()]) {
      if (!Object.hasOwn(program, one.name) && (await this.#delete(run, one))) this.resources.delete(one.name);
    }
  }

  #store(stored: Stored): void {
    this.resources.set(stored.name, copy(stored));
  }
}

interface OpenRun extends Run {
  /** Runs one call of the provider and notes how it ended; gives its value where it ended well. */
  step<T>(name: string, verb: Step["verb"], call: (context: Context) => Promise<T>): Promise<T | undefined>;
}

function newRun(account: Account, part: Partial<Context>, hooks: Hooks): OpenRun {
  const ledger = new RunLedger();
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
        return await call({ account, ledger, host: "plugin", reporter, signal, urn: urnOf(name), ...part });
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

/** Keeps the id and state of a call that got as far as an endpoint and then failed, as the engine does. */
async function kept<T>(
  call: Promise<T>,
  keep: (id: string, state: Readonly<Record<string, unknown>>, unfinished: boolean) => void,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof PartialError) keep(error.id, error.state, true);
    throw error;
  }
}

/** What a state file gives back: JSON, and nothing that is shared. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
