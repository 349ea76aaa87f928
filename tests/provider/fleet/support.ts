/** Stacks of fleets, whose names begin with `f`, and single endpoints, on the model of the engine that plays generated programs, with nothing left to chance. */
import type { EmulatorOptions } from "../../../emulator";
import { type Account, type AccountSettings, openAccount } from "../../../provider/platform/account";
import type { FleetCall } from "../../../provider/pulumi/call";
import { TAKE_UP_COMMAND } from "../../../provider/pulumi/messages/commands";
import { RunRecords } from "../../../provider/pulumi/run";
import { InOrder } from "../../programs/support/choices";
import { Engine } from "../../programs/support/engine";
import type { RunPlan } from "../../programs/support/engine-run";
import { keyOf, resourceOf, urnOf } from "../../programs/support/names";
import type { Change, Run as EngineRun, Process as Host, Stored, Values } from "../../programs/support/stack";
import { type Bench, useBench } from "../../support/bench";
import { createMortalApi, type Death } from "../../support/mortal-api";

export type { Values };

/** What a process said, by the row it was said on. */
export interface Row {
  level: "info" | "warn" | "status" | "error";
  name: string;
  message: string;
}

/** One process of the provider: a run. */
export interface Process extends FleetCall {
  rows: Row[];
}

function newProcess(bench: Bench, account: Account, part: Partial<FleetCall>): Process {
  const rows: Row[] = [];
  const say = (level: Row["level"], urn: string) => (message: string) =>
    rows.push({ level, name: urn.split("::").at(-1) ?? "", message });
  const reporterFor = (urn: string) => ({
    info: say("info", urn),
    warn: say("warn", urn),
    status: say("status", urn),
  });
  return {
    ...bench.context({ account }),
    reporter: reporterFor(part.urn ?? ""),
    reporterFor,
    reportError: (urn, message) => say("error", urn)(message),
    rows,
    ...part,
  };
}

/** A resource as a program declares it. */
export interface Declared {
  args: Values;
  after?: readonly string[];
  /** Its former name. */
  was?: string;
  deleteBeforeReplace?: boolean;
}

/** In the order in which the engine registers them. */
export type Program = Readonly<Record<string, Declared>>;

/** How a run of a stack goes. */
export interface Options {
  /** Whether steps are done as soon as they are planned, or when all resources have been. */
  pace?: "eager" | "late";
  /** Resources that `--replace` names. */
  replace?: readonly string[];
  /** Where somebody says that what an interrupted run has made is taken up. */
  adoptInterrupted?: boolean;
  /** What else is configured. */
  settings?: Partial<AccountSettings>;
}

/** How a run of a stack ended. */
export interface StackRun {
  errors: Record<string, string>;
  failed: Error[];
  rows: string[];
  /** By resource what is planned; of a fleet by member. */
  changes: Record<string, unknown>;
}

/** A stack of several resources. `isDynamic` is for the host that is told what waits for what. */
export class Stack {
  readonly engine = new Engine();

  constructor(
    private readonly bench: Bench,
    private readonly isDynamic = false,
  ) {}

  preview(program: Program, options: Options = {}): Promise<StackRun> {
    return this.#run(options, (plan) => this.engine.preview({ ...plan, program: programOf(program) }));
  }

  up(program: Program, options: Options = {}): Promise<StackRun> {
    return this.#run(options, (plan) => this.engine.up({ ...plan, program: programOf(program) }));
  }

  /** `pulumi import` of a fleet. */
  import(name: string, id: string): Promise<StackRun> {
    return this.#run({}, async ({ process }) => {
      await this.engine.import(process, name, id);
      return undefined;
    });
  }

  refresh(): Promise<StackRun> {
    return this.#run({}, async ({ process }) => {
      await this.engine.refresh(process);
      return undefined;
    });
  }

  /** By resource and member, the ids that the state has. */
  ids(): Record<string, string> {
    return Object.fromEntries(
      [...this.engine.state.values()].flatMap(({ name, state }) =>
        "endpointId" in state
          ? [[name, String(state.endpointId)]]
          : Object.entries(endpointsOf(state)).map(([key, { endpointId }]) => [`${name}/${key}`, String(endpointId)]),
      ),
    );
  }

  async #run(
    { pace, replace = [], adoptInterrupted = false, settings }: Options,
    work: (plan: Omit<RunPlan, "program">) => Promise<EngineRun | undefined>,
  ): Promise<StackRun> {
    const account = this.bench.account({}, { adoptInterrupted, ...settings });
    const [run, rows] = [new RunRecords(), [] as Row[]];
    const context = (urn: string) => {
      const part = newProcess(this.bench, account, { run, urn: urn as FleetCall["urn"] });
      // Rows of all resources, in the order in which they were said.
      part.rows.push = (...said) => rows.push(...said);
      return part;
    };
    const process: Host = { host: this.isDynamic ? "dynamic" : "plugin", sent: () => 0, context };
    const found = await this.bench.run(
      work({ process, choices: new InOrder(pace), forced: new Set(replace), ...(pace !== "late" && { atOnce: 1 }) }),
    );
    const { failed = [], changes = new Map<string, Change>() } = found ?? {};
    const ofResources: Record<string, unknown> = {};
    for (const [name, change] of changes) {
      const [resource, key] = [resourceOf(name), keyOf(name)];
      ofResources[resource] = key === undefined ? change : { ...(ofResources[resource] as object), [key]: change };
    }
    return {
      errors: Object.fromEntries(failed.map(({ name, error }) => [name, error.message])),
      failed: failed.map(({ error }) => error),
      rows: rows.flatMap(({ level, name, message }) => (level === "status" ? [] : `${level} ${name}: ${message}`)),
      changes: ofResources,
    };
  }
}

/** Opens a bench and a stack on it, of which nothing exists yet, with what programs for it are made of. */
export async function useStack({ isDynamic = false, ...options }: EmulatorOptions & { isDynamic?: boolean } = {}) {
  const bench = await useBench(options);
  const { projectId, admin } = bench.emulator;
  return {
    ...{ bench, projectId, admin, branch: bench.branch, engine: new Stack(bench, isDynamic) },
    single: (branchId: string, more: Values = {}, after: string[] = []): Declared => ({
      args: { projectId, branchId, ...more },
      after,
    }),
    fleet: (endpoints: Values, more: Partial<Declared> = {}): Declared => ({
      args: { projectId, endpoints, maxDeletions: 99 },
      ...more,
    }),
    idsOn: (branchId: string) => bench.on(branchId).map(({ id }) => id),
  };
}

function programOf(program: Program) {
  return new Map(
    Object.entries(program).map(([name, { after = [], ...rest }]) => [name, { ...rest, after: new Set(after) }]),
  );
}

function endpointsOf({ endpoints = {} }: Values): Record<string, Values> {
  return endpoints as Record<string, Values>;
}

const NAME = "fleet";

/** Of the fleet that the tests of a single fleet declare. */
export const FLEET_URN = urnOf(NAME);

/** How a run of a fleet ended. */
export interface Run {
  rows: Row[];
  /** Whether the fleet itself was created, updated or replaced. */
  isChanged: boolean;
  /** By member. */
  changes: Record<string, Change>;
  outputs?: Values;
  error?: Error;
}

/** Opens a bench and a fleet on it, of which nothing exists yet; with branches and programs for it. */
export async function useFleet(options: EmulatorOptions = {}, settings: Partial<AccountSettings> = {}) {
  const bench = await useBench(options);
  const account = bench.account({}, settings);
  const { admin, projectId } = bench.emulator;
  return {
    ...{ bench, fleet: new FleetEngine(bench, account), admin, projectId },
    branches: (many: number) => Array.from({ length: many }, () => bench.branch()),
    program: (endpoints: Record<string, Values>, more: Values = {}): Values => ({ projectId, endpoints, ...more }),
  };
}

/** A stack of one fleet. */
export class FleetEngine {
  readonly engine = new Engine();
  /** The program's option; the engine of these tests has nothing to put back for it. */
  ignoreChanges: string[] = [];

  constructor(
    private readonly bench: Bench,
    public account: Account,
  ) {}

  process(part: Partial<FleetCall> = {}): Process {
    return newProcess(this.bench, this.account, { urn: FLEET_URN, ...part });
  }

  get stored(): Stored | undefined {
    return this.engine.state.get(NAME);
  }

  set stored(stored: Stored | undefined) {
    if (stored) this.engine.state.set(NAME, stored);
    else this.engine.state.delete(NAME);
  }

  /** Keys with what the state has of them. */
  get endpoints(): Record<string, Values> {
    return endpointsOf(this.stored?.state ?? {});
  }

  preview(news: Values, process = this.process()): Promise<Run> {
    return this.#run(process, (host) => this.engine.preview(this.#plan(host, news)));
  }

  up(news: Values, process = this.process()): Promise<Run> {
    return this.#run(process, (host) => this.engine.up(this.#plan(host, news)));
  }

  /** An up with `--replace`. */
  replace(news: Values, process = this.process()): Promise<Run> {
    return this.#run(process, (host) => this.engine.up({ ...this.#plan(host, news), forced: new Set([NAME]) }));
  }

  refresh(process = this.process()): Promise<Run> {
    return this.#run(process, async (host) => ({ changes: await this.engine.refresh(host) }));
  }

  import(id: string): Promise<Run> {
    return this.#run(this.process(), async (host) => {
      await this.engine.import(host, NAME, id);
      return {};
    });
  }

  destroy(process = this.process()): Promise<Run> {
    return this.#run(process, (host) => this.engine.up(this.#plan(host)));
  }

  /** An `up`, or a destroy where there is no program, of which the provider's process is killed at a call: the engine's state file stays as it was. */
  async killed(news: Values | undefined, death: Death): Promise<void> {
    const { account, stored } = this;
    const { api, died } = createMortalApi(account.api, death);
    this.account = openAccount(api, account.settings, account.clock);
    const work = (news ? this.up(news) : this.destroy()).then(() => "ended");
    const how = await this.bench.run(Promise.race([work, died]));
    // What was sent already is done by the platform.
    await this.bench.run(account.clock.sleep(10_000));
    this.account = this.bench.account({}, account.settings);
    if (how === "died") this.stored = stored;
  }

  /** Every later run has a process of its own, which knows nothing of the one before. */
  restart(settings: Partial<AccountSettings> = {}): void {
    this.account = this.bench.account({}, { ...this.account.settings, adoptInterrupted: false, ...settings });
  }

  /**
   * An `up` after a run that was killed, in a process of its own: where that left endpoints, the plain one is refused, once, and changes
   * nothing; and the one that its message names takes them up.
   */
  async upAfterKill(news: Values): Promise<Run> {
    const { admin, projectId } = this.bench.emulator;
    const everything = () => JSON.stringify(admin.project(projectId).endpoints);
    this.restart();
    const before = everything();
    const plain = await this.up(news);
    if (!plain.error?.message.includes(TAKE_UP_COMMAND)) return plain;
    if (plain.error.message.split(TAKE_UP_COMMAND).length !== 2)
      throw new Error(`not said once: ${plain.error.message}`);
    if (everything() !== before) throw new Error("a refused run has changed something");
    this.restart({ adoptInterrupted: true });
    return this.up(news);
  }

  #plan(process: Host, args?: Values) {
    return { process, choices: new InOrder(), program: new Map(args && [[NAME, { args, after: new Set<string>() }]]) };
  }

  async #run(process: Process, work: (host: Host) => Promise<Partial<EngineRun>>): Promise<Run> {
    const context = () => ({ ...process, ignoreChanges: this.ignoreChanges });
    const ended = work({ host: process.host, sent: () => 0, context }).catch(
      (error: Error): Partial<EngineRun> => ({ failed: [{ name: NAME, verb: "step", error, sent: 0 }] }),
    );
    const { failed, printed = [], changes = [], outputs } = await this.bench.run(ended);
    const [error, known] = [failed?.[0]?.error, outputs?.get(NAME)];
    return {
      rows: process.rows,
      isChanged: printed.some(({ op }) => op !== "same"),
      changes: Object.fromEntries([...changes].map(([name, change]) => [keyOf(name) ?? name, change])),
      ...(error && { error }),
      ...(known && { outputs: known }),
    };
  }
}
