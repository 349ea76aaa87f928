/** One resource of a program as the engine keeps it, an endpoint or a fleet of one, and what each of its runs came to. */
import { CallError, type Calls, type Host, type Kind, type Values } from "./hosts";

/** What one run came to. A replacement within a fleet is an update of it. */
export interface Outcome {
  /** What was planned: `create`, `update`, `same`, `refresh`, `delete`, or nothing where it was refused. */
  change: string;
  failed: boolean;
  /** Whether an endpoint is behind the resource afterwards, and whether it is the one from before. */
  endpoint: "none" | "new" | "same";
  /** What the platform has. */
  platform: unknown;
}

interface Stored {
  id: string;
  inputs: Values;
  state: Values;
  unfinished: boolean;
}

/** Whether a resource is one endpoint, or a fleet of one. */
export class OneResource {
  stored: Stored | undefined;
  readonly outcomes: Outcome[] = [];
  readonly messages: string[] = [];
  config: Record<string, string> = {};

  constructor(
    readonly host: Host,
    readonly kind: Kind,
    private readonly look: () => unknown,
  ) {}

  /** The id of the endpoint behind it. */
  get endpointId(): unknown {
    const { state } = this.stored ?? {};
    if (this.kind === "Endpoint") return state?.endpointId;
    const main = (state?.endpoints as Record<string, Values> | undefined)?.main;
    return main?.endpointId;
  }

  preview(news: Values): Promise<void> {
    return this.#run(async (calls) => (await this.#plan(calls, this.#program(news))).change);
  }

  up(news: Values): Promise<void> {
    return this.#run(async (calls) => {
      const plan = await this.#plan(calls, this.#program(news));
      const { change, inputs, deletesFirst } = plan;
      const before = this.stored;
      if (change === "same" && before) this.stored = { ...before, inputs };
      else if (!before) await this.#create(calls, inputs);
      else if (change === "update") await this.#update(calls, before, inputs);
      else {
        if (deletesFirst) await calls.remove(before.id, before.state);
        this.stored = undefined;
        await this.#create(calls, (await this.#check(calls, {}, this.#program(news))) as Values);
        if (!deletesFirst) await calls.remove(before.id, before.state);
      }
      return change;
    });
  }

  refresh(): Promise<void> {
    return this.#run(async (calls) => {
      const before = this.stored;
      if (!before) return "refresh";
      const found = await calls.read(before.id, before.state, before.inputs);
      // To show what has changed: what was read, compared with the inputs of the last run. Its failure fails the refresh.
      if (found) await calls.diff(found.id, found.state, before.inputs, found.inputs);
      this.stored = found && { ...found, unfinished: false };
      return "refresh";
    });
  }

  /** An import by an endpoint's id, in the form that the resource takes. */
  import(projectId: string, endpointId: string): Promise<void> {
    return this.#run(async (calls) => {
      const id = this.kind === "Endpoint" ? `${projectId}/${endpointId}` : `${projectId}/main=${endpointId}`;
      const found = await calls.read(id, {}, {});
      this.stored = found && { ...found, unfinished: false };
      return "import";
    });
  }

  destroy(): Promise<void> {
    return this.#run(async (calls) => {
      if (this.stored) await calls.remove(this.stored.id, this.stored.state);
      this.stored = undefined;
      return "delete";
    });
  }

  #program(news: Values): Values {
    return this.kind === "Endpoint" ? news : { endpoints: { main: news } };
  }

  async #run(work: (calls: Calls) => Promise<string>): Promise<void> {
    const before = this.endpointId;
    const calls = await this.host.begin(this.kind, this.config);
    let change = "";
    let failed = false;
    try {
      change = await work(calls);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      failed = true;
      this.messages.push(error.message);
    }
    const now = this.endpointId;
    const endpoint = now === undefined ? "none" : now === before ? "same" : "new";
    this.outcomes.push({ change: change === "replace" ? "update" : change, failed, endpoint, platform: this.look() });
  }

  async #check(calls: Calls, olds: Values, news: Values): Promise<Values> {
    const { inputs, failures } = await calls.check(olds, news);
    if (failures.length > 0) {
      throw new CallError(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
    }
    return inputs;
  }

  async #plan(calls: Calls, news: Values): Promise<{ change: string; inputs: Values; deletesFirst: boolean }> {
    const before = this.stored;
    const inputs = await this.#check(calls, before?.inputs ?? {}, news);
    if (!before) return { change: "create", inputs, deletesFirst: false };
    const { changes, replaces, deletesFirst } = await calls.diff(before.id, before.state, inputs, before.inputs);
    const change = replaces ? "replace" : changes || before.unfinished ? "update" : "same";
    return { change, inputs, deletesFirst };
  }

  async #create(calls: Calls, inputs: Values): Promise<void> {
    try {
      const { id, state } = await calls.create(inputs);
      this.stored = { id, inputs, state, unfinished: false };
    } catch (error) {
      if (error instanceof CallError && error.kept) this.stored = { ...error.kept, inputs, unfinished: true };
      throw error;
    }
  }

  async #update(calls: Calls, before: Stored, inputs: Values): Promise<void> {
    try {
      const state = await calls.update(before.id, before.state, inputs, before.inputs);
      this.stored = { ...before, inputs, state, unfinished: false };
    } catch (error) {
      // The engine keeps the old inputs with the new state.
      if (error instanceof CallError && error.kept)
        this.stored = { ...before, state: error.kept.state, unfinished: true };
      throw error;
    }
  }
}
