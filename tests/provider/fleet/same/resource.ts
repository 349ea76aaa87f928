/** One resource of a program as the engine keeps it, an endpoint or a fleet of one, and what each of its runs came to. */
import { InOrder } from "../../../programs/support/choices";
import { Engine } from "../../../programs/support/engine";
import type { Process, Run, Stored } from "../../../programs/support/stack";
import { CallError, type Host, type Kind, type Values } from "./hosts";

const NAME = "main";

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

/** Whether a resource is one endpoint, or a fleet of one. */
export class OneResource {
  readonly outcomes: Outcome[] = [];
  readonly messages: string[] = [];
  config: Record<string, string> = {};
  readonly #engine = new Engine();

  constructor(
    readonly host: Host,
    readonly kind: Kind,
    private readonly look: () => unknown,
  ) {}

  /** The id of the endpoint behind it. */
  get endpointId(): unknown {
    const { state } = this.#engine.state.get(NAME) ?? {};
    if (this.kind === "Endpoint") return state?.endpointId;
    const main = (state?.endpoints as Record<string, Values> | undefined)?.main;
    return main?.endpointId;
  }

  /** Loses it from the state. */
  forget(): void {
    this.#engine.state.delete(NAME);
  }

  preview(news: Values): Promise<void> {
    return this.#run("", (process) => this.#engine.preview({ ...this.#plan(news), process }));
  }

  up(news: Values): Promise<void> {
    return this.#run("", (process) => this.#engine.up({ ...this.#plan(news), process }));
  }

  refresh(): Promise<void> {
    return this.#run("refresh", (process) => this.#engine.refresh(process));
  }

  /** An import by an endpoint's id, in the form that the resource takes. */
  import(projectId: string, endpointId: string): Promise<void> {
    const id = this.kind === "Endpoint" ? `${projectId}/${endpointId}` : `${projectId}/main=${endpointId}`;
    return this.#run("import", (process) => this.#engine.import(process, NAME, id));
  }

  destroy(): Promise<void> {
    return this.#run("delete", (process) => this.#engine.up({ ...this.#plan(), process }));
  }

  #plan(news?: Values) {
    const args = this.kind === "Endpoint" ? news : { endpoints: { main: news } };
    return { program: new Map(news && args && [[NAME, { args, after: new Set<string>() }]]), choices: new InOrder() };
  }

  async #run(what: string, work: (process: Process) => Promise<Run | unknown>): Promise<void> {
    const before = this.endpointId;
    let change = what;
    let error: Error | undefined;
    try {
      const run = (await work(await this.#process())) as Partial<Run> | undefined;
      error = run?.failed?.[0]?.error;
      change ||= run?.changes?.get(NAME) ?? "";
    } catch (thrown) {
      error = thrown as Error;
    }
    if (error && !(error instanceof CallError)) throw error;
    if (error) this.messages.push(error.message);
    const now = this.endpointId;
    const endpoint = now === undefined ? "none" : now === before ? "same" : "new";
    change = error ? "" : change === "replace" ? "update" : change;
    this.outcomes.push({ change, failed: error !== undefined, endpoint, platform: this.look() });
  }

  /** A process of the host, whose calls need no context. */
  async #process(): Promise<Process> {
    const calls = await this.host.begin(this.kind, this.config);
    return {
      host: "plugin",
      sent: () => 0,
      context: () => ({}) as never,
      verbs: {
        check: async (_, olds, news) => {
          const { inputs, failures } = await calls.check(olds, news);
          if (failures.length === 0) return inputs;
          throw new CallError(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
        },
        diff: async (_, old, inputs) => {
          const { changes, replaces, deletesFirst } = await calls.diff(old.id, old.state, inputs, old.inputs);
          return { change: replaces ? "replace" : changes ? "update" : "same", deleteFirst: deletesFirst };
        },
        create: (_, inputs) => calls.create(inputs),
        update: async (_, { id, state, inputs: olds }: Stored, inputs) => ({
          id,
          state: await calls.update(id, state, inputs, olds),
        }),
        preview: async () => undefined,
        isHeld: async () => false,
        read: (_, { id, state, inputs }) => calls.read(id, state, inputs),
        remove: (_, { id, state }) => calls.remove(id, state),
      },
    };
  }
}
