import type { EndpointInputs } from "../../provider/endpoint/properties";
import type { Account } from "../../provider/platform/account";
import { PartialError } from "../../provider/platform/errors";
import type { LifecycleContext as Context } from "../../provider/pulumi/call";
import { check, create, diff, read, remove, update } from "../../provider/pulumi/lifecycle";
import { type Hooks, newRun, type OpenRun, type Run } from "./engine-run";

/** What a program says about its endpoints, by resource name. */
export type Program = Readonly<Record<string, Inputs>>;

type Inputs = Readonly<Record<string, unknown>>;

/** A resource as the engine's state file has it. */
export interface Stored {
  name: string;
  id: string;
  inputs: Record<string, unknown>;
  state: Record<string, unknown>;
  /** The last create or update ended with an id and an error: the engine calls Update until it succeeds. */
  unfinished: boolean;
}

/** What a preview plans for a resource. */
interface Plan {
  change: "create" | "update" | "replace" | "same";
  inputs: Record<string, unknown>;
  /** Of a replacement: the old one goes before the new one comes. */
  deleteFirst?: boolean;
}

/**
 * The part of the engine that calls the lifecycle: it keeps a state file as the real one does and calls in the same order
 * with the same values. It drives the provider in tests of faults; what the engine does is shown on the real one.
 */
export class EnginePart {
  readonly resources = new Map<string, Stored>();
  /** Replaced endpoints that are still to be deleted. */
  toDelete: Stored[] = [];

  /** `parallel` (default 1) is how many resources are worked on at once. */
  constructor(readonly parallel = 1) {}

  /** Everything that the state file knows by id. */
  ids(): string[] {
    return [...this.resources.values(), ...this.toDelete].map(({ id }) => id);
  }

  /** `pulumi preview`: how many resources it plans to create, update, replace, leave the same and delete. */
  async preview(account: Account, program: Program): Promise<Run & { changes: Record<string, number> }> {
    const run = newRun(account, {}, {});
    const changes: Record<string, number> = {};
    const count = (change: string) => {
      changes[change] = (changes[change] ?? 0) + 1;
    };
    await this.#each(Object.entries(program), async ([name, news]) => {
      const plan = await this.#plan(run, name, news);
      if (plan) count(plan.change);
    });
    for (const name of this.resources.keys()) if (!Object.hasOwn(program, name)) count("delete");
    return { ...run, changes };
  }

  /** `pulumi up`, without its preview: one process of the provider. */
  async up(account: Account, program: Program, part: Partial<Context> = {}, hooks: Hooks = {}): Promise<Run> {
    const run = newRun(account, part, hooks);
    await this.#each(Object.entries(program), ([name, news]) => this.#register(run, name, news));
    if (run.ok) await this.#deleteRest(run, program);
    return run;
  }

  /** `pulumi refresh`. */
  async refresh(account: Account, part: Partial<Context> = {}, hooks: Hooks = {}): Promise<Run> {
    const run = newRun(account, part, hooks);
    await this.#each([...this.resources.values()], async ({ name, id, state, inputs }) => {
      await run.step(name, "read", async (context) => {
        const found = await read(context, { id, state: copy(state), oldInputs: copy(inputs) });
        // A successful Read clears the mark of an unfinished resource.
        if (found) this.#store({ name, id, state: found.state, inputs: found.inputs, unfinished: false });
        else this.resources.delete(name);
      });
    });
    return run;
  }

  async #register(run: OpenRun, name: string, news: Inputs): Promise<void> {
    const stored = this.resources.get(name);
    const plan = await this.#plan(run, name, news);
    if (!plan) return;
    if (!stored) return this.#create(run, name, plan.inputs);
    if (plan.change === "same") return this.#store({ ...stored, inputs: plan.inputs });
    if (plan.change === "update") return this.#update(run, stored, plan.inputs);
    if (!plan.deleteFirst) return this.#create(run, name, plan.inputs, stored);
    if (!(await this.#delete(run, stored))) return;
    this.resources.delete(name);
    return this.#create(run, name, plan.inputs);
  }

  async #plan(run: OpenRun, name: string, news: Inputs): Promise<Plan | undefined> {
    const stored = this.resources.get(name);
    const inputs = await this.#check(run, name, stored?.inputs ?? {}, news);
    if (!inputs) return undefined;
    if (!stored) return { change: "create", inputs };
    const planned = await run.step(name, "diff", (context) =>
      diff(context, { id: stored.id, state: copy(stored.state), inputs, oldInputs: copy(stored.inputs) }),
    );
    if (!planned) return undefined;
    if (Object.values(planned.properties).some(({ replaces }) => replaces !== undefined)) {
      const again = await this.#check(run, name, {}, news);
      return again && { change: "replace", inputs: again, deleteFirst: planned.deleteBeforeReplace };
    }
    return { change: planned.changes || stored.unfinished ? "update" : "same", inputs };
  }

  async #check(
    run: OpenRun,
    name: string,
    olds: Record<string, unknown>,
    news: Inputs,
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
        if (replaced) this.toDelete.push(replaced);
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
    await this.#each([...this.toDelete], async (one) => {
      if (await this.#delete(run, one)) this.toDelete = this.toDelete.filter((other) => other !== one);
    });
    const dropped = [...this.resources.values()].filter(({ name }) => !Object.hasOwn(program, name));
    await this.#each(dropped, async (one) => {
      if (await this.#delete(run, one)) this.resources.delete(one.name);
    });
  }

  /** Does the work for every item, in their order, as many at once as there may be. */
  async #each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
    const waiting = items.values();
    const worker = async () => {
      for (const item of waiting) await work(item);
    };
    await Promise.all(Array.from({ length: this.parallel }, worker));
  }

  #store(stored: Stored): void {
    this.resources.set(stored.name, copy(stored));
  }
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
